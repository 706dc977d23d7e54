"""A generator that both yields and returns, for whoever walks through it and then wants what it returned."""

from __future__ import annotations

from collections.abc import Generator
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Returning(Generic[Item, Result]):
    """Iterate over it once, to the end; `result` is there then."""

    result: Result

    def __init__(self, steps: Generator[Item, None, Result]) -> None:
        self._steps = steps

    def __iter__(self) -> Generator[Item, None, None]:
        self.result = yield from self._steps
