"""Weigh independent voices into one of the five verdicts, with its confidence and a reason in words for a person.

The odds of each stand (first, second, neither, both) are the product of the odds of its voices. Each of the two
documents that disagree counts as one more document for its own side, unless it is a reference and already a voice. The
confidence in a verdict is its share of all odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.engines.offline.verification.evidence import MATERIAL_ODDS, Authority, Stance, Voice, source_names
from memory_bank.text.one_line import one_line
from memory_bank.text.wording import Wording, mark_for_translation

CONCLUDES = 0.6
"""Share of the odds from which a verdict is given."""
OPEN, MOST = 0.5, 0.95
"""Confidence of an inconclusive verdict, and the highest confidence of any verdict."""
_MOST_ODDS = 1e100
"""Upper limit, so that the product of any number of voices stays finite."""


@dataclass(frozen=True)
class Outcome:
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
        "sources": source_names(supporting),
        "text": _quoted(supporting[0]),
        "opposition": Wording("; against it: {sources}", sources=source_names(against)) if against else "",
    }
    if stand is Stance.BOTH:
        return Wording("{sources} bears out both: “{text}”{opposition}.", **values)
    if stand is Stance.NEITHER:
        return Wording("{sources} contradicts both: “{text}”{opposition}.", **values)
    claim = conflict.claims[0 if stand is Stance.FIRST else 1]
    references = [voice for voice in supporting if voice.said.authority is Authority.REFERENCE]
    if any(voice.said.source == claim.source for voice in references):
        others = [voice for voice in supporting if voice not in references]
        values |= {"sources": source_names(references), "text": _quoted(references[0])}
        if others:  # material that says the same was not given to check against
            also = {"sources": source_names(others), "opposition": values["opposition"]}
            values["opposition"] = Wording("; for it also: {sources}{opposition}", **also)
        return Wording("{sources} was given to check against: “{text}”{opposition}.", **values)
    return Wording("{sources} supports {source}: “{text}”{opposition}.", source=claim.source, **values)


def _quoted(voice: Voice) -> str:
    """What a voice says, without its full stop: the reason ends with its own."""
    return one_line(voice.said.statement.text).rstrip(".。")


def _inconclusive_reason(voices: Sequence[Voice]) -> Wording:
    """Which sources have which stand."""
    groups = [(template, [voice for voice in voices if voice.stand is stand]) for stand, template in _STANDS.items()]
    stands = [Wording(template, sources=source_names(group)) for template, group in groups if group]
    if len(stands) == 1:
        return Wording("Too little speaks to it: {stands}.", stands=stands[0])
    return Wording(
        "The sources are divided: {stands}.",
        stands=reduce(lambda before, stand: Wording("{before}, {stand}", before=before, stand=stand), stands),
    )
