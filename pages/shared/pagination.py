"""Show a long list one page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from components import pager
from components.language import say

Item = TypeVar("Item")
PAGE_SIZE = 20


def page_of(items: Sequence[Item], *, key: str) -> Sequence[Item]:
    """Draw the buttons to change the page, and return the items of the current page."""

    def label(page: int) -> str:
        first = PAGE_SIZE * (page - 1) + 1
        last = min(len(items), first + PAGE_SIZE - 1)
        return say("{first}–{last} of {all}", first=first, last=last, all=f"{len(items):,}")

    pages = max(1, -(-len(items) // PAGE_SIZE))
    page = pager.draw(pages, label, key=key)
    return items[PAGE_SIZE * (page - 1) : PAGE_SIZE * page]
