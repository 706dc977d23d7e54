"""The values of a sentence with the attributes they are values of (specification section 7).

A fact is an attribute with one value, the years it holds for, and what narrows it. Facts of differently worded
sentences compare when they are of one attribute ("erected in 1869", "was built in 1905").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from memory_bank.engines.offline.language.attributes import AMOUNT, Attribute, attributes_of, is_repeatable, strength_of
from memory_bank.engines.offline.language.counts import counted
from memory_bank.engines.offline.language.subjects import VERBS, Subject, SubjectKind, find_subject
from memory_bank.engines.offline.language.tokens import NUMERAL, STOPWORDS, Token
from memory_bank.values.dates import Precision
from memory_bank.values.values import Value, ValueKind

_RELATIVE = frozenset({"who", "which", "whose", "whom", "where"})
_COUNT_STRENGTH = 0.6
_REACH_BACK = 12
_REACH_AHEAD = 6


@dataclass(frozen=True, slots=True)
class Fact:
    """An attribute of the sentence's subject with its value.

    `dates` are the dates an amount is given for, `qualifiers` the words that narrow a count, an amount or an event
    ("contributing" of 291 contributing buildings, "housing" of housing density, "Lund" of moved to Lund),
    `position` the token of the value, `trigger` that of the word. `subject` is that of a later clause ("…, and the
    dam was completed").
    """

    attribute: str
    value: Value
    strength: float
    position: int
    trigger: int
    dates: tuple[Value, ...] = ()
    qualifiers: frozenset[str] = frozenset()
    subject: Subject | None = None


def _trigger_before(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    """The nearest attribute word before a value, not across another value of the kind or a relative clause."""
    # "1,294, down from 1,418": two values of one attribute.
    compared = [t.key for t in tokens[max(0, at - 2) : at]] in (["down", "from"], ["up", "from"])
    for index in range(at - 1, max(-1, at - 1 - _REACH_BACK), -1):
        token = tokens[index]
        if token.value and token.value.kind is value.kind and not compared:
            return None
        rows = _rows(tokens, index, value)
        if rows:
            return None if _in_later_clause(tokens, index, at) else (index, rows[0])
        if token.key in _RELATIVE:
            return None
    return None


def _in_later_clause(tokens: Sequence[Token], trigger: int, at: int) -> bool:
    """Whether a value is told by a clause of its own: "Born in Leeds, Hale read law in 1866"."""
    if trigger or not tokens[trigger].text[:1].isupper():
        return False
    last = max((i for i in range(trigger + 1, at + 1) if tokens[i].clause), default=at)
    return any(t.content and t.text.islower() and t.value is None for t in tokens[last:at])


def _trigger_after(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    """The nearest attribute word after a value: "In 1970 the dam was completed", "8,849 m high"."""
    for index in range(at + 1, min(len(tokens), at + 1 + _REACH_AHEAD)):
        token = tokens[index]
        if token.key in _RELATIVE or (token.value and token.value.kind is value.kind):
            return None
        rows = _rows(tokens, index, value)
        if rows:
            return index, rows[0]
    return None


def _rows(tokens: Sequence[Token], index: int, value: Value) -> list[Attribute]:
    """The attributes that a word brings up, together with the next one if they do so as two ("came out")."""
    if tokens[index].text.lower() == "end" or _pair(tokens, index) == "due to":
        return []  # "at the end of 1945", "due to a storm"
    return attributes_of(_pair(tokens, index), value) or attributes_of(tokens[index].key, value)


def _pair(tokens: Sequence[Token], index: int) -> str:
    return " ".join(token.key for token in tokens[index : index + 2])


def _opens_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether what follows a date may say what it is the date of: it opens its clause, or the text is Chinese."""
    chinese = at + 1 < len(tokens) and "\u3400" <= tokens[at + 1].text[0] <= "\u9fff"
    return at <= 2 or tokens[at].clause or tokens[at - 1].clause or chinese


def _in_earlier_clause(tokens: Sequence[Token], trigger: int, at: int) -> bool:
    """Whether a Chinese word before a date belongs to the date before: "1964年动工，1971年建成"."""
    chinese = not tokens[trigger].text.isascii() and tokens[at].value is not None
    dated = chinese and tokens[at].key == NUMERAL and trigger > 0 and tokens[trigger - 1].value is not None
    return dated and any(token.clause for token in tokens[trigger + 1 : at + 1])


def _found(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    before = _trigger_before(tokens, at, value)
    if before and not _in_earlier_clause(tokens, before[0], at):
        return before
    if value.kind is ValueKind.DATE and not _opens_clause(tokens, at):
        return None
    return _trigger_after(tokens, at, value)


_DATED = frozenset({Precision.DAY, Precision.MONTH, Precision.YEAR, Precision.RANGE, Precision.MONTH_DAY})


def _dates(tokens: Sequence[Token], at: int) -> tuple[Value, ...]:
    """The dates that an amount is given for: named after it and before the next amount, else before it."""
    after = _dates_among(tokens[at + 1 :])
    return after or _dates_among(tokens[at - 1 :: -1] if at else ()) or _dates_among(tokens)


def _dates_among(tokens: Sequence[Token]) -> tuple[Value, ...]:
    dates: list[Value] = []
    for token in tokens:
        if token.value is None:
            continue
        if token.value.kind in AMOUNT:
            break
        if token.value.precision in _DATED:
            dates.append(token.value)
    return tuple(dates)


def _object_words(tokens: Sequence[Token], trigger: int, value: Value) -> frozenset[str]:
    """What an event is one of: "Lund" of "moved to Lund in 1994", "Rosa Klein" of "married Rosa Klein"."""
    first = trigger + 2 if attributes_of(_pair(tokens, trigger), value) else trigger + 1
    phrase = takewhile(lambda t: not (t.clause or t.value), tokens[first : first + _REACH_AHEAD])
    return frozenset(t.key for t in phrase if t.content)


def _numeric_facts(tokens: Sequence[Token]) -> Iterator[Fact]:
    for at, token in enumerate(tokens):
        value = token.value
        if value is None or value.kind is ValueKind.ORDINAL:
            continue
        dates = _dates(tokens, at) if value.kind is not ValueKind.DATE else ()
        if value.kind is ValueKind.NUMBER and not value.unit and (count := counted(tokens, at)):
            yield Fact(count[0], value, _COUNT_STRENGTH, at, at + 1, dates, count[1])
            continue
        found = _found(tokens, at, value)
        if found:
            trigger, row = found
            narrowed = _object_words(tokens, trigger, value) if row.repeatable else _narrowed(tokens, trigger, row)
            yield Fact(row.name, value, row.strength, at, trigger, dates, narrowed)


def _narrowed(tokens: Sequence[Token], trigger: int, row: Attribute) -> frozenset[str]:
    """The words that narrow an amount's attribute: "population" of population density, "land" of land area."""
    if not row.kinds & AMOUNT or tokens[trigger].key in VERBS:
        return frozenset()
    words: set[str] = set()
    for token in tokens[max(0, trigger - 2) : trigger]:
        words = set() if token.clause else words
        if token.content and token.value is None and token.text.islower():
            words.add(token.key)
    return frozenset(words)


def _name_facts(tokens: Sequence[Token], values: Sequence[Value]) -> Iterator[Fact]:
    starts = {token.start: index for index, token in enumerate(tokens)}
    for value in values:
        at = starts.get(value.start)
        if value.kind is not ValueKind.NAME or not at:
            continue
        found = _trigger_before(tokens, at, value)
        if found is None:
            continue
        trigger, row = found
        between = [t.key for t in tokens[trigger:at]]
        cue = next((k for k in reversed(between) if k in row.before_name), None)
        of_other = between[1:2] == ["of"] and between[-1] in row.before_name & {"is", "was"}
        near = of_other or all(k in STOPWORDS or k in row.before_name or k == NUMERAL for k in between[1:])
        if cue and near and between[-1] in row.before_name | {"the"}:
            yield Fact(
                row.name, value, row.strength, at, trigger, _dates(tokens, at) if row.repeatable or row.timed else ()
            )


def _agent_facts(tokens: Sequence[Token], values: Sequence[Value]) -> Iterator[Fact]:
    """Who did it, in the active voice: "Mary Stone designed the hall" says it was designed by her."""
    subject = find_subject(tokens)
    if subject.kind is not SubjectKind.NAME or not subject.verb < len(tokens):
        return
    opening = tokens[subject.start : subject.verb]
    agent = next((v for v in values if v.kind is ValueKind.NAME and v.start == opening[0].start), None)
    if agent is None or agent.end < opening[-1].end or _object(tokens, subject.verb) is None:
        return
    for row in attributes_of(tokens[subject.verb].key, agent):
        if "by" in row.before_name:
            dates = _dates(tokens, subject.verb) if row.repeatable else ()
            yield Fact(row.name, agent, row.strength, subject.start, subject.verb, dates)


def _life_dates(text: str, tokens: Sequence[Token]) -> Iterator[Fact]:
    """Birth and death of "Name (3 March 1849 – 7 May 1930)": two dates or a range of years in brackets."""
    for left, right in pairwise(enumerate(tokens)):
        (i, a), (j, b) = left, right
        if not (a.value and b.value and a.value.kind is b.value.kind is ValueKind.DATE):
            continue
        gap = text[a.end : b.start].strip()
        opening = text[: a.start].rstrip()[-1:] in ("(", ";", ",") and "(" in text[max(0, a.start - 60) : a.start]
        if gap in ("–", "—", "-", "−", "--") and opening:
            yield Fact("birth", a.value, 0.95, i, i)
            yield Fact("death", b.value, 0.95, j, j)


def _with_subject(fact: Fact, tokens: Sequence[Token]) -> Fact:
    """The fact with its own subject, where that is not the sentence's.

    It is the object of "Parrish built it in 1869", or the subject of a later clause after "and" or "but".
    """
    of_subject = is_repeatable(fact.attribute) and fact.value.kind is not ValueKind.NAME  # "joined the union in 1867"
    thing = None if of_subject else _object(tokens, fact.trigger)
    if thing is not None:
        return replace(fact, subject=thing)
    for index in range(fact.trigger - 1, 1, -1):
        if tokens[index].key in _COORDINATING and find_subject(tokens[:index]).kind is not SubjectKind.NONE:
            subject = find_subject(tokens[index + 1 : fact.trigger + 1])
            if subject.kind is not SubjectKind.NONE:
                return replace(fact, subject=subject)
    return fact


def _object(tokens: Sequence[Token], trigger: int) -> Subject | None:
    """What is built, founded or found in the active voice; None for the passive and for verbs without an object."""
    verb = tokens[trigger].text
    if not (verb[-2:] in _PAST or verb in _IRREGULAR) or not trigger or tokens[trigger - 1].key in _PASSIVE:
        return None
    following = tokens[trigger + 1 :][:6]
    if len(following) > 2 and following[0].key in _DETERMINERS and following[1].value and not following[2].clause:
        following = (following[0], *following[2:])  # "won the 1994 race"
    phrase = list(takewhile(lambda t: not (t.value or t.clause or t.key in _PREPOSITIONS), following))
    if not phrase or not (phrase[0].key in _DETERMINERS or phrase[0].text[:1].isupper()):
        return None
    words = frozenset(t.key for t in phrase if t.content)
    kind = SubjectKind.DEFINITE if phrase[0].key in _DETERMINERS else SubjectKind.NAME
    return Subject(kind if words else SubjectKind.PRONOUN, words, trigger + 1, trigger + 1 + len(phrase))


_PAST = frozenset({"ed", "lt"})
_IRREGULAR = frozenset({"won", "wrote"})
_PASSIVE = frozenset({"was", "were", "is", "are", "been", "be", "and", "also", "first", "not", "later"})
_PREPOSITIONS = frozenset("in on at for by from with to as during after before until since near under of".split())
_DETERMINERS = frozenset({"it", "the", "this"})
_COORDINATING = frozenset({"and", "but", "while", "wherea"})


def _reigns(tokens: Sequence[Token]) -> Iterator[Fact]:
    """Both ends of "reigned from 1210 to 1241"."""
    for at, token in enumerate(tokens):
        ends = tokens[at + 1 : at + 5]
        if token.key not in _REIGNED or len(ends) < _SPAN:
            continue
        start, end = ends[1].value, ends[3].value
        spans = ends[0].key == "from" and ends[2].key in ("to", "until")
        if spans and start and end and start.kind is end.kind is ValueKind.DATE:
            yield Fact("start of reign", start, strength_of("start of reign"), at + 2, at)
            yield Fact("end of reign", end, strength_of("end of reign"), at + 4, at)


_REIGNED = frozenset({"reign", "rule", "govern"})
_SPAN = 4


def find_facts(text: str, tokens: Sequence[Token], values: Sequence[Value]) -> tuple[Fact, ...]:
    """Every fact of a sentence that an attribute word, a counted noun or a life span in brackets gives."""
    facts = [*_life_dates(text, tokens), *_reigns(tokens)]
    used = {fact.position for fact in facts}
    facts += [f for f in _numeric_facts(tokens) if f.position not in used]
    facts += _name_facts(tokens, values)
    facts += _agent_facts(tokens, values)
    return tuple(_with_subject(fact, tokens) for fact in facts)
