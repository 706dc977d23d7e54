"""Find the independent voices on a conflict, and weigh them into a verdict with its confidence and a reason in words.

Each document is one voice per stand, and copies of one text count as one document. The odds of a voice are how many
times likelier what it says is to be right than wrong; the odds of independent voices multiply. A reference counts as
two documents of the material, since the person named it to check against. The web counts for less than either, since
nobody chose it.

The odds of each stand (first, second, neither, both) are the product of the odds of its voices. Each of the two
documents that disagree counts as one more document for its own side, unless it is a reference and already a voice. The
confidence in a verdict is its share of all odds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.conflict import Conflict, Evidence, Verdict
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.parts import disputed_parts
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.difference import is_copy
from memory_bank.text.one_line import one_line
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import differing_values, figures, is_among
from memory_bank.text.wording import Wording, mark_for_translation


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
CONCLUDES = 0.6
"""Share of the odds from which a verdict is given."""
OPEN, MOST = 0.5, 0.95
"""Confidence of an inconclusive verdict, and the highest confidence of any verdict."""
_MOST_ODDS = 1e100
"""Upper limit, so that the product of any number of voices stays finite."""


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
        said, supports = self.said, self.stand.value
        passage = said.statement.text
        return Evidence(source=said.source, passage=passage, supports=supports, page=said.page, entry_id=said.entry_id)


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
            supports[n] = max(supports[n], SAME_VALUE_PROBABILITY)
            opposes[n] = min(opposes[n], 1 - SAME_VALUE_PROBABILITY)
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
    entails = [np.array([one.entails for one in judge.judge(pairs)], np.float32) for pairs in (in_context, alone)]
    excludes = [judge_both_ways(pairs, judge) for pairs in (in_context, alone)]
    return np.mean(entails, axis=0), np.mean(excludes, axis=0)


def _has_value(statement: Statement, claim: str, other: str) -> bool:
    """Whether a statement on the claim's subject has a figure or date of the claim in which the other claim differs."""
    words = set(tokenize(claim)) - {word for value in figures(claim) for word in tokenize(value.text)}
    statement_words = set(tokenize(f"{statement.context} {statement.text}"))
    on_subject = bool(words) and len(words & statement_words) >= len(words) / 2
    return on_subject and any(is_among(value, figures(statement.text)) for value in differing_values(claim, other))


# -- weighing ----------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """A verdict, the probability that it is right (0…1), and the reason."""

    verdict: Verdict
    confidence: float
    reason: str


def weigh(conflict: Conflict, voices: Sequence[Voice]) -> Outcome:
    """The verdict of independent voices; `inconclusive` if no stand has enough odds."""
    if not voices:
        return Outcome("inconclusive", OPEN, Wording("No other source speaks to it."))
    odds = {stand: min(_MOST_ODDS, math.prod(v.odds for v in voices if v.stand is stand)) for stand in Stance}
    for side, claims in zip((Stance.FIRST, Stance.SECOND), conflict.sides, strict=True):
        own = {claim.source for claim in claims}  # one that is a reference is among the voices already
        if not any(voice.stand is side and voice.said.source in own for voice in voices):
            odds[side] *= MATERIAL_ODDS
    best = max(odds, key=lambda stand: odds[stand])
    share = 1 / sum(other / odds[best] for other in odds.values())
    if share < CONCLUDES or not any(voice.stand is best for voice in voices):
        return Outcome("inconclusive", OPEN, _inconclusive_reason(voices))
    return Outcome(best.value, round(min(MOST, share), 2), _reason(conflict, best, voices))


_STANDS = {
    Stance.FIRST: mark_for_translation("{sources} for the first"),
    Stance.SECOND: mark_for_translation("{sources} for the second"),
    Stance.BOTH: mark_for_translation("{sources} for both"),
    Stance.NEITHER: mark_for_translation("{sources} against both"),
}


def _reason(conflict: Conflict, stand: Stance, voices: Sequence[Voice]) -> Wording:
    supporting = [voice for voice in voices if voice.stand is stand]
    against = [voice for voice in voices if voice.stand is not stand]
    values = {
        "sources": _source_names(supporting),
        "text": _quoted(supporting[0]),
        "opposition": Wording("; against it: {sources}", sources=_source_names(against)) if against else "",
    }
    if stand is Stance.BOTH:
        return Wording("{sources} bears out both: “{text}”{opposition}.", **values)
    if stand is Stance.NEITHER:
        return Wording("{sources} contradicts both: “{text}”{opposition}.", **values)
    claim = conflict.claims[0 if stand is Stance.FIRST else 1]
    references = [voice for voice in supporting if voice.said.authority is Authority.REFERENCE]
    if any(voice.said.source == claim.source for voice in references):
        others = [voice for voice in supporting if voice not in references]
        values |= {"sources": _source_names(references), "text": _quoted(references[0])}
        if others:  # material that says the same was not given to check against
            also = {"sources": _source_names(others), "opposition": values["opposition"]}
            values["opposition"] = Wording("; for it also: {sources}{opposition}", **also)
        return Wording("{sources} was given to check against: “{text}”{opposition}.", **values)
    return Wording("{sources} supports {source}: “{text}”{opposition}.", source=claim.source, **values)


def _quoted(voice: Voice) -> str:
    """What a voice says, without its full stop: the reason ends with its own."""
    return one_line(voice.said.statement.text).rstrip(".。")


def _inconclusive_reason(voices: Sequence[Voice]) -> Wording:
    """Which sources have which stand."""
    groups = [(template, [voice for voice in voices if voice.stand is stand]) for stand, template in _STANDS.items()]
    stands = [Wording(template, sources=_source_names(group)) for template, group in groups if group]
    if len(stands) == 1:
        return Wording("Too little speaks to it: {stands}.", stands=stands[0])
    return Wording(
        "The sources are divided: {stands}.",
        stands=reduce(lambda before, stand: Wording("{before}, {stand}", before=before, stand=stand), stands),
    )


def _source_names(voices: Iterable[Voice]) -> str:
    """The names of the voices' sources, each once, with a count where several documents have one name."""
    documents: dict[str, set[str]] = {}
    for voice in voices:
        documents.setdefault(voice.said.source, set()).add(voice.said.document)
    return ", ".join(name if len(ids) == 1 else f"{name} (×{len(ids)})" for name, ids in documents.items())
