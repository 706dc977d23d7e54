"""What a question asks for: an attribute of the table, a kind of value, and that value in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_bank.engines.offline.attributes import ATTRIBUTES
from memory_bank.engines.offline.claims import ClaimText, claim_features
from memory_bank.engines.offline.tokens import tokenise
from memory_bank.engines.offline.values import Value, ValueKind
from memory_bank.modules.tokens import tokenize

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
_COUNT = re.compile(r"\b(?:how many|number of)\s+(?P<noun>[^\W\d_]+)", re.IGNORECASE)
_NOUN_REACH = 40
"""Characters after a number within which the thing that it counts is looked for."""
_MEASURES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(said, re.IGNORECASE))
    for asked, said in (
        (r"\bhow long\b|\blength\b|多长", r"\b(?:long|length|lengths)\b|长"),
        (
            r"\bhow (?:tall|high)\b|\b(?:height|elevation|altitude)\b|多高",
            r"\b(?:tall|high|height|elevation|altitude|rises|stands)\b|高",
        ),
        (r"\bhow deep\b|\bdepth\b|多深", r"\b(?:deep|depth)\b|深"),
        (r"\bhow wide\b|\bwidth\b|多宽", r"\b(?:wide|width|broad|breadth)\b|宽"),
    )
)
"""A measure that is asked for, and the words of which a sentence that gives it has one."""
_MEASURED_IN = frozenset({"length", "duration"})


@dataclass(frozen=True)
class Found:
    """A fitting value. `sure` when the sentence gives it as the attribute that is asked for."""

    text: str
    sure: bool


@dataclass(frozen=True)
class Expected:
    """Attributes and kinds of value that a question asks for; any may be empty.

    `noun` is the stem of what is counted, `measure` what a sentence must say for a length to be the one meant.
    `subject` are stems of what the question is about: its words without those that ask.
    """

    attributes: frozenset[str]
    kinds: frozenset[ValueKind]
    noun: str = ""
    measure: re.Pattern[str] | None = None
    subject: frozenset[str] = frozenset()

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
        return cls(
            attributes=frozenset(row.name for row in rows),
            kinds=kinds or frozenset(kind for row in rows for kind in row.kinds),
            noun=stems[0] if stems else "",
            measure=next((said for asked, said in _MEASURES if asked.search(question)), None),
            subject=frozenset(tokenize(_without_question_words(question))) - asking,
        )

    @property
    def anything(self) -> bool:
        """Whether the question asks for a kind of value at all."""
        return bool(self.kinds)

    def value_in(self, text: str, asked: set[str]) -> Found | None:
        """The best fitting value of a sentence that the question (its stems are `asked`) does not name itself."""
        features = claim_features(ClaimText(text))
        fitting = [value for value in features.values if self._fits(value, text, asked)]
        if self.measure and fitting:
            said = [found.span() for found in self.measure.finditer(text)]
            return Found(min(fitting, key=lambda value: _distance(value, said)).text, sure=True)
        for fact in features.facts:
            if fact.attribute in self.attributes and self._fits(fact.value, text, asked):
                return Found(fact.value.text, sure=True)
        return Found(fitting[0].text, sure=bool(self.noun)) if fitting else None

    def _fits(self, value: Value, text: str, asked: set[str]) -> bool:
        if value.kind not in self.kinds or set(tokenize(value.text)) <= asked:
            return False
        if self.measure and not (value.unit in _MEASURED_IN and self.measure.search(text)):
            return False
        return not self.noun or self.noun in tokenize(text[value.end : value.end + _NOUN_REACH])


def _without_question_words(question: str) -> str:
    for pattern, _kinds in _ASKED:
        question = pattern.sub(" ", question)
    return question


def _distance(value: Value, words: list[tuple[int, int]]) -> int:
    """Characters between a value and the nearest of some words: of "3,830 m long and 111 m tall" each has its own."""
    return min(max(start - value.end, value.start - end) for start, end in words)
