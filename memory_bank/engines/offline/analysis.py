"""Memory Analysis without a model: conflicts by comparing claims, then sameness and relatedness by likeness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from memory_bank.agents.analysis import (
    LOOKED_FOR,
    AnalysisInput,
    AnalysisOutput,
    Contradiction,
    NodeView,
    Relation,
)
from memory_bank.bank.query_graph import embedding_text
from memory_bank.engines.offline.contradiction.comparison import (
    DocumentClaims,
    compare_documents,
    document_claims,
    overlap,
)
from memory_bank.engines.offline.contradiction.entailment import statement_contradictions
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize, words
from memory_bank.values.values import ValueKind

RELATED = 0.55
"""Cosine from which two nodes are related by their meaning alone."""
RELATED_WITH_SHARED = 0.35
"""Cosine from which they are related when they also share a key phrase or speak of the same name."""
SAME_WORDS = 0.85
SAME_MEANING = 0.85


@dataclass(frozen=True)
class _Pair:
    """The new node and one candidate, with their claims; of the node itself these are the same object."""

    node: NodeView
    claims: DocumentClaims
    candidate: NodeView
    its_claims: DocumentClaims


def analyse(given: AnalysisInput, embedder: Embedder) -> AnalysisOutput:
    """One relation for each candidate that has one of those looked for, in the order of the candidates."""
    node = given.node
    claims = _claims(node)
    others = [candidate for candidate in given.candidates if candidate.id != node.id]
    vectors = embedder.embed([_text(view) for view in (node, *others)])
    cosines = {other.id: float(vector @ vectors[0]) for other, vector in zip(others, vectors[1:], strict=True)}
    relations = []
    for candidate in given.candidates:
        pair = _Pair(node, claims, candidate, claims if candidate.id == node.id else _claims(candidate))
        relation = _conflict(pair)
        if relation is None and candidate.id != node.id:
            relation = _likeness(pair, cosines[candidate.id])
        if relation is not None and relation.relation in LOOKED_FOR[given.phase]:
            relations.append(relation)
    return AnalysisOutput(relations=tuple(relations))


def _claims(view: NodeView) -> DocumentClaims:
    # An object of its own: a document that says the same as another one is not that one.
    return replace(_known_claims(tuple(claim.text for claim in view.claims), view.topic))


@lru_cache(maxsize=1024)
def _known_claims(texts: tuple[str, ...], topic: str) -> DocumentClaims:
    """The claims of a node, which is compared many times."""
    return document_claims(texts, topic)


def _names(document: DocumentClaims) -> set[str]:
    """The proper names in a node's claims, in lower case."""
    values = (value for claim in document.claims for value in claim.values)
    return {" ".join(words(value.text)) for value in values if value.kind is ValueKind.NAME}


def _text(view: NodeView) -> str:
    return embedding_text(view.context, view.keywords, view.summary)


def _conflict(pair: _Pair) -> Relation | None:
    node, candidate = pair.node, pair.candidate
    found = compare_documents(pair.its_claims, pair.claims) or statement_contradictions(pair.its_claims, pair.claims)
    contradictions = tuple(
        Contradiction(
            existing_claim=candidate.claims[one.first].id,
            new_claim=node.claims[one.second].id,
            description=one.comparison.description,
            confidence=one.comparison.confidence,
        )
        for one in found
        # Claims of different sources in one merged node were compared before the merge, as two documents.
        if candidate.id != node.id or candidate.claims[one.first].source == node.claims[one.second].source
    )
    if not contradictions:
        return None
    best = max(contradictions, key=lambda one: one.confidence)
    return Relation(
        existing_id=candidate.id,
        relation="conflict",
        confidence=best.confidence,
        reasoning=best.description,
        contradictions=contradictions,
    )


def _likeness(pair: _Pair, cosine: float) -> Relation | None:
    node, candidate = pair.node, pair.candidate
    if cosine < RELATED_WITH_SHARED:
        return None
    if cosine >= SAME_MEANING:
        own, other = set(tokenize(node.summary)), set(tokenize(candidate.summary))
        common = len(own & other) / max(min(len(own), len(other)), 1)
        claimed = overlap(pair.its_claims, pair.claims) if node.claims or candidate.claims else common
        if min(common, claimed) >= SAME_WORDS:
            reasoning = f"the same words ({common:.2f}) and meaning ({cosine:.2f})"
            confidence = min(cosine, 1.0)
            return Relation(existing_id=candidate.id, relation="merge", confidence=confidence, reasoning=reasoning)
    shared = sorted((set(node.keywords) | _names(pair.claims)) & (set(candidate.keywords) | _names(pair.its_claims)))
    if cosine >= RELATED or shared:
        reasoning = f"similar meaning ({cosine:.2f})" + (f", shared: {', '.join(shared)}" if shared else "")
        return Relation(existing_id=candidate.id, relation="related", confidence=min(cosine, 1.0), reasoning=reasoning)
    return None
