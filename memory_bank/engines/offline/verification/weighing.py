"""Weigh independent voices into one of the five verdicts, with its confidence and a reason in words for a person.

The odds of each stance (first, second, neither, both) are the product of the odds of its voices. A document that speaks
for either side, as one that names two ways of measuring does, counts for neither. Each of the two documents that
disagree counts as one more document for its own side, unless it is a reference and already a voice. The confidence in a
verdict is its share of all odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.engines.offline.verification.evidence import MATERIAL_ODDS, Voice, source_names
from memory_bank.judgement.stances import Stance
from memory_bank.text.wording import Wording, mark_for_translation, one_line

CONCLUDES = 0.68
"""Share of the odds from which a verdict is given: a reference alone reaches it with a stance likelier than .38."""
OPEN, MOST = 0.5, 0.95
"""Confidence of an inconclusive verdict, and the highest confidence of any verdict."""
_MOST_ODDS = 1e100
"""Upper limit, so that the product of any number of voices stays finite."""


def weigh(conflict: Conflict, voices: Sequence[Voice]) -> Verification:
    """The verdict of independent voices, with all of them as evidence."""
    verdict, confidence, reason = _outcome(conflict, voices)
    evidence = tuple(voice.evidence for voice in voices)
    return Verification(
        conflict_id=conflict.id, verdict=verdict, reason=reason, confidence=confidence, evidence=evidence
    )


def _outcome(conflict: Conflict, voices: Sequence[Voice]) -> tuple[Verdict, float, str]:
    """The verdict, the probability that it is right, and why; `inconclusive` if no stance has enough odds."""
    if not voices:
        return "inconclusive", OPEN, Wording("No other source speaks to it.")
    counted = _undivided(voices)
    odds = {stance: min(_MOST_ODDS, math.prod(v.odds for v in counted if v.stance is stance)) for stance in Stance}
    for side, claims in zip((Stance.FIRST, Stance.SECOND), conflict.sides, strict=True):
        own = {claim.source for claim in claims}  # one that is a reference is among the voices already
        if not any(voice.stance is side and voice.said.source in own for voice in counted):
            odds[side] *= MATERIAL_ODDS
    best = max(odds, key=lambda stance: odds[stance])
    share = 1 / sum(other / odds[best] for other in odds.values())
    if share < CONCLUDES or not any(voice.stance is best for voice in counted):
        return "inconclusive", OPEN, _inconclusive_reason(voices)
    return best.value, round(min(MOST, share), 2), _reason(conflict, best, counted)


def _undivided(voices: Sequence[Voice]) -> list[Voice]:
    """The voices without those of documents that speak for the first side and for the second."""
    sides = (Stance.FIRST, Stance.SECOND)
    first, second = ({voice.said.document for voice in voices if voice.stance is side} for side in sides)
    divided = first & second
    return [voice for voice in voices if voice.stance not in sides or voice.said.document not in divided]


_STANCES = {
    Stance.FIRST: mark_for_translation("{sources} for the first"),
    Stance.SECOND: mark_for_translation("{sources} for the second"),
    Stance.BOTH: mark_for_translation("{sources} for both"),
    Stance.NEITHER: mark_for_translation("{sources} against both"),
}


def _reason(conflict: Conflict, stance: Stance, voices: Sequence[Voice]) -> Wording:
    supporting = [voice for voice in voices if voice.stance is stance]
    against = [voice for voice in voices if voice.stance is not stance]
    values = {
        "sources": source_names(supporting),
        "text": _quoted(supporting[0]),
        "opposition": Wording("; against it: {sources}", sources=source_names(against)) if against else "",
    }
    if stance is Stance.BOTH:
        return Wording("{sources} bears out both: “{text}”{opposition}.", **values)
    if stance is Stance.NEITHER:
        return Wording("{sources} contradicts both: “{text}”{opposition}.", **values)
    claim = conflict.claims[0 if stance is Stance.FIRST else 1]
    references = [voice for voice in supporting if voice.said.is_reference]
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
    """Which sources have which stance."""
    groups = [
        (template, [voice for voice in voices if voice.stance is stance]) for stance, template in _STANCES.items()
    ]
    stands = [Wording(template, sources=source_names(group)) for template, group in groups if group]
    if len(stands) == 1:
        return Wording("Too little speaks to it: {stands}.", stands=stands[0])
    return Wording(
        "The sources are divided: {stands}.",
        stands=reduce(lambda before, stand: Wording("{before}, {stand}", before=before, stand=stand), stands),
    )
