"""What independent voices add up to: one of the five verdicts, how surely, and why in words for a person.

Each side, and each third value that a source gives, has the odds of the voices that speak for it multiplied together.
The two documents that disagree are a voice for their own side each. The confidence in a verdict is its share of all
odds, so that a reference or two documents that agree make it likely, and as many against it make it open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.engines.offline.verification.voices import MATERIAL_ODDS, Authority, Voice, source_names
from memory_bank.one_line import one_line
from memory_bank.values.dates import year_of

CONCLUDES = 0.6
"""Share of the odds from which a verdict is given."""
OPEN, MOST = 0.5, 0.95
_BOTH_HOLD = 1 / 3
"""How likely it is beforehand that both of two claims that seem to contradict each other hold, against one of them."""


@dataclass(frozen=True)
class Outcome:
    """A verdict, how surely it is right (0…1), and the reason."""

    verdict: Verdict
    confidence: float
    reason: str


@dataclass(frozen=True)
class _Case:
    """One way in which the conflict may end, with those who speak for it."""

    verdict: Verdict
    voices: tuple[Voice, ...]
    odds: float


@dataclass(frozen=True)
class Dates:
    """When each side's newest statement of a value that changes with time was made; None where it is not known."""

    first: int | None = None
    second: int | None = None

    @property
    def newer(self) -> Verdict | None:
        """The side that was stated later."""
        if self.first is None or self.second is None or self.first == self.second:
            return None
        return "first" if self.first > self.second else "second"


def weigh(conflict: Conflict, voices: Sequence[Voice], dates: Dates) -> Outcome:
    """The verdict of independent voices; `inconclusive` if no case stands out."""
    if not voices and dates.newer is None:
        return Outcome("inconclusive", OPEN, "No other source speaks to it.")
    cases = sorted(_cases(voices, dates), key=lambda case: -case.odds)
    best = cases[0]
    share = 1 / sum(case.odds / best.odds for case in cases)
    if share < CONCLUDES:
        return Outcome("inconclusive", OPEN, _undecided(voices))
    against = [voice for voice in voices if voice not in best.voices]
    return Outcome(best.verdict, round(min(MOST, share), 2), _reason(conflict, best, against, dates))


def _cases(voices: Sequence[Voice], dates: Dates) -> list[_Case]:
    first, second, both, others = (_of(voices, stand) for stand in ("first", "second", "apart", "neither"))
    party = {side: MATERIAL_ODDS * (MATERIAL_ODDS if dates.newer == side else 1.0) for side in ("first", "second")}
    cases = [
        _Case("first", first, party["first"] * _product(first)),
        _Case("second", second, party["second"] * _product(second)),
    ]
    if both:
        cases.append(_Case("both", both, _BOTH_HOLD * MATERIAL_ODDS**2 * _product(both)))
    return [*cases, *(_Case("neither", agreeing, _product(agreeing)) for agreeing in _by_value(others))]


def _of(voices: Sequence[Voice], stand: str) -> tuple[Voice, ...]:
    return tuple(voice for voice in voices if voice.said.stand == stand)


_MOST_ODDS = 1e100
"""So that any number of voices can be weighed."""


def _product(voices: Sequence[Voice]) -> float:
    return min(_MOST_ODDS, math.prod(voice.odds for voice in voices))


def _by_value(voices: Sequence[Voice]) -> list[tuple[Voice, ...]]:
    """Those who contradict both sides, by the value that they give instead."""
    groups: list[list[Voice]] = []
    for voice in voices:
        fitting = next((group for group in groups if group[0].said.agrees(voice.said)), None)
        if fitting is None:
            groups.append([voice])
        else:
            fitting.append(voice)
    return [tuple(group) for group in groups]


# -- in words --------------------------------------------------------------------------------------------------


def _reason(conflict: Conflict, case: _Case, against: Sequence[Voice], dates: Dates) -> str:
    if case.verdict in ("first", "second"):
        return _supported(conflict, case, against, dates)
    names, other = source_names(case.voices), _against(against)
    if case.verdict == "both":
        return f"{names} tells them apart: “{one_line(case.voices[0].evidence.passage)}”{other}."
    value = case.voices[0].said.value
    if not value:
        return f"{names} contradicts both{other}."
    passage = one_line(case.voices[0].evidence.passage)
    return f"{names} gives {value} instead of both: “{passage}”{other}."


def _supported(conflict: Conflict, case: _Case, against: Sequence[Voice], dates: Dates) -> str:
    holds, falls = conflict.claims if case.verdict == "first" else conflict.claims[::-1]
    text = one_line(holds.text)
    newer = _newer(dates) if dates.newer == case.verdict else ""
    if not case.voices:
        return f"{holds.source} is newer than {falls.source}: “{text}”; this changes with time, and {newer}."
    if all(voice.source.authority is Authority.COPY for voice in case.voices):
        return f"Of these copies of one text, {holds.source} has the likelier reading: “{text}”{_against(against)}."
    reason = f"{source_names(case.voices)} supports {holds.source}: “{text}”{_against(against)}."
    return f"{reason} This changes with time, and {newer}." if newer else reason


def _newer(dates: Dates) -> str:
    earlier, later = sorted(year_of(date) for date in (dates.first, dates.second) if date is not None)
    if earlier == later:
        return "the later statement outweighs the earlier one"
    return f"what is of {later} outweighs what is of {earlier}"


def _against(voices: Sequence[Voice]) -> str:
    return f"; against it: {source_names(voices)}" if voices else ""


def _undecided(voices: Sequence[Voice]) -> str:
    """Who stands where, where that settles nothing."""
    words = {"first": "for the first", "second": "for the second", "apart": "for both", "neither": "against both"}
    sides = [(_of(voices, stand), said) for stand, said in words.items()]
    stands = ", ".join(f"{source_names(side)} {said}" for side, said in sides if side)
    if sum(bool(side) for side, _said in sides) > 1 or len(_by_value(voices)) > 1:
        return f"The sources are divided: {stands}."
    return f"Too little speaks to it: {stands}."
