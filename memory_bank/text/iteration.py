"""Tools for iteration: groups of neighbours, what fits into a limited room, and what a generator returns at its end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
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


def grouped(items: Iterable[Item], begins_anew: Callable[[list[Item], Item], bool]) -> Iterator[list[Item]]:
    """Cut before each item that begins a new group, seen beside the group so far; no group is empty."""
    group: list[Item] = []
    for item in items:
        if group and begins_anew(group, item):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def those_fitting(items: Iterable[Item], room: int, size: Callable[[Item], int]) -> list[Item]:
    """The items that fit into the room together, the first ones first; one that is too large is passed over."""
    taken: list[Item] = []
    for item in items:
        if (own := size(item)) <= room:
            taken.append(item)
            room -= own
    return taken


def packed(items: Iterable[Item], room: int, size: Callable[[Item], int]) -> Iterator[list[Item]]:
    """The items in groups, in order: each holds as many as fit into the room, and at least one."""
    group: list[Item] = []
    used = 0
    for item in items:
        own = size(item)
        if group and used + own > room:
            yield group
            group, used = [], 0
        group.append(item)
        used += own
    if group:
        yield group
