"""Who speaks to a conflict, and for which side: statements of other documents, judged by the pair model.

Each document is one voice for what it says, and copies of one text are one. The odds of a voice are how many times
likelier what it says is to be right than wrong; independent voices multiply. A reference counts as two documents of
the material: the person named it to check against. The web counts for less than either, for nobody chose it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.conflict import Conflict, Evidence, Side
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.statement import Statement
from memory_bank.modules.copies import copied
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize
from memory_bank.values.values import differing, figures, same


class Authority(StrEnum):
    """What the person gave a document as; nobody gave what the web has."""

    REFERENCE = "reference"
    MATERIAL = "material"
    WEB = "web"


class Stand(StrEnum):
    """What a statement says to a conflict: that one side holds, that neither does, or that both do."""

    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"
    BOTH = "both"


MATERIAL_ODDS = 3.0
ODDS = {Authority.REFERENCE: MATERIAL_ODDS**2, Authority.MATERIAL: MATERIAL_ODDS, Authority.WEB: 2.0}

HEARD = 0.4
"""Probability of its stand from which a statement is heard."""
VALUED = 0.7
"""Probability that a statement with the very value in which one side differs from the other speaks for that side."""
NEAREST = 8
"""Statements of a document that are looked at, the nearest to either side."""


@dataclass(frozen=True)
class Said:
    """A statement of a document that may speak to a conflict, and where it stands."""

    document: str
    source: str
    authority: Authority
    statement: Statement
    text: str
    """All of the document's text that is at hand, by which copies are recognised."""
    page: int | None = None
    entry_id: str | None = None


@dataclass(frozen=True)
class Voice:
    """A statement that speaks to the conflict: for which stand, and how surely (0…1)."""

    said: Said
    stand: Stand
    probability: float

    @property
    def odds(self) -> float:
        """How many times likelier it is right than wrong: less than its authority's where its stand is not sure."""
        return float(ODDS[self.said.authority] ** self.probability)

    @property
    def evidence(self) -> Evidence:
        """The voice for the record."""
        side: Side = "first" if self.stand is Stand.FIRST else "second" if self.stand is Stand.SECOND else "neither"
        said = self.said
        return Evidence(
            source=said.source, passage=said.statement.text, supports=side, page=said.page, entry_id=said.entry_id
        )


def voices(conflict: Conflict, said: Sequence[Said], embedder: Embedder, judge: PairJudge) -> list[Voice]:
    """The independent voices among some statements, the surest of each document for each stand."""
    chosen = _nearest(conflict, said, embedder)
    stands = _stands(conflict, chosen, judge)
    heard = [Voice(one, *stand) for one, stand in zip(chosen, stands, strict=True) if stand[1] >= HEARD]
    kept: list[Voice] = []
    for voice in sorted(heard, key=lambda voice: -voice.odds):
        if not any(_repeats(voice, other) for other in kept):
            kept.append(voice)
    return kept


def _nearest(conflict: Conflict, said: Sequence[Said], embedder: Embedder) -> list[Said]:
    """Of each document the statements nearest to either side."""
    if not said:
        return []
    sides = embedder.embed([claim.text for claim in conflict.claims])
    likeness = (embedder.embed([one.statement.text for one in said]) @ sides.T).max(axis=1)
    taken: dict[str, int] = {}
    chosen = []
    for n in np.argsort(-likeness, kind="stable"):
        one = said[n]
        taken[one.document] = taken.get(one.document, 0) + 1
        if taken[one.document] <= NEAREST:
            chosen.append(one)
    return chosen


def _stands(conflict: Conflict, said: Sequence[Said], judge: PairJudge) -> list[tuple[Stand, float]]:
    """Where each statement stands: what it says follows, or is excluded, of either side."""
    statements = [one.statement for one in said]
    first, second = map(statement_of, conflict.claims)
    for_first, not_first = _says(statements, first, judge)
    for_second, not_second = _says(statements, second, judge)
    for n, one in enumerate(statements):
        of_first, of_second = _has_value(one, first.text, second.text), _has_value(one, second.text, first.text)
        if of_first != of_second:
            holds, falls = (for_first, not_first) if of_first else (for_second, not_second)
            holds[n], falls[n] = max(holds[n], VALUED), min(falls[n], 1 - VALUED)
        if one.text.split() == first.text.split():  # a side's own words
            for_first[n], not_first[n], for_second[n], not_second[n] = 1, 0, 0, 1
        if one.text.split() == second.text.split():
            for_first[n], not_first[n], for_second[n], not_second[n] = 0, 1, 1, 0
    chances = {
        Stand.FIRST: np.maximum(for_first, not_second) * (1 - not_first) * (1 - for_second),
        Stand.SECOND: np.maximum(for_second, not_first) * (1 - not_second) * (1 - for_first),
        Stand.NEITHER: not_first * not_second,
        Stand.BOTH: for_first * for_second,
    }
    best = [max(chances, key=lambda stand: float(chances[stand][n])) for n in range(len(said))]
    return [(stand, float(chances[stand][n])) for n, stand in enumerate(best)]


def _says(
    statements: Sequence[Statement], claim: Statement, judge: PairJudge
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How surely a claim follows from each statement, and how surely each excludes it.

    Each pair is read with what stands around both, and alone, since titles of two documents may make two subjects of
    the one that both are known to speak of here.
    """
    around = [(one, claim) for one in statements]
    alone = [(Statement(one.text), Statement(claim.text)) for one in statements]
    entails = [np.array([one.entails for one in judge.judge(pairs)], np.float32) for pairs in (around, alone)]
    excludes = [judge_both_ways(pairs, judge) for pairs in (around, alone)]
    return np.mean(entails, axis=0), np.mean(excludes, axis=0)


def _has_value(statement: Statement, claim: str, other: str) -> bool:
    """Whether a statement about the same has a figure or date of a claim's, in which the other claim differs.

    About the same is what has half of the claim's other words, itself or in what stands around it.
    """
    words = set(tokenize(claim)) - {word for one in figures(claim) for word in tokenize(one.text)}
    around = set(tokenize(f"{statement.context} {statement.text}"))
    about = bool(words) and len(words & around) >= len(words) / 2
    return about and any(same(one, own) for one in differing(claim, other) for own in figures(statement.text))


def _repeats(voice: Voice, other: Voice) -> bool:
    if voice.stand is not other.stand:
        return False
    return voice.said.document == other.said.document or copied(voice.said.text, other.said.text)


def source_names(heard: Iterable[Voice]) -> str:
    """The names of those who speak, each once; how many there are of one name."""
    documents: dict[str, set[str]] = {}
    for voice in heard:
        documents.setdefault(voice.said.source, set()).add(voice.said.document)
    return ", ".join(name if len(found) == 1 else f"{name} (×{len(found)})" for name, found in documents.items())
