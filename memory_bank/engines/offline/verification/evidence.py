"""Find the independent voices on a conflict: statements of other documents, judged by the pair model.

Each document is one voice per stand, and copies of one text count as one document. The odds of a voice are how many
times likelier what it says is to be right than wrong; the odds of independent voices multiply. A reference counts as
two documents of the material, since the person named it to check against. The web counts for less than either, since
nobody chose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.conflict import Conflict, Evidence
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.parts import disputed_parts
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.difference import is_copy
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import differing_values, figures, same


class Authority(StrEnum):
    """What the person gave a document as; the web was given by nobody."""

    REFERENCE = "reference"
    MATERIAL = "material"
    WEB = "web"


class Stance(StrEnum):
    """The stand of a statement on a conflict: one side holds, neither does, or both do."""

    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"
    BOTH = "both"


MATERIAL_ODDS = 3.0
ODDS = {Authority.REFERENCE: MATERIAL_ODDS**2, Authority.MATERIAL: MATERIAL_ODDS, Authority.WEB: 2.0}

MIN_STAND_PROBABILITY = 0.4
"""Probability of its stand from which a statement counts as a voice."""
SAME_VALUE_PROBABILITY = 0.7
"""Probability that a statement with the very value in which one side differs from the other speaks for that side."""
NEAREST = 8
"""Statements of a document that are judged, the nearest to either side."""


@dataclass(frozen=True)
class SourceStatement:
    """A statement of a document that may have a stand on a conflict, and its place in the document."""

    document: str
    source: str
    authority: Authority
    statement: Statement
    text: str
    """All of the document's text that is known here, to recognise copies by."""
    page: int | None = None
    entry_id: str | None = None


@dataclass(frozen=True)
class Voice:
    """A statement with its stand on the conflict and the probability of that stand (0…1)."""

    said: SourceStatement
    stand: Stance
    probability: float

    @property
    def odds(self) -> float:
        """How many times likelier it is right than wrong: its authority's odds, less where its stand is not sure."""
        return float(ODDS[self.said.authority] ** self.probability)

    @property
    def evidence(self) -> Evidence:
        """The voice as evidence for the record."""
        said = self.said
        return Evidence(
            source=said.source,
            passage=said.statement.text,
            supports=self.stand.value,
            page=said.page,
            entry_id=said.entry_id,
        )


def voices(conflict: Conflict, said: Sequence[SourceStatement], embedder: Embedder, judge: PairJudge) -> list[Voice]:
    """The independent voices among some statements, surest first: one of each document for each stand."""
    nearest = _nearest(conflict, said, embedder)
    stands = _stands(conflict, nearest, embedder, judge)
    candidates = [
        Voice(statement, stand, probability)
        for statement, (stand, probability) in zip(nearest, stands, strict=True)
        if probability >= MIN_STAND_PROBABILITY
    ]
    independent: list[Voice] = []
    for voice in sorted(candidates, key=lambda voice: -voice.odds):
        repeated = (  # by the same document, or a copy of its text
            other.said.document == voice.said.document or is_copy(voice.said.text, other.said.text)
            for other in independent
            if other.stand is voice.stand
        )
        if not any(repeated):
            independent.append(voice)
    return independent


def _nearest(conflict: Conflict, said: Sequence[SourceStatement], embedder: Embedder) -> list[SourceStatement]:
    """The statements of each document that are nearest to either side, nearest first."""
    if not said:
        return []
    sides = embedder.embed([claim.text for claim in conflict.claims])
    cosines = (embedder.embed([candidate.statement.text for candidate in said]) @ sides.T).max(axis=1)
    counts: Counter[str] = Counter()
    nearest = []
    for n in np.argsort(-cosines, kind="stable"):
        document = said[n].document
        counts[document] += 1
        if counts[document] <= NEAREST:
            nearest.append(said[n])
    return nearest


def _stands(
    conflict: Conflict, said: Sequence[SourceStatement], embedder: Embedder, judge: PairJudge
) -> list[tuple[Stance, float]]:
    """The likeliest stand of each statement, by whether either side follows from it or is excluded by it."""
    statements = [candidate.statement for candidate in said]
    sides = statement_of(conflict.claims[0]), statement_of(conflict.claims[1])
    first, second = disputed_parts(sides, judge, embedder)
    for_first, not_first = _entails_or_excludes(statements, first, judge)
    for_second, not_second = _entails_or_excludes(statements, second, judge)
    for n, statement in enumerate(statements):
        has_first = _has_value(statement, first.text, second.text)
        has_second = _has_value(statement, second.text, first.text)
        if has_first != has_second:
            supports, opposes = (for_first, not_first) if has_first else (for_second, not_second)
            supports[n], opposes[n] = (
                max(supports[n], SAME_VALUE_PROBABILITY),
                min(opposes[n], 1 - SAME_VALUE_PROBABILITY),
            )
        if statement.text.split() == sides[0].text.split():  # a side's own words
            for_first[n], not_first[n], for_second[n], not_second[n] = 1, 0, 0, 1
        if statement.text.split() == sides[1].text.split():
            for_first[n], not_first[n], for_second[n], not_second[n] = 0, 1, 1, 0
    probabilities = {
        Stance.FIRST: np.maximum(for_first, not_second) * (1 - not_first) * (1 - for_second),
        Stance.SECOND: np.maximum(for_second, not_first) * (1 - not_second) * (1 - for_first),
        Stance.NEITHER: not_first * not_second,
        Stance.BOTH: for_first * for_second,
    }
    best = [max(probabilities, key=lambda stand: float(probabilities[stand][n])) for n in range(len(said))]
    return [(stand, float(probabilities[stand][n])) for n, stand in enumerate(best)]


def _entails_or_excludes(
    statements: Sequence[Statement], claim: Statement, judge: PairJudge
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The probabilities that the claim follows from each statement, and that each statement excludes it.

    The mean of each pair judged with and without context: both are known to speak of the same subject here, but the
    titles of two documents can make it look like two.
    """
    in_context = [(statement, claim) for statement in statements]
    alone = [(Statement(statement.text), Statement(claim.text)) for statement in statements]
    entails = [
        np.array([judgement.entails for judgement in judge.judge(pairs)], np.float32) for pairs in (in_context, alone)
    ]
    excludes = [judge_both_ways(pairs, judge) for pairs in (in_context, alone)]
    return np.mean(entails, axis=0), np.mean(excludes, axis=0)


def _has_value(statement: Statement, claim: str, other: str) -> bool:
    """Whether a statement on the claim's subject has a figure or date of the claim in which the other claim differs."""
    words = set(tokenize(claim)) - {word for value in figures(claim) for word in tokenize(value.text)}
    statement_words = set(tokenize(f"{statement.context} {statement.text}"))
    on_subject = bool(words) and len(words & statement_words) >= len(words) / 2
    return on_subject and any(
        same(value, own) for value in differing_values(claim, other) for own in figures(statement.text)
    )


def source_names(voices: Iterable[Voice]) -> str:
    """The names of the voices' sources, each once, with a count where several documents have one name."""
    documents: dict[str, set[str]] = {}
    for voice in voices:
        documents.setdefault(voice.said.source, set()).add(voice.said.document)
    return ", ".join(name if len(ids) == 1 else f"{name} (×{len(ids)})" for name, ids in documents.items())
