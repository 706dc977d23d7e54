"""Memory Analysis without a model server: contradictions by the pair model, then sameness and relatedness by likeness.

Few and right before many: an alarm that is wrong costs more trust than one that is missed.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.analysis import (
    LOOKED_FOR,
    AnalysisInput,
    AnalysisOutput,
    Contradiction,
    NodeView,
    Relation,
)
from memory_bank.bank.query_graph import Claim, embedding_text
from memory_bank.judgement.contradictions import candidates, described, judge_both_ways
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.statement import Statement
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize
from memory_bank.values.values import differ_in_a_value

RELATED = 0.45
"""Cosine from which two nodes are related by their meaning alone."""
RELATED_WITH_SHARED = 0.35
"""Cosine from which they are related when they also share a keyword."""
SAME_WORDS = 0.85
SAME_MEANING = 0.85
BACK = 2
"""With how many claims of the node each claim of its candidates is compared at least: each node has its turn."""
READ_ALONE = 24
"""How many pairs of one document are read without what stands around them, too."""


def analyse(given: AnalysisInput, embedder: Embedder, judge: PairJudge) -> AnalysisOutput:
    """One relation for each candidate that has one of those looked for, in the order of the candidates."""
    conflicts = _conflicts(given, embedder, judge) if "conflict" in LOOKED_FOR[given.phase] else {}
    others = [candidate for candidate in given.candidates if candidate.id != given.node.id]
    vectors = embedder.embed([_text(view) for view in (given.node, *others)])
    cosines = {other.id: float(vector @ vectors[0]) for other, vector in zip(others, vectors[1:], strict=True)}
    relations = []
    for candidate in given.candidates:
        relation = conflicts.get(candidate.id)
        if relation is None and candidate.id != given.node.id:
            relation = _likeness(given.node, candidate, cosines[candidate.id])
        if relation is not None and relation.relation in LOOKED_FOR[given.phase]:
            relations.append(relation)
    return AnalysisOutput(relations=tuple(relations))


def _conflicts(given: AnalysisInput, embedder: Embedder, judge: PairJudge) -> dict[str, Relation]:
    """The contradictions of the node's claims with those of each candidate, itself included."""
    new = _once(given.node.claims)
    known = [(view.id, claim) for view in given.candidates if view.id != given.node.id for claim in _once(view.claims)]
    news, olds = [statement_of(claim) for claim in new], [statement_of(claim) for _, claim in known]
    pairs = [(known[j][1], new[i], known[j][0]) for i, j in candidates(news, olds, embedder, BACK)]
    if any(view.id == given.node.id for view in given.candidates):
        pairs += [(new[i], new[j], given.node.id) for i, j in candidates(news, news, embedder)]
        # Claims of different sources in one merged node were compared before the merge, as two documents.
        pairs = [one for one in pairs if one[2] != given.node.id or one[0].source == one[1].source]
    judged = _judged([(old, one) for old, one, _ in pairs], judge)
    found = []
    used: set[str] = set()  # of several contradictions of one claim the likeliest; the others mostly only touch on it
    for n in np.argsort(-judged, kind="stable"):
        old, one, node_id = pairs[n]
        least = judge.conflict_inside if old.source == one.source else judge.conflict_between
        if judged[n] < least or not used.isdisjoint((old.id, one.id)):
            continue
        used |= {old.id, one.id}
        contradiction = Contradiction(
            existing_claim=old.id,
            new_claim=one.id,
            description=described(old.text, one.text),
            confidence=float(judged[n]),
        )
        found.append((node_id, contradiction))
    by_node = groupby(sorted(found, key=lambda one: one[0]), key=lambda one: one[0])
    return {node_id: _relation(node_id, tuple(one for _, one in group)) for node_id, group in by_node}


def _judged(pairs: list[tuple[Claim, Claim]], judge: PairJudge) -> NDArray[np.float32]:
    """How likely each pair contradicts.

    Within one document the model takes what stands around two statements for a reason why they go together. Those that
    differ in a figure alone are therefore read without it too.
    """
    judged = judge_both_ways([(statement_of(old), statement_of(one)) for old, one in pairs], judge)
    inside = (n for n, (old, one) in enumerate(pairs) if old.source == one.source)
    differing = [n for n in inside if differ_in_a_value(pairs[n][0].text, pairs[n][1].text)]
    chosen = sorted(differing, key=lambda n: -judged[n])[:READ_ALONE]
    alone = judge_both_ways([(Statement(pairs[n][0].text), Statement(pairs[n][1].text)) for n in chosen], judge)
    judged[chosen] = np.maximum(judged[chosen], alone)
    return judged


def _relation(node_id: str, contradictions: tuple[Contradiction, ...]) -> Relation:
    best = max(contradictions, key=lambda one: one.confidence)
    return Relation(
        existing_id=node_id,
        relation="conflict",
        confidence=best.confidence,
        reasoning=best.description,
        contradictions=contradictions,
    )


def _once(claims: tuple[Claim, ...]) -> list[Claim]:
    """Claims of the same words are one before they are compared."""
    first: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        first.setdefault((claim.source, " ".join(claim.text.casefold().split())), claim)
    return list(first.values())


def _text(view: NodeView) -> str:
    return embedding_text(view.context, view.keywords, view.summary)


def _likeness(node: NodeView, candidate: NodeView, cosine: float) -> Relation | None:
    if cosine < RELATED_WITH_SHARED:
        return None
    confidence = min(cosine, 1.0)
    if cosine >= SAME_MEANING:
        own, other = (
            set(tokenize(f"{view.summary} {' '.join(c.text for c in view.claims)}")) for view in (node, candidate)
        )
        common = len(own & other) / max(min(len(own), len(other)), 1)
        if common >= SAME_WORDS:
            reasoning = f"the same words ({common:.2f}) and meaning ({cosine:.2f})"
            return Relation(existing_id=candidate.id, relation="merge", confidence=confidence, reasoning=reasoning)
    shared = sorted(set(node.keywords) & set(candidate.keywords))
    if cosine >= RELATED or shared:
        reasoning = f"similar meaning ({cosine:.2f})" + (f", shared: {', '.join(shared)}" if shared else "")
        return Relation(existing_id=candidate.id, relation="related", confidence=confidence, reasoning=reasoning)
    return None
