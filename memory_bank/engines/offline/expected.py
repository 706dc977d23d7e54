"""What kind of value a question asks for, and that value in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_bank.engines.offline.values import Value, ValueKind, extract_values
from memory_bank.modules.tokens import tokenize

_DATE = re.compile(r"\b(?:when|(?:what|which) (?:year|date|month|day|century))\b|何时|什么时候|哪一?年|哪天", re.IGNORECASE)
_LENGTH = re.compile(r"\bhow (?:long|tall|high|far|deep|wide)\b|多长|多高|多远|多深|多宽", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\s+(?P<noun>[^\W\d_]+)|\bnumber of\s+(?P<of>[^\W\d_]+)", re.IGNORECASE)
_NUMBER = re.compile(r"\bhow (?:much|old|large|big)\b|\bpopulation\b|多少|人口|多大", re.IGNORECASE)
_NAME = re.compile(r"\b(?:who|whom|whose|where)\b|谁|哪里|何处", re.IGNORECASE)
_NOUN_REACH = 40
"""Characters after a number within which the thing that it counts is looked for."""


_FIGURE = frozenset({ValueKind.NUMBER, ValueKind.QUANTITY})


@dataclass(frozen=True)
class Expected:
    """Kinds of value; for a length its unit, for a count the stem of what is counted."""

    kinds: frozenset[ValueKind]
    unit: str = ""
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
        if _LENGTH.search(question):
            return cls(_FIGURE, unit="length")
        if _NUMBER.search(question):
            return cls(_FIGURE)
        return cls(frozenset({ValueKind.NAME})) if _NAME.search(question) else None

    def value_in(self, text: str, asked: set[str]) -> str | None:
        """The first fitting value of a sentence that the question (its stems are `asked`) does not name itself."""
        return next((value.text for value in extract_values(text) if self._fits(value, text, asked)), None)

    def _fits(self, value: Value, text: str, asked: set[str]) -> bool:
        if value.kind not in self.kinds or set(tokenize(value.text)) <= asked:
            return False
        if self.unit and value.unit != self.unit:
            return False
        return not self.noun or self.noun in tokenize(text[value.end : value.end + _NOUN_REACH])
