"""Cut a sequence into groups of neighbours, such as lines into paragraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


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
