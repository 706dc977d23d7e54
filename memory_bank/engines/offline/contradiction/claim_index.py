"""Claims by subject and attribute: finds the partner of a contradiction however unlike its wording is."""

from __future__ import annotations

from collections.abc import Iterator

from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.claims.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.contradiction.claim_comparison import Relation, compare
from memory_bank.engines.offline.language.counts import count_key
from memory_bank.engines.offline.language.subjects import Subject, SubjectKind
from memory_bank.values.names import fold
from memory_bank.values.values import Value, ValueKind

MOST_PARTNERS = 8
COMMON = 200
"""A pair of terms that more nodes than this have tells none of them apart and is passed over."""

_Key = tuple[str, str]
# Of nodes that give one attribute of one thing a value, those with another value come first.
_DIFFERENT, _SAME = 2.0, 1.0


class OfflineClaimIndex:
    """Nodes by the pairs (subject term, attribute) of their claims. A change costs what the one node costs.

    A claim that gives no attribute of the table a value is found by its other words instead. Each pair keeps the
    values that a node gives it.
    """

    def __init__(self) -> None:
        self._nodes: dict[_Key, dict[str, frozenset[str]]] = {}
        self._keys: dict[str, frozenset[_Key]] = {}

    def set(self, node_id: str, topic: str, claims: tuple[Claim, ...]) -> None:
        """Index a node's claims, replacing what was there."""
        self.remove(node_id)
        values: dict[_Key, set[str]] = {}
        for claim in claims:
            for key, value in _entries(claim_features(ClaimText(claim.text, topic))):
                values.setdefault(key, set()).add(value)
        self._keys[node_id] = frozenset(values)
        for key, given in values.items():
            self._nodes.setdefault(key, {})[node_id] = frozenset(given)

    def remove(self, node_id: str) -> None:
        """Forget a node's claims; nothing happens if it has none."""
        for key in self._keys.pop(node_id, ()):
            nodes = self._nodes[key]
            del nodes[node_id]
            if not nodes:
                del self._nodes[key]

    def partners(self, node_id: str) -> list[str]:
        """Other nodes with a claim on the same subject and attribute: rare pairs and differing values come first.

        Equals come by id, `n2` before `n10`, not as they were indexed: an index made anew finds them in the same order.
        """
        shared: dict[str, float] = {}
        for key in sorted(self._keys.get(node_id, ())):
            nodes = self._nodes[key]
            if len(nodes) > COMMON:
                continue
            own = nodes[node_id]
            for other, given in nodes.items():
                shared[other] = shared.get(other, 0.0) + (_SAME if own & given else _DIFFERENT) / len(nodes)
        shared.pop(node_id, None)
        return sorted(shared, key=lambda found: (-shared[found], len(found), found))[:MOST_PARTNERS]

    def alike(self, one: str, other: str, topic: str) -> bool:
        """Whether two claims, in texts about `topic`, say the same of the same thing."""
        return compare(ClaimText(one, topic), ClaimText(other, topic)).relation is Relation.AGREE


def _entries(features: ClaimFeatures) -> Iterator[tuple[_Key, str]]:
    """Each attribute of a claim with what it is of and its value; of a claim without any, its subject and words."""
    for fact in features.facts:
        for subject in _terms(features, fact.subject or features.subject):
            yield (subject, count_key(fact.attribute)), _value(fact.value)
    if features.facts:
        return
    said = " ".join(sorted(features.words)) + " not" * features.negated
    if features.subject.words:
        yield (" ".join(sorted(features.subject.words)), ""), said
    for subject in _terms(features, features.subject):
        for word in features.words - features.subject.words:
            yield (subject, f"word:{word}"), said


def _terms(features: ClaimFeatures, subject: Subject) -> frozenset[str]:
    """The terms for what a fact is of: a name for itself, what only points to something under the topic's words."""
    if subject.kind is SubjectKind.COUNTED:
        return features.words | features.topic
    return subject.words if subject.kind is SubjectKind.NAME else subject.words | features.topic


def _value(value: Value) -> str:
    if value.kind is ValueKind.NAME:
        return fold(value.text)
    return f"{value.low:g} {value.high:g} {value.unit}"
