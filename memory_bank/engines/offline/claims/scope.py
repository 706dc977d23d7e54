"""What a claim is limited to besides its subject: one of several holders, a place, now or once.

"The first bishop" and "the third bishop", "in Europe" and "worldwide", "today" and "in 1850" are told of different
things, so that their values do not contradict each other.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.periods import periods_apart
from memory_bank.engines.offline.language.opposites import exclusive
from memory_bank.engines.offline.language.sorts import chinese_sort
from memory_bank.engines.offline.language.subjects import SubjectKind
from memory_bank.engines.offline.language.tokens import ORDINAL, stem
from memory_bank.values.names import name_words, same_name
from memory_bank.values.values import Value, ValueKind


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(w) for w in words.split())


_LIMITING = _stems("former previous next future deputy vice assistant acting honorary original another other")
_NAMED = frozenset({SubjectKind.NAME, SubjectKind.DEFINITE, SubjectKind.POSSESSIVE})
_WITHIN = _stems("in across throughout within outside")
_WORLDWIDE = _stems("worldwide globally global nationwide internationally")
_NOW = _stems("today now currently nowadays")
_PORTIONS = _stems("quarter half season round leg set")
_PLANNED = _stems("scheduled planned due expected supposed")
_ONCE = _stems("once formerly originally initially previously")


def subjects_apart(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims speak of different holders of a role or things of a row: "Highway 12", "Highway 21"."""
    if _of_two_names(a.text, b.text):
        return True
    if not {a.subject.kind, b.subject.kind} <= _NAMED:
        return False
    left, right = _numbers(a), _numbers(b)
    if (left and right and left != right) or _limits(a) != _limits(b):
        return True
    first, second = ({t.key for t in c.tokens[: c.subject.verb] if t.content} for c in (a, b))
    return any(exclusive(x, y) for x in first - second for y in second - first)


def _of_two_names(a: str, b: str) -> bool:
    """Whether two Chinese sentences open with names of one kind of thing, or of two: "苏州博物馆", "杭州博物馆"."""
    sorts = {chinese_sort(found["name"]) if (found := _CHINESE_SUBJECT.match(text)) else "" for text in (a, b)}
    if len(sorts) > 1 and "" not in sorts:
        return True
    first, second = _CHINESE_OPENING.match(a), _CHINESE_OPENING.match(b)
    if first is None or second is None:
        return False
    endings = zip(reversed(first["name"]), reversed(second["name"]), strict=False)
    kind = sum(1 for _ in takewhile(lambda ends: ends[0] == ends[1], endings))
    own = (found["name"][: len(found["name"]) - kind] for found in (first, second))
    return kind >= _KIND and all(name and name not in _THIS for name in own)


_CHINESE_OPENING = re.compile(r"\s*(?P<name>[\u4e00-\u9fff]{3,12}?)(?=[于在是有共位始成建长高，,]|\d)")
_CHINESE_SUBJECT = re.compile(r"\s*(?P<name>[\u4e00-\u9fff]{2,12}?)(?=[于在是有共位始由全总为约，,]|\d)")
_KIND = 2
_THIS = frozenset({"该", "这", "这座", "此", "本", "那", "那座"})


def _numbers(claim: ClaimFeatures) -> frozenset[str]:
    return frozenset(word for word in claim.subject.words if word.isdigit() or word.isupper())


def _limits(claim: ClaimFeatures) -> frozenset[str]:
    """The words by which a subject is one of several; an ordinal right before the verb says how often instead."""
    phrase = claim.tokens[claim.subject.start : max(claim.subject.start + 1, claim.subject.verb - 1)]
    ordinals = {f"{t.value.low:g}" for t in phrase if t.value and t.key == ORDINAL and not t.text[0].isupper()}
    return frozenset(ordinals | {t.key for t in phrase if t.key in _LIMITING and (t.text.islower() or t is phrase[0])})


def dates_of(claim: ClaimFeatures, but: int = -1) -> list[Value]:
    """The dates that a claim names to say when, not as the value of something it tells, nor the one at `but`."""
    told = {fact.value.start for fact in claim.facts}
    dates = [t.value for t in claim.tokens if t.value and t.value.kind is ValueKind.DATE]
    return [d for d in dates if d.start != but and d.start not in told]


def weekdays_apart(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims tell of different days of the week: "on Mondays at 9 am", "on Sundays at 10 am"."""
    left, right = (a.words & _WEEKDAYS, b.words & _WEEKDAYS)
    return bool(left and right) and not left & right


_WEEKDAYS = _stems("monday tuesday wednesday thursday friday saturday sunday weekday weekend holiday")


def times_apart(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims hold at different times.

    Of other dates, a date and "today", once and not any more, as planned and as it is, the future and the past, other
    quarters of a year.
    """
    left, right = dates_of(a), dates_of(b)
    keys = [{t.key for t in claim.tokens} for claim in (a, b)]
    if futures_apart(a, b) or _portions(a) != _portions(b):
        return True
    if periods_apart(left, right):
        return True
    if any(keys[0].isdisjoint(words) != keys[1].isdisjoint(words) for words in (_ONCE, _PLANNED)):
        return True
    return bool((left and not right and keys[1] & _NOW) or (right and not left and keys[0] & _NOW))


def futures_apart(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether one claim tells what will be and the other what has been."""
    return any(t.key == "will" for t in a.tokens) != any(t.key == "will" for t in b.tokens)


def _portions(claim: ClaimFeatures) -> set[str]:
    """The parts of a year, a game or a series that a claim is told for: "the first quarter"."""
    return {
        f"{token.value.low:g} {after.key}"
        for token, after in pairwise(claim.tokens)
        if token.value and token.key == ORDINAL and after.key in _PORTIONS
    }


def places_apart(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims give their figures for different places: "in Canada", "worldwide"."""
    left, right = _places(a, b), _places(b, a)
    if not left or not right:
        return False
    return not any(x == y or same_name(x, y) is not False for x in left for y in right)


def _places(claim: ClaimFeatures, other: ClaimFeatures) -> set[str]:
    """The places a claim is told for after its verb, those left out that the other one names too."""
    found = {t.text for t in claim.tokens if t.key in _WORLDWIDE}
    before = {after.start: t.key for t, after in pairwise(claim.tokens)}
    known = other.words | other.topic | claim.subject.words | claim.topic
    for value in claim.values:
        inside = value.kind is ValueKind.NAME and before.get(value.start) in _WITHIN
        if inside and not {stem(word) for word in name_words(value.text)} <= known:
            found.add(value.text)
    return found
