"""Claims by subject and attribute: finds the partner of a contradiction however unlike its wording is."""

from __future__ import annotations

from collections import Counter

from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.claims import ClaimText, claim_features, claim_key

MOST_PARTNERS = 8
COMMON = 200
"""A pair of terms that more nodes than this have tells none of them apart and is passed over."""

_Key = tuple[str, str]


class OfflineClaimIndex:
    """Nodes by the pairs (subject term, attribute) of their claims. A change costs what the one node costs."""

    def __init__(self) -> None:
        self._nodes: dict[_Key, dict[str, None]] = {}
        self._keys: dict[str, frozenset[_Key]] = {}

    def set(self, node_id: str, topic: str, claims: tuple[Claim, ...]) -> None:
        """Index a node's claims, replacing what was there."""
        self.remove(node_id)
        keys = frozenset(key for claim in claims for key in _keys(claim.text, topic))
        self._keys[node_id] = keys
        for key in keys:
            self._nodes.setdefault(key, {})[node_id] = None

    def remove(self, node_id: str) -> None:
        """Forget a node's claims; nothing happens if it has none."""
        for key in self._keys.pop(node_id, ()):
            nodes = self._nodes[key]
            del nodes[node_id]
            if not nodes:
                del self._nodes[key]

    def partners(self, node_id: str) -> list[str]:
        """Other nodes with a claim on the same subject and attribute, those with most in common first."""
        shared: Counter[str] = Counter()
        for key in sorted(self._keys.get(node_id, ())):
            nodes = self._nodes[key]
            if len(nodes) <= COMMON:
                shared.update(nodes.keys())
        shared.pop(node_id, None)
        return [found for found, _ in shared.most_common(MOST_PARTNERS)]


def _keys(text: str, topic: str) -> list[_Key]:
    """Each attribute with what it is of: the sentence's subject, or the fact's own ("Humphrey built the mill")."""
    features = claim_features(ClaimText(text, topic))
    subjects = claim_key(features).subjects
    return [
        (subject, fact.attribute)
        for fact in features.facts
        for subject in (subjects | fact.subject.words if fact.subject else subjects)
    ]
