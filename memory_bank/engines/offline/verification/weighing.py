"""What independent voices add up to: one of the five verdicts, how surely, and why in words for a person.

Each side, and what contradicts or allows both, has the odds of the voices that speak for it multiplied together. The
two documents that disagree are a voice for their own side each; a reference among them is heard as what it is. The
confidence in a verdict is its share of all odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.engines.offline.verification.voices import MATERIAL_ODDS, Stand, Voice, source_names
from memory_bank.one_line import one_line

CONCLUDES = 0.6
"""Share of the odds from which a verdict is given."""
OPEN, MOST = 0.5, 0.95
_MOST_ODDS = 1e100
"""So that any number of voices can be weighed."""


@dataclass(frozen=True)
class Outcome:
    """A verdict, how surely it is right (0…1), and the reason."""

    verdict: Verdict
    confidence: float
    reason: str


def weigh(conflict: Conflict, voices: Sequence[Voice]) -> Outcome:
    """The verdict of independent voices; `inconclusive` if none stands out."""
    if not voices:
        return Outcome("inconclusive", OPEN, "No other source speaks to it.")
    odds = {stand: _odds(voices, stand) for stand in Stand}
    for party in (Stand.FIRST, Stand.SECOND):
        odds[party] *= 1 if _speaks_itself(conflict, party, voices) else MATERIAL_ODDS
    best = max(odds, key=lambda stand: odds[stand])
    share = 1 / sum(other / odds[best] for other in odds.values())
    if share < CONCLUDES or not any(voice.stand is best for voice in voices):
        return Outcome("inconclusive", OPEN, _undecided(voices))
    return Outcome(best.value, round(min(MOST, share), 2), _reason(conflict, best, voices))


def _speaks_itself(conflict: Conflict, stand: Stand, voices: Sequence[Voice]) -> bool:
    """Whether a side is a reference, and so is among the voices already."""
    own = {claim.source for claim in conflict.sides[0 if stand is Stand.FIRST else 1]}
    return any(voice.stand is stand and voice.said.source in own for voice in voices)


def _odds(voices: Sequence[Voice], stand: Stand) -> float:
    spoken = [voice.odds for voice in voices if voice.stand is stand]
    return min(_MOST_ODDS, math.prod(spoken))


_WORDS = {
    Stand.FIRST: "for the first",
    Stand.SECOND: "for the second",
    Stand.BOTH: "for both",
    Stand.NEITHER: "against both",
}


def _reason(conflict: Conflict, stand: Stand, voices: Sequence[Voice]) -> str:
    heard = [voice for voice in voices if voice.stand is stand]
    against = [voice for voice in voices if voice.stand is not stand]
    names, passage = source_names(heard), one_line(heard[0].said.statement.text)
    other = f"; against it: {source_names(against)}" if against else ""
    if stand is Stand.BOTH:
        return f"{names} bears out both: “{passage}”{other}."
    if stand is Stand.NEITHER:
        return f"{names} contradicts both: “{passage}”{other}."
    holds = conflict.claims[0 if stand is Stand.FIRST else 1]
    if heard[0].said.source == holds.source:
        return f"{names} was given to check against: “{passage}”{other}."
    return f"{names} supports {holds.source}: “{passage}”{other}."


def _undecided(voices: Sequence[Voice]) -> str:
    """Who stands where, where that settles nothing."""
    sides = [(said, [voice for voice in voices if voice.stand is stand]) for stand, said in _WORDS.items()]
    stands = ", ".join(f"{source_names(side)} {said}" for said, side in sides if side)
    divided = sum(bool(side) for _said, side in sides) > 1
    return f"{'The sources are divided' if divided else 'Too little speaks to it'}: {stands}."
