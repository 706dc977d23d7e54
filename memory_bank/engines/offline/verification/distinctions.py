"""Whether two claims hold together after all, and what keeps them apart: the verdict `both` with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_bank.engines.offline.claims.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.claims.facts import Fact
from memory_bank.engines.offline.claims.identity import additions_clash
from memory_bank.engines.offline.language.attributes import AMOUNT, is_trigger
from memory_bank.engines.offline.language.tokens import stem
from memory_bank.engines.offline.verification.point import Point
from memory_bank.one_line import one_line
from memory_bank.values.values import Agreement, Value, ValueKind, agreement, plain

SURE, LIKELY = 0.9, 0.7
"""How surely both hold: where the values themselves fit, and where the words around them keep them apart."""

_SCOPES = frozenset(
    stem(word)
    for word in "total land water urban rural metropolitan metro city town municipality county district region proper "
    "net gross maximum minimum average mean median domestic worldwide international including excluding with without "
    "indoor outdoor summer winter men women male female upper lower inner outer old new original present former "
    "first second third east west north south eastern western northern southern official unofficial estimate "
    "estimated nominal real roof antenna mast spire hull deck".split()
)
"""Words that say of which part, scope or definition a figure is."""


@dataclass(frozen=True)
class Distinction:
    """Why both claims hold, in words for a person, and how surely (0…1)."""

    words: str
    confidence: float


def distinction(point: Point) -> Distinction | None:
    """What the claims' own words keep apart: roundings, units, periods, attributes, scopes, names; None if nothing."""
    first, second = point.features
    values = point.values
    found = None
    if values is not None:
        found = one_value(point) or _names_both(first, values[1]) or _names_both(second, values[0])
        found = found or _apart(point, values)
    return found or two_things(_named(first), _named(second))


def two_things(first: str, second: str) -> Distinction | None:
    """Two names of one wording with additions in brackets that exclude each other: "(film)" and "(album)"."""
    if not first or not second or not additions_clash(first, second):
        return None
    return Distinction(f"They are about two things of one name: {plain(first)} and {plain(second)}.", LIKELY)


def heading(text: str) -> str:
    """The title with an addition in brackets that a text begins with, run into its first sentence; "" without one.

    The name comes again behind it: "Beacon Mill (Benenden) Beacon Mill is a smock mill".
    """
    found = _HEADING.match(text)
    if found is None:
        return ""
    names, again = (plain(part).casefold().split() for part in (found["name"], text[found.end() :][:_AGAIN]))
    return found[0] if names[-1] in again else ""


_HEADING = re.compile(r"\s*(?P<name>[^\n().]{2,80}?)\s*\((?P<addition>[^()\n]{2,60})\)")
_AGAIN = 80


def _named(claim: ClaimFeatures) -> str:
    """The subject as the claim names it, with what stands in brackets unless that is a date."""
    opening = claim.tokens[claim.subject.start : claim.subject.verb]
    name = claim.text[opening[0].start : claim.tokens[claim.subject.verb].start] if opening else ""
    name, bracket, _rest = name.partition(")")
    return "" if any(character.isdigit() for character in name) else name + bracket


def one_value(point: Point) -> Distinction | None:
    """One value twice: in two units, or one of them rounded; None if the values are not the same."""
    if point.values is None:
        return None
    first, second = point.values
    verdict = agreement(first, second)
    if verdict is Agreement.DIFFERENT or first.kind is not second.kind or first.unit != second.unit:
        return None
    texts = plain(first.text), plain(second.text)
    if verdict is Agreement.SAME and _unit(first) != _unit(second):
        return Distinction(f"{texts[0]} and {texts[1]} are the same.", SURE)
    if _looseness(first) == _looseness(second) or not _within_rounding(first, second):
        return None
    exact, loose = texts if _looseness(first) < _looseness(second) else texts[::-1]
    return Distinction(f"{loose} is {exact} said less closely.", SURE)


def _unit(value: Value) -> str:
    """The unit as it is written."""
    return re.sub(r"[\d\s.,]", "", value.text).lower()


def _names_both(claim: ClaimFeatures, other: Value) -> Distinction | None:
    """A claim that has the other one's value too, of something else: "built in 1772 and rebuilt in 1869"."""
    if claim.negated or other.kind is ValueKind.NAME:
        return None
    if not any(value.kind is other.kind and agreement(value, other) is Agreement.SAME for value in claim.values):
        return None
    return Distinction(f"One of them has both values: “{one_line(claim.text)}”.", LIKELY)


def of_two_things(first: ClaimText, second: ClaimText) -> bool:
    """Whether two statements of one document have subjects that the other does not name: two bridges of one town."""
    left, right = claim_features(first), claim_features(second)
    return not left.subject.words <= right.words and not right.subject.words <= left.words


def _looseness(value: Value) -> tuple[bool, float]:
    """How loosely a value is given: "about" first, then how far it reaches."""
    return value.approximate, max(value.high - value.low, value.loose_high - value.loose_low)


def _within_rounding(first: Value, second: Value) -> bool:
    exact, loose = (first, second) if _looseness(first) < _looseness(second) else (second, first)
    low, high = min(loose.low, loose.loose_low), max(loose.high, loose.loose_high)
    return low <= exact.high and exact.low <= high


def _apart(point: Point, values: tuple[Value, Value]) -> Distinction | None:
    """What each value is given for, where that differs."""
    first, second = point.features
    facts = _of_value(first.facts, values[0]), _of_value(second.facts, values[1])
    periods = _dates(first), _dates(second)
    if _of_a_time(point, values[0]) and _exclude_each_other(*periods):
        one, other = (_listed(plain(date.text) for date in dates) for dates in periods)
        return Distinction(f"The one is for {one}, the other for {other}.", LIKELY)
    attributes = tuple({fact.attribute for fact in side} for side in facts)
    if _exclude(*attributes) and not any(name.startswith("count:") for side in attributes for name in side):
        return Distinction(f"The one is the {_listed(attributes[0])}, the other the {_listed(attributes[1])}.", LIKELY)
    scopes = tuple(
        _scope(claim, value, side) for claim, value, side in zip((first, second), values, facts, strict=True)
    )
    own = scopes[0] - _words(second), scopes[1] - _words(first)
    if all(own):
        return Distinction(f"The one says {_quoted(own[0])}, the other {_quoted(own[1])}.", LIKELY)
    return None


def _of_value(facts: Iterable[Fact], value: Value) -> list[Fact]:
    return [fact for fact in facts if fact.value.start == value.start]


def _dates(claim: ClaimFeatures) -> list[Value]:
    """The dates that a claim names and that are not what it says of something else, as "opened in 1971"."""
    told = {fact.value.start for fact in claim.facts}
    return [value for value in claim.values if value.kind is ValueKind.DATE and value.start not in told]


def _of_a_time(point: Point, value: Value) -> bool:
    """Whether a value can be one thing now and another later: most amounts, or what changes with time."""
    if value.kind in AMOUNT:
        return point.attribute not in _LASTING
    return value.kind is not ValueKind.DATE and point.changes_with_time


_LASTING = frozenset({"height", "length", "width", "depth", "running time", "temperature"})


def _exclude_each_other(first: list[Value], second: list[Value]) -> bool:
    """Whether every date of one claim is another time than every date of the other."""
    verdicts = [agreement(one, other) for one in first for other in second]
    return bool(verdicts) and all(verdict is Agreement.DIFFERENT for verdict in verdicts)


def _exclude(first: set[str], second: set[str]) -> bool:
    return bool(first) and bool(second) and not first & second


def _scope(claim: ClaimFeatures, value: Value, facts: Iterable[Fact]) -> set[str]:
    """The words close to a figure by which a claim narrows it, as it writes them."""
    narrowing = _SCOPES | {word for fact in facts for word in fact.qualifiers if not is_trigger(word)}
    place = next((at for at, token in enumerate(claim.tokens) if token.start == value.start), None)
    if value.kind is ValueKind.NAME or place is None:
        return set()
    near = claim.tokens[max(0, place - _NEAR) : place + 1 + _NEAR]
    return {token.text for token in near if token.key in narrowing and token.text.islower()}


def _words(claim: ClaimFeatures) -> set[str]:
    return {token.text.lower() for token in claim.tokens}


_NEAR = 5


def _listed(things: Iterable[str]) -> str:
    return " and ".join(sorted(things))


def _quoted(things: Iterable[str]) -> str:
    return " and ".join(f"“{thing}”" for thing in sorted(things))
