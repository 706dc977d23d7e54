"""A spot where two claims differ or agree in a value: the common currency of the ways to find one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory_bank.engines.offline.language.tokens import Token
from memory_bank.values.values import Value, ValueKind


class DifferenceKind(StrEnum):
    """What sort of words differ."""

    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    WORD = "word"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a claim: `text` is exactly `claim[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Two spots that give a value of the same thing, one in each claim.

    `agrees` when the values are the same; else `confidence` (0…1) says how surely they contradict. `attribute`
    is empty where only the wording around shows what the value is of; `parallel` says that the wording does.
    """

    first: Span
    second: Span
    kind: DifferenceKind
    confidence: float
    attribute: str = ""
    agrees: bool = False
    parallel: bool = True


def span_of(found: Value | Token) -> Span:
    """The span of a value or token."""
    return Span(found.text, found.start, found.end)


def kind_of(value: Value) -> DifferenceKind:
    """The sort of difference that two such values make."""
    if value.kind is ValueKind.DATE:
        return DifferenceKind.DATE
    return DifferenceKind.NAME if value.kind is ValueKind.NAME else DifferenceKind.NUMBER
