"""What fits into a limited room: which of several items, or the groups that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


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
