"""What a question asks for: an attribute of the table, a kind of value, and that value in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_bank.bank.spoken import Spoken
from memory_bank.engines.offline.claims.claims import ClaimText, claim_features
from memory_bank.engines.offline.language.attributes import ATTRIBUTES
from memory_bank.engines.offline.language.tokens import tokenise
from memory_bank.modules.tokens import tokenize
from memory_bank.values.dates import Precision
from memory_bank.values.values import Agreement, Value, ValueKind, agreement

_FIGURE = frozenset({ValueKind.NUMBER, ValueKind.QUANTITY})
_DATE = frozenset({ValueKind.DATE})
_NAME = frozenset({ValueKind.NAME})
_ASKED: tuple[tuple[re.Pattern[str], frozenset[ValueKind]], ...] = (
    (
        re.compile(
            r"\b(?:when|(?:what|which) (?:year|date|month|day|century))\b|何时|什么时候|哪一?年|哪天", re.IGNORECASE
        ),
        _DATE,
    ),
    (
        re.compile(
            r"\bhow (?:many|much|old|large|big|long|tall|high|far|deep|wide)\b|\bnumber of\b|多少|多[大长高远深宽]",
            re.IGNORECASE,
        ),
        _FIGURE,
    ),
    (re.compile(r"\b(?:who|whom|whose|where)\b|谁|哪里|何处", re.IGNORECASE), _NAME),
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b|谁", re.IGNORECASE)
_OF_ONESELF = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|me|my|mine|we|our)\b|[我俺咱]")
_COUNT = re.compile(r"\b(?:how many|number of)\s+(?P<noun>[^\W\d_]+)", re.IGNORECASE)
_NOUN_REACH = 40
"""Characters after a number within which the thing that it counts is looked for."""
_LENGTH = frozenset({"length"})


@dataclass(frozen=True)
class Measure:
    """A measure that is asked for: the words of which a sentence that gives it has one, and what it is measured in."""

    said: re.Pattern[str]
    units: frozenset[str]


_MEASURES: tuple[tuple[re.Pattern[str], Measure], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), Measure(re.compile(said, re.IGNORECASE), units))
    for asked, said, units in (
        (
            r"\bhow long\b|\blength\b|多长",
            r"\b(?:long|length|lengths|lasts|lasted|runs|stretches)\b|长",
            _LENGTH | {"duration"},
        ),
        (
            r"\bhow (?:tall|high)\b|\b(?:height|elevation|altitude)\b|多高",
            r"\b(?:tall|high|height|elevation|altitude|rises|stands)\b|高",
            _LENGTH,
        ),
        (r"\bhow deep\b|\bdepth\b|多深", r"\b(?:deep|depth)\b|深", _LENGTH),
        (r"\bhow wide\b|\bwidth\b|多宽", r"\b(?:wide|width|broad|breadth)\b|宽", _LENGTH),
    )
)
_SPORT = re.compile(r"\b(?:what|which) sports?\b", re.IGNORECASE)
_SPORTS = re.compile(
    r"\b(?:(?:american|association|australian rules|gaelic|canadian|arena) football|rugby(?: union| league| sevens)?"
    r"|(?:ice|field|roller|beach|table|water|figure|speed|short track speed|cross-country|alpine|road|track|artistic) "
    r"(?:hockey|soccer|volleyball|handball|tennis|polo|skating|skiing|cycling|bowling|gymnastics)"
    r"|(?:horse|motor|auto|car|motorcycle|drag|stock car|greyhound|yacht) racing|mixed martial arts|track and field"
    r"|football|soccer|basketball|baseball|softball|volleyball|handball|netball|tennis|badminton|squash|golf|cricket"
    r"|hockey|lacrosse|hurling|polo|athletics|gymnastics|swimming|diving|rowing|canoeing|sailing|surfing|cycling"
    r"|boxing|wrestling|judo|karate|taekwondo|fencing|archery|shooting|weightlifting|bodybuilding|skiing|skating"
    r"|snowboarding|bobsleigh|luge|biathlon|triathlon|decathlon|curling|bandy|floorball|darts|snooker|billiards|chess"
    r"|marathon|racing|running|equestrian(?:ism)?|motorsport|climbing|skateboarding|bowls|bowling)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """A fitting value: exactly `text[start:end]` of the sentence. `sure` when given as the attribute asked for.

    `value` is None for a word of a list, such as a sport, and for what a turn of a chat shows: who said it, and when.
    """

    text: str
    start: int
    end: int
    sure: bool
    value: Value | None = None

    def same_as(self, other: Found) -> bool:
        """Whether both give one value, in whatever form."""
        if self.text.casefold() == other.text.casefold():
            return True
        if self.value is None or other.value is None or self.value.kind is ValueKind.NAME:
            return False
        return agreement(self.value, other.value) is Agreement.SAME

    def finer_than(self, other: Found) -> bool:
        """Whether it gives the value of another one more precisely: a day of its year."""
        if self.value is None or other.value is None or not self.same_as(other):
            return False
        return (self.value.high - self.value.low) < (other.value.high - other.value.low)


@dataclass(frozen=True)
class Expected:
    """Attributes and kinds of value that a question asks for; any may be empty.

    `noun` is the stem of what is counted, `measure` what a sentence must say for a figure to be the one meant,
    `listed` the words of a list that answer. `subject` are stems of what the question is about: its words without
    those that ask. `person` says that it asks who.
    """

    attributes: frozenset[str]
    kinds: frozenset[ValueKind]
    noun: str = ""
    measure: Measure | None = None
    listed: re.Pattern[str] | None = None
    subject: frozenset[str] = frozenset()
    person: bool = False

    @classmethod
    def of(cls, question: str) -> Expected:
        """What a question asks for."""
        kinds = next((kinds for pattern, kinds in _ASKED if pattern.search(question)), frozenset[ValueKind]())
        tokens, values = tokenise(question)
        names = [value for value in values if value.kind is ValueKind.NAME]
        plain = [t for t in tokens if not any(name.start <= t.start < name.end for name in names)]  # not the High Dam
        words = {token.key for token in plain}
        rows = [row for row in ATTRIBUTES if row.triggers & words and (not kinds or row.kinds & kinds)]
        asking = frozenset(word for row in rows for word in row.triggers)
        count = _COUNT.search(question)
        stems = tokenize(count["noun"]) if count else []
        sport = _SPORT.search(question)
        return cls(
            attributes=frozenset(row.name for row in rows),
            kinds=frozenset() if sport else kinds or frozenset(kind for row in rows for kind in row.kinds),
            noun=stems[0] if stems else "",
            measure=next((measure for asked, measure in _MEASURES if asked.search(question)), None),
            listed=_SPORTS if sport else None,
            subject=frozenset(tokenize(_without_question_words(question))) - asking,
            person=_WHO.search(question) is not None,
        )

    @property
    def anything(self) -> bool:
        """Whether the question asks for a kind of value at all."""
        return bool(self.kinds or self.listed)

    @property
    def telling(self) -> bool:
        """Whether a value of the kind answers by itself: a name alone does not, any may stand in a sentence."""
        return self.anything and not self.kinds & _NAME

    def values_in(self, text: str, asked: set[str]) -> list[Found]:
        """The fitting values of a sentence, the surest first, without what the question (stems `asked`) says itself."""
        if self.listed:
            found = [Found(one[0], one.start(), one.end(), sure=True) for one in self.listed.finditer(text)]
            return [one for one in found if not set(tokenize(one.text)) <= asked]
        features = claim_features(ClaimText(text))
        fitting = [value for value in features.values if self._fits(value, text, asked)]
        if self.measure and fitting:
            said = [found.span() for found in self.measure.said.finditer(text)]
            return [_found(min(fitting, key=lambda value: _distance(value, said)), sure=True)]
        given = {fact.value.start for fact in features.facts if fact.attribute in self.attributes}
        life = bool(self.attributes & _LIFE)
        sure = [bool(self.noun) or value.start in given or (life and _life_span(value, text)) for value in fitting]
        found = [_found(value, sure=one) for value, one in zip(fitting, sure, strict=True)]
        return sorted(found, key=lambda one: not one.sure)

    def value_of_turn(self, turn: Spoken, text: str) -> Found | None:
        """What a turn of a chat answers by itself: who speaks of himself, where that is asked, or when it was said."""
        said = text[turn.said : turn.end]
        if self.person and _OF_ONESELF.search(said):
            return Found(turn.speaker, 0, 0, sure=False)
        return Found(str(turn.day), 0, 0, sure=False) if self.kinds == _DATE and turn.day else None

    def _fits(self, value: Value, text: str, asked: set[str]) -> bool:
        if value.kind not in self.kinds or set(tokenize(value.text)) <= asked:
            return False
        if self.measure and not (value.unit in self.measure.units and self.measure.said.search(text)):
            return False
        return not self.noun or self.noun in tokenize(text[value.end : value.end + _NOUN_REACH])


_LIFE = frozenset({"birth", "death"})


def _found(value: Value, *, sure: bool) -> Found:
    return Found(value.text, value.start, value.end, sure, value)


def _life_span(value: Value, text: str) -> bool:
    """Whether a range of years stands in brackets, as after a name: "Humphrey Parrish (1720–1793)"."""
    return value.precision is Precision.RANGE and text[: value.start].rstrip().endswith("(")


def _without_question_words(question: str) -> str:
    for pattern, _kinds in _ASKED:
        question = pattern.sub(" ", question)
    return question


def _distance(value: Value, words: list[tuple[int, int]]) -> int:
    """Characters between a value and the nearest of some words: of "3,830 m long and 111 m tall" each has its own."""
    return min(max(start - value.end, value.start - end) for start, end in words)
