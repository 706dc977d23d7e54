"""A wrapper that keeps the return value of a generator."""

from __future__ import annotations

from collections.abc import Generator
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Returning(Generic[Item, Result]):
    """Iterate over it once, to the end; then `result` is the generator's return value."""

    result: Result

    def __init__(self, steps: Generator[Item, None, Result]) -> None:
        self._steps = steps

    def __iter__(self) -> Generator[Item, None, None]:
        self.result = yield from self._steps
