"""What kind of value a question asks for, and that value in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_bank.engines.offline.values import Value, ValueKind, extract_values
from memory_bank.modules.tokens import tokenize

_DATE = re.compile(
    r"\b(?:when|(?:what|which) (?:year|date|month|day|century))\b|何时|什么时候|哪一?年|哪天", re.IGNORECASE
)
_MEASURES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(said, re.IGNORECASE))
    for asked, said in (
        (r"\bhow long\b|多长", r"\b(?:long|length|lengths)\b|长"),
        (r"\bhow (?:tall|high)\b|多高", r"\b(?:tall|high|height|elevation|altitude|rises|stands)\b|高"),
        (r"\bhow deep\b|多深", r"\b(?:deep|depth)\b|深"),
        (r"\bhow wide\b|多宽", r"\b(?:wide|width|broad|breadth)\b|宽"),
    )
)
"""A measure that is asked for, and the words of which a sentence that gives it has one."""
_COUNT = re.compile(r"\bhow many\s+(?P<noun>[^\W\d_]+)|\bnumber of\s+(?P<of>[^\W\d_]+)", re.IGNORECASE)
_NUMBER = re.compile(r"\bhow (?:much|old|large|big)\b|\bpopulation\b|多少|人口|多大", re.IGNORECASE)
_NAME = re.compile(r"\b(?:who|whom|whose|where)\b|谁|哪里|何处", re.IGNORECASE)
_MEASURED_IN = frozenset({"length", "duration"})
_NOUN_REACH = 40
"""Characters after a number within which the thing that it counts is looked for."""


_FIGURE = frozenset({ValueKind.NUMBER, ValueKind.QUANTITY})


@dataclass(frozen=True)
class Expected:
    """Kinds of value; for a measure the words that go with it, for a count the stem of what is counted."""

    kinds: frozenset[ValueKind]
    measure: re.Pattern[str] | None = None
    noun: str = ""

    @classmethod
    def of(cls, question: str) -> Expected | None:
        """What a question asks for, or None when it names no kind."""
        count = _COUNT.search(question)
        if count:
            stems = tokenize(count["noun"] or count["of"])
            return cls(_FIGURE, noun=stems[0] if stems else "")
        if _DATE.search(question):
            return cls(frozenset({ValueKind.DATE}))
        for asked, said in _MEASURES:
            if asked.search(question):
                return cls(_FIGURE, measure=said)
        if _NUMBER.search(question):
            return cls(_FIGURE)
        return cls(frozenset({ValueKind.NAME})) if _NAME.search(question) else None

    def value_in(self, text: str, asked: set[str]) -> str | None:
        """The first fitting value of a sentence that the question (its stems are `asked`) does not name itself."""
        return next((value.text for value in extract_values(text) if self._fits(value, text, asked)), None)

    def _fits(self, value: Value, text: str, asked: set[str]) -> bool:
        if value.kind not in self.kinds or set(tokenize(value.text)) <= asked:
            return False
        if self.measure and not (value.unit in _MEASURED_IN and self.measure.search(text)):
            return False
        return not self.noun or self.noun in tokenize(text[value.end : value.end + _NOUN_REACH])
