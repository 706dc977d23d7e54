"""The values of a sentence with the attributes they are values of (specification section 7).

A fact is an attribute with one value, the years it holds for, and what narrows it. Facts of differently worded
sentences compare when they are of one attribute ("erected in 1869", "was built in 1905").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from memory_bank.engines.offline.attributes import AMOUNT, Attribute, attributes_of
from memory_bank.engines.offline.dates import Precision, year_of
from memory_bank.engines.offline.subjects import VERBS, Subject, SubjectKind, find_subject
from memory_bank.engines.offline.tokens import NUMERAL, STOPWORDS, Token, stem
from memory_bank.engines.offline.values import Value, ValueKind

_RELATIVE = frozenset({"who", "which", "whose", "whom", "where"})
_COUNT_STRENGTH = 0.6
_REACH_BACK = 12
_REACH_AHEAD = 6
_PEOPLE = frozenset(stem(w) for w in "people inhabitants residents persons population".split())


@dataclass(frozen=True, slots=True)
class Fact:
    """An attribute of the sentence's subject with its value.

    `years` are the years an amount is given for, `qualifiers` the words that narrow a count or an amount
    ("contributing" of 291 contributing buildings, "housing" of housing density), `position` the token of the
    value, `trigger` that of the word. `subject` is that of a later clause ("…, and the dam was completed").
    """

    attribute: str
    value: Value
    strength: float
    position: int
    trigger: int
    years: frozenset[int] = frozenset()
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
        rows = attributes_of(tokens[index].key, value)
        if rows:
            return index, rows[0]
        if token.key in _RELATIVE:
            return None
    return None


def _trigger_after(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    """The nearest attribute word after a value: "In 1970 the dam was completed", "8,849 m high"."""
    for index in range(at + 1, min(len(tokens), at + 1 + _REACH_AHEAD)):
        token = tokens[index]
        if token.key in _RELATIVE or (token.value and token.value.kind is value.kind):
            return None
        rows = attributes_of(tokens[index].key, value)
        if rows:
            return index, rows[0]
    return None


def _opens_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether what follows a date may say what it is the date of: it opens its clause, or the text is Chinese."""
    chinese = at + 1 < len(tokens) and "\u3400" <= tokens[at + 1].text[0] <= "\u9fff"
    return at <= 2 or tokens[at].clause or tokens[at - 1].clause or chinese


def _found(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    before = _trigger_before(tokens, at, value)
    if before:
        return before
    if value.kind is ValueKind.DATE and not _opens_clause(tokens, at):
        return None
    return _trigger_after(tokens, at, value)


_EXACT = frozenset({Precision.DAY, Precision.MONTH, Precision.YEAR})


def _years(tokens: Sequence[Token], at: int) -> frozenset[int]:
    """The years that an amount is given for: named after it and before the next amount, else before it."""
    after = _years_among(tokens[at + 1 :])
    return after or _years_among(tokens[at - 1 :: -1] if at else ()) or _years_among(tokens)


def _years_among(tokens: Sequence[Token]) -> frozenset[int]:
    years: set[int] = set()
    for token in tokens:
        if token.value is None:
            continue
        if token.value.kind in AMOUNT:
            break
        if token.value.precision in _EXACT:
            years.add(year_of(int(token.value.low)))
    return frozenset(years)


def _counted(tokens: Sequence[Token], at: int) -> tuple[str, frozenset[str]] | None:
    """What a bare number counts: the last word of the noun phrase after it, and the words between."""
    phrase: list[str] = []
    for token in tokens[at + 1 : at + 4]:
        if token.value or not token.content or token.clause:
            break
        if phrase and token.text.endswith(("ing", "ed")):
            break  # "families residing in": the noun came before
        phrase.append(token.key)
    if not phrase or len(phrase[-1]) < 3:
        return None
    return phrase[-1], frozenset(phrase[:-1])


def _count_fact(tokens: Sequence[Token], at: int, value: Value, years: frozenset[int]) -> Fact | None:
    counted = _counted(tokens, at)
    if counted is None:
        return None
    noun, qualifiers = counted
    attribute = "population" if noun in _PEOPLE else f"count:{noun}"
    return Fact(attribute, value, _COUNT_STRENGTH, at, at + 1, years, qualifiers)


def _numeric_facts(tokens: Sequence[Token]) -> Iterator[Fact]:
    for at, token in enumerate(tokens):
        value = token.value
        if value is None or value.kind is ValueKind.ORDINAL:
            continue
        years = _years(tokens, at) if value.kind is not ValueKind.DATE else frozenset()
        if value.kind is ValueKind.NUMBER and (count := _count_fact(tokens, at, value, years)):
            yield count
            continue
        found = _found(tokens, at, value)
        if found:
            trigger, row = found
            yield Fact(row.name, value, row.strength, at, trigger, years, _narrowed(tokens, trigger, row))


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
        near = all(k in STOPWORDS or k in row.before_name or k == NUMERAL for k in between[1:])
        if cue and near and between[-1] in row.before_name | {"the"}:
            yield Fact(row.name, value, row.strength, at, trigger)


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
    thing = _object(tokens, fact.trigger)
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
    if tokens[trigger].text[-2:] not in _PAST or not trigger or tokens[trigger - 1].key in _PASSIVE:
        return None
    phrase = list(takewhile(lambda t: not (t.value or t.clause or t.key in _PREPOSITIONS), tokens[trigger + 1 :][:6]))
    if not phrase or not (phrase[0].key in _DETERMINERS or phrase[0].text[:1].isupper()):
        return None
    words = frozenset(t.key for t in phrase if t.content)
    kind = SubjectKind.DEFINITE if phrase[0].key in _DETERMINERS else SubjectKind.NAME
    return Subject(kind if words else SubjectKind.PRONOUN, words, trigger + 1, trigger + 1 + len(phrase))


_PAST = frozenset({"ed", "lt"})
_PASSIVE = frozenset({"was", "were", "is", "are", "been", "be", "and", "also", "first", "not", "later"})
_PREPOSITIONS = frozenset("in on at for by from with to as during after before until since near under of".split())
_DETERMINERS = frozenset({"it", "the", "this"})
_COORDINATING = frozenset({"and", "but", "while", "wherea"})


def find_facts(text: str, tokens: Sequence[Token], values: Sequence[Value]) -> tuple[Fact, ...]:
    """Every fact of a sentence that an attribute word, a counted noun or a life span in brackets gives."""
    facts = [*_life_dates(text, tokens)]
    used = {fact.position for fact in facts}
    facts += [f for f in _numeric_facts(tokens) if f.position not in used]
    facts += _name_facts(tokens, values)
    return tuple(_with_subject(fact, tokens) for fact in facts)
