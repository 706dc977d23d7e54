"""Titles in running text: which of the titles known so far a text names, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.modules.tokens import tokenize, words

MOST_NAMESAKES = 20
"""A title that more pages bear than this tells none of them apart, and links to none."""
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_SHORTEST = 3
"""Characters of the shortest title that is looked for; one of Chinese has fewer."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A title in a text: its words there are `start` to `end`, and these pages bear it."""

    page_ids: tuple[str, ...]
    start: int
    end: int


def title_words(title: str) -> tuple[str, ...]:
    """The words by which a title is looked for: without what stands in brackets; none where it tells nothing."""
    bare = _IN_BRACKETS.sub("", title) or title
    found = tuple(words(bare))
    telling = tokenize(bare) and (len("".join(found)) >= _SHORTEST or not bare.isascii())
    return found if telling else ()


def names(text: Sequence[str], title: Sequence[str]) -> bool:
    """Whether the words of a text hold those of a title, one after another."""
    wanted = list(title)
    return bool(wanted) and any(
        list(text[at : at + len(wanted)]) == wanted for at in range(len(text) - len(wanted) + 1)
    )


class TitleIndex:
    """The titles of pages that come. Finding those in a text costs in proportion to the text alone."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, ...], list[str]] = {}
        self._longest: dict[str, int] = {}  # by a title's first word, how many words to look at

    def add(self, page_id: str, title: str) -> None:
        """Note that a page bears a title; one without telling words is passed over."""
        found = title_words(title)
        if found:
            self._pages.setdefault(found, []).append(page_id)
            self._longest[found[0]] = max(self._longest.get(found[0], 0), len(found))

    def mentions(self, text: Sequence[str]) -> list[Mention]:
        """The titles in the words of a text, in order: the longest at each place, none inside another."""
        found: list[Mention] = []
        start = 0
        while start < len(text):
            mention = self._longest_at(text, start)
            if mention is not None:
                found.append(mention)
            start = mention.end if mention else start + 1
        return found

    def _longest_at(self, text: Sequence[str], start: int) -> Mention | None:
        for end in range(min(start + self._longest.get(text[start], 0), len(text)), start, -1):
            page_ids = self._pages.get(tuple(text[start:end]), ())
            if 0 < len(page_ids) <= MOST_NAMESAKES:
                return Mention(tuple(page_ids), start, end)
        return None
