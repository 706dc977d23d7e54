"""Memory Analysis without a model server: contradictions by the pair model, merges and relations by similarity.

Precision comes before recall: a false alarm costs more trust than a missed contradiction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.analysis import (
    RELATIONS_BY_PHASE,
    AnalysisInput,
    AnalysisOutput,
    Contradiction,
    NodeView,
    Relation,
)
from memory_bank.bank.query_graph import Claim, embedding_text
from memory_bank.judgement.contradictions import (
    MIN_SIMILARITY,
    NEAREST,
    candidates,
    describe_contradiction,
    judge_both_ways,
    of_one_series,
    repeats,
    threshold_among,
)
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.pair_model import Pair
from memory_bank.judgement.parts import JudgedPair, judge_with_parts, whole
from memory_bank.judgement.same_thing import same_thing
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.span import Span, overlaps_any
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import differ_in_a_value
from memory_bank.text.wording import Wording

RELATED = 0.45
"""Cosine from which two nodes are related by their meaning alone."""
RELATED_WITH_SHARED = 0.35
"""Cosine from which two nodes are related when they also share a keyword."""
SAME_WORDS = 0.85
"""Word overlap from which two nodes of the same meaning are merged."""
SAME_MEANING = 0.85
"""Cosine from which two nodes have the same meaning."""
NEAREST_INSIDE = 3
"""With how many claims of its own document each claim is compared: of its own node, and of the others."""
LEAST_INSIDE = 0.35
"""Cosine from which they are. Of the corpus's contradictions that are lightly reworded all are as near."""
MOST_WITHOUT_CONTEXT = 24
"""Most pairs within one document that are also judged without their context."""


def analyse(agent_input: AnalysisInput, embedder: Embedder, judge: PairJudge) -> AnalysisOutput:
    """At most one relation per candidate, of the types that the phase looks for, in the order of the candidates."""
    node, wanted = agent_input.node, RELATIONS_BY_PHASE[agent_input.phase]
    conflicts = _conflicts(agent_input, embedder, judge) if "conflict" in wanted else {}
    views = (node, *agent_input.candidates)
    vectors = embedder.embed([embedding_text(view.context, view.keywords, view.summary) for view in views])
    relations = []
    for candidate, vector in zip(agent_input.candidates, vectors[1:], strict=True):
        relation = conflicts.get(candidate.id)
        if relation is None and candidate.id != node.id:
            relation = _similarity_relation(node, candidate, float(vector @ vectors[0]))
        if relation is not None and relation.relation in wanted:
            relations.append(relation)
    return AnalysisOutput(relations=tuple(relations))


def _conflicts(agent_input: AnalysisInput, embedder: Embedder, judge: PairJudge) -> dict[str, Relation]:
    """The conflicts of the node with each candidate, itself included, by the candidate's id."""
    pairs = _claim_pairs(agent_input, embedder)
    judged = _judged([(old, new) for old, new, _ in pairs], embedder, judge)
    by_node: dict[str, list[Contradiction]] = {}
    # Each part of a claim keeps its likeliest contradiction; the others mostly only touch on it.
    used: dict[str, list[Span]] = {}
    for (old, new, node_id), (probability, *parts) in sorted(
        zip(pairs, judged, strict=True), key=lambda one: -one[1].probability
    ):
        threshold = _threshold(old.source, new.source, agent_input, judge)
        sides = list(zip((old.id, new.id), parts, strict=True))
        if probability < threshold or any(overlaps_any(*part, used.get(claim_id, ())) for claim_id, part in sides):
            continue
        if old.source != new.source and probability < _threshold_between(
            old, new, node_id, agent_input, embedder, judge
        ):
            continue
        for claim_id, part in sides:
            used.setdefault(claim_id, []).append(part)
        contradiction = Contradiction(
            existing_claim=old.id,
            new_claim=new.id,
            description=describe_contradiction(old.text, new.text),
            confidence=probability,
        )
        by_node.setdefault(node_id, []).append(contradiction)
    return {  # likeliest first, with the confidence of the likeliest
        node_id: Relation(
            existing_id=node_id,
            relation="conflict",
            confidence=found[0].confidence,
            reasoning=found[0].description,
            contradictions=tuple(found),
        )
        for node_id, found in by_node.items()
    }


def _threshold(source: str, other: str, agent_input: AnalysisInput, judge: PairJudge, alike: float = 1.0) -> float:
    """The probability from which claims of two documents, `alike` by this probability, or of one are in conflict."""
    if source == other:
        return threshold_among(judge.conflict_inside, agent_input.claims)
    return threshold_among(
        judge.conflict_between,
        agent_input.claims,
        checkable=agent_input.checkable,
        in_series=of_one_series(source, other),
        alike=alike,
    )


def _threshold_between(
    old: Claim, new: Claim, node_id: str, agent_input: AnalysisInput, embedder: Embedder, judge: PairJudge
) -> float:
    """The same for two documents, given what else they say; above one where both say one of the claims.

    What contradicts such a claim in one of them is a matter of that document alone.
    """
    views = (agent_input.node, *agent_input.candidates)
    if _says(new.source, old, views) or _says(old.source, new, views):
        return math.inf
    view = next(view for view in views if view.id == node_id)
    texts = _claims_of(old.source, view), _claims_of(new.source, agent_input.node)
    return _threshold(old.source, new.source, agent_input, judge, same_thing(*texts, embedder, judge))


def _claims_of(source: str, view: NodeView) -> list[Statement]:
    """What a document says in a node."""
    return [statement_of(claim) for claim in view.claims if claim.source == source]


def _says(source: str, claim: Claim, views: Iterable[NodeView]) -> bool:
    """Whether a document says what a claim of another one says."""
    others = (other for view in views for other in view.claims if other.source == source)
    return any(repeats(statement_of(claim), statement_of(other)) for other in others)


def _claim_pairs(agent_input: AnalysisInput, embedder: Embedder) -> list[tuple[Claim, Claim, str]]:
    """The pairs worth judging: a claim in memory, a new claim, and the node of the first.

    Claims of its own document are nearest to a claim, and seldom contradict it. They are therefore ranked apart from
    those of other documents, and fewer of them are judged: of the rows of its tables none, which are of one thing each,
    and no two entries of its lists, of which the same holds: the flour of the dough and that of the glaze.
    """
    node = agent_input.node
    others = [view for view in agent_input.candidates if view.id != node.id]
    known = [(claim, view.id) for view in others for claim in _distinct_claims(view.claims)]
    by_source: dict[str, list[Claim]] = {}
    for claim in _distinct_claims(node.claims):
        by_source.setdefault(claim.source, []).append(claim)
    pairs: list[tuple[Claim, Claim, str]] = []
    for source, new in by_source.items():
        elsewhere = [each for each in known if each[0].source != source]
        inside = [each for each in known if each[0].source == source and not each[0].text.startswith("|")]
        sentences = [claim for claim in new if not claim.text.startswith("|")]
        pairs += _nearest_pairs(new, elsewhere, embedder, NEAREST, MIN_SIMILARITY)
        pairs += _nearest_pairs(sentences, inside, embedder, NEAREST_INSIDE, LEAST_INSIDE)
        # Claims of different sources in one merged node were compared before the merge, as two documents.
        if len(others) < len(agent_input.candidates):
            own = [statement_of(claim) for claim in sentences]
            places = candidates(own, own, embedder, NEAREST_INSIDE, reverse=0, least=LEAST_INSIDE)
            pairs += [(sentences[i], sentences[j], node.id) for i, j in places]
    items = frozenset[str]().union(*(view.items for view in (node, *others)))
    return [
        pair for pair in pairs if pair[0].source != pair[1].source or not items.issuperset((pair[0].id, pair[1].id))
    ]


def _nearest_pairs(
    new: list[Claim], known: list[tuple[Claim, str]], embedder: Embedder, nearest: int, least: float
) -> list[tuple[Claim, Claim, str]]:
    """Each new claim with the nearest of the known ones and their nodes."""
    firsts, seconds = [statement_of(claim) for claim in new], [statement_of(claim) for claim, _ in known]
    places = candidates(firsts, seconds, embedder, nearest, reverse=0, least=least)
    return [(known[j][0], new[i], known[j][1]) for i, j in places]


def _judged(pairs: list[tuple[Claim, Claim]], embedder: Embedder, judge: PairJudge) -> list[JudgedPair]:
    """Each pair judged: of two documents with its parts, within one document as a whole."""
    statements = [(statement_of(old), statement_of(new)) for old, new in pairs]
    inside = [n for n, (old, new) in enumerate(pairs) if old.source == new.source]
    between = [n for n, (old, new) in enumerate(pairs) if old.source != new.source]
    probabilities = _probabilities_inside([statements[n] for n in inside], judge)
    judged = dict(zip(between, judge_with_parts([statements[n] for n in between], judge, embedder), strict=True))
    judged |= {n: JudgedPair(float(p), *whole(statements[n])) for n, p in zip(inside, probabilities, strict=True)}
    return [judged[n] for n in range(len(pairs))]


def _probabilities_inside(pairs: list[Pair], judge: PairJudge) -> NDArray[np.float32]:
    """The probability that each pair within one document contradicts.

    There the model takes the context of two statements as a reason why they are compatible. Pairs that differ in a
    value alone are therefore judged without it too.
    """
    probabilities = judge_both_ways(pairs, judge)
    differing = [n for n, (old, new) in enumerate(pairs) if differ_in_a_value(old.text, new.text)]
    chosen = sorted(differing, key=lambda n: -probabilities[n])[:MOST_WITHOUT_CONTEXT]
    alone = judge_both_ways([(Statement(pairs[n][0].text), Statement(pairs[n][1].text)) for n in chosen], judge)
    probabilities[chosen] = np.maximum(probabilities[chosen], alone)
    return probabilities


def _distinct_claims(claims: tuple[Claim, ...]) -> list[Claim]:
    """The first of each group of claims with the same source and words."""
    first: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        first.setdefault((claim.source, " ".join(claim.text.casefold().split())), claim)
    return list(first.values())


def _similarity_relation(node: NodeView, candidate: NodeView, cosine: float) -> Relation | None:
    """A merge where words and meaning are the same, "related" where the meaning is similar; else None."""
    if cosine < RELATED_WITH_SHARED:
        return None
    if cosine >= SAME_MEANING:
        own, other = (
            set(tokenize(f"{view.summary} {' '.join(claim.text for claim in view.claims)}"))
            for view in (node, candidate)
        )
        overlap = len(own & other) / max(min(len(own), len(other)), 1)
        if overlap >= SAME_WORDS:
            reasoning = Wording(
                "the same words ({share}) and meaning ({likeness})", share=f"{overlap:.2f}", likeness=f"{cosine:.2f}"
            )
            return Relation(
                existing_id=candidate.id, relation="merge", confidence=min(cosine, 1.0), reasoning=reasoning
            )
    keywords = sorted(set(node.keywords) & set(candidate.keywords))
    if cosine < RELATED and not keywords:
        return None
    shared = Wording(", shared: {keywords}", keywords=", ".join(keywords)) if keywords else ""
    reasoning = Wording("similar meaning ({likeness}){shared}", likeness=f"{cosine:.2f}", shared=shared)
    return Relation(existing_id=candidate.id, relation="related", confidence=min(cosine, 1.0), reasoning=reasoning)
