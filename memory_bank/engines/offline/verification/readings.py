"""Which of two copies of one text was changed: what else bears out the reading of the one or of the other.

Copies differ in a value alone, so that every place where one of the two values stands tells something: another
document, another sentence of the two, another copy. Without any, the exact value is likelier the original: what is
made up or filled in is round, the first of January, or counts up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory_bank.bank.conflict import Conflict, Evidence, Side
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.claims.identity import Kinship
from memory_bank.engines.offline.contradiction.comparison import contradictions
from memory_bank.engines.offline.verification.case import Case
from memory_bank.engines.offline.verification.point import Point, Said, gives, is_exact
from memory_bank.engines.offline.verification.voices import Authority, Source, Voice
from memory_bank.modules.copies import copied
from memory_bank.modules.sentences import sentences
from memory_bank.values.values import ValueKind

_SIDES: tuple[Side, Side] = ("first", "second")


def from_readings(case: Case, known: Iterable[Conflict]) -> list[Voice]:
    """What bears out one of the two readings, of claims that copies of one text differ in.

    `known` are all conflicts: where the same two copies differ in more, what bears out one of them there counts too.
    """
    if not case.copies:
        return []
    return [*_own(case), *_elsewhere(case, known)]


def _own(case: Case) -> list[Voice]:
    point = case.point
    if point.spans is None:
        first, second = point.features
        found = next(iter(contradictions(first, second, near_copy=True, kin=Kinship.SURE)), None)
        if found is None or found.difference is None:
            return []
        point = replace(point, spans=(found.difference.first, found.difference.second))
    case = replace(case, point=point)
    return [*_others(case), *_against_themselves(case), *_exact(case)]


def _elsewhere(case: Case, known: Iterable[Conflict]) -> Iterator[Voice]:
    """The copy that is borne out where the two differ in something else: whoever changes one word changes more."""
    sources = [claim.source for claim in case.conflict.claims]
    for other in known:
        theirs = [claim.source for claim in other.claims]
        if other.id == case.conflict.id or sorted(theirs) != sorted(sources):
            continue
        parties = case.parties if theirs == sources else case.parties[::-1]
        beside = replace(case, conflict=other, parties=parties, point=Point.of(other, case.point.claims[0].topic))
        stands = {voice.said.stand for voice in _own(beside)}
        if len(stands) == 1:
            held = other.claims[0 if "first" in stands else 1]
            side = sources.index(held.source)
            yield _as_copy(case.parties[side], side, held)


def _others(case: Case) -> Iterator[Voice]:
    """Other documents in which one of the two values stands, and other copies that have the one reading."""
    for source, claims in case.others.values():
        copy = any(copied(source.text, party.text) for party in case.parties)
        side = _only_side(case, source.text)
        if side is None or not (copy or _bears_out(case, side, source)):
            continue
        passage = next((text for text in _sentences(source) if gives(text, _value(case, side))), "")
        if passage:
            heard = Source(source.id, source.name, Authority.COPY, source.text) if copy else source
            place = claims[0]
            yield _voice(heard, side, passage, place.page, place.entry_id)


def _against_themselves(case: Case) -> Iterator[Voice]:
    """Where one of the two copies has the other one's value in another sentence, as before it was changed."""
    for side, party, claim in zip((1, 0), case.parties, case.conflict.claims, strict=True):
        own, other = _value(case, 1 - side), _value(case, side)
        if any(character.isdigit() for character in other) and not _telling(case, side):
            continue
        for text in _sentences(party):
            if gives(text, other) and (text == claim.text or not gives(text, own)):
                yield _voice(party, side, text, claim.page, claim.entry_id)
                break


def _exact(case: Case) -> Iterator[Voice]:
    """The side that gives an exact value where the other one's looks filled in."""
    made_up = [_looks_filled_in(_value(case, side)) for side in (0, 1)]
    if made_up[0] is not made_up[1]:
        side = int(made_up[0])
        yield _as_copy(case.parties[side], side, case.conflict.claims[side])


def _as_copy(party: Source, side: int, claim: Claim) -> Voice:
    heard = Source(party.id, party.name, Authority.COPY, party.text)
    return _voice(heard, side, claim.text, claim.page, claim.entry_id)


def _voice(source: Source, side: int, passage: str, page: int | None, entry_id: str) -> Voice:
    evidence = Evidence(source=source.name, passage=passage, supports=_SIDES[side], page=page, entry_id=entry_id)
    return Voice(source, Said(_SIDES[side]), evidence)


def _value(case: Case, side: int) -> str:
    return case.point.spans[side].text if case.point.spans else ""


def _only_side(case: Case, text: str) -> int | None:
    """The side whose value a text has, if it has only one."""
    first, second = (gives(text, _value(case, side)) for side in (0, 1))
    return None if first is second else int(second)


def _telling(case: Case, side: int) -> bool:
    """Whether a value is one that does not come about twice: a name, a date, a figure of several digits."""
    values = case.point.values
    if values is None:
        return False
    return values[side].kind in (ValueKind.NAME, ValueKind.DATE) or is_exact(values[side])


def _bears_out(case: Case, side: int, source: Source) -> bool:
    """Whether a value in another document can be the one in dispute: a name, or what is told of the same thing."""
    values = case.point.values
    named = values is not None and values[side].kind is ValueKind.NAME
    return named or (_telling(case, side) and case.may_mean_the_same(source))


def _sentences(source: Source) -> list[str]:
    return [source.text[span.start : span.end] for span in sentences(source.text)]


_FILLED_IN = re.compile(
    r"\bJanuary 1(?:st)?\b(?!\d)|\b1(?:st)? January\b|-01-01\b|^\D*\d?\d00$|^\D*\d[\d,]*000\D*$|^\D*1,?2,?3,?4,?5?\D*$"
)


def _looks_filled_in(value: str) -> bool:
    """Whether a value looks like one that somebody put in for another: "January 1, 1900", "5,000", "12,345"."""
    return bool(_FILLED_IN.search(value))
