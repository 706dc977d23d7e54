"""Titles in running text: which of the titles known so far a text names, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.modules.tokens import is_chinese, tokenize, words

MOST_NAMESAKES = 20
"""A title that more pages bear than this tells none of them apart, and links to none."""
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_SHORTEST, _SHORTEST_CHINESE = 3, 2
"""Characters of the shortest title that is looked for."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A title in a text: its words there are `start` to `end`, and these pages bear it."""

    page_ids: tuple[str, ...]
    start: int
    end: int


def title_words(title: str) -> tuple[str, ...]:
    """The words by which a title is looked for: without what stands in brackets; none where it tells nothing."""
    bare = _IN_BRACKETS.sub("", title) or title
    found = tuple(unit for unit, _place in _units(words(bare)))
    telling = tokenize(bare) and len("".join(found)) >= (_SHORTEST if bare.isascii() else _SHORTEST_CHINESE)
    return found if telling else ()


def names(text: Sequence[str], title: Sequence[str]) -> bool:
    """Whether the words of a text hold those of a title, one after another."""
    wanted, units = ([unit for unit, _place in _units(given)] for given in (title, text))
    return bool(wanted) and any(units[at : at + len(wanted)] == wanted for at in range(len(units) - len(wanted) + 1))


def _units(text: Sequence[str]) -> list[tuple[str, int]]:
    """What titles are compared by, each with its place in the words: Chinese by its signs, the rest by words.

    How Chinese is cut into words depends on what stands around them, so that a title may be cut otherwise in a text.
    """
    return [
        (unit, place)
        for place, word in enumerate(text)
        for unit in ((word,) if word.isascii() or not is_chinese(word) else word)
    ]


class TitleIndex:
    """The titles of pages that come. Finding those in a text costs in proportion to the text alone."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, ...], list[str]] = {}
        self._longest: dict[str, int] = {}  # by a title's first unit, how many to look at

    def add(self, page_id: str, title: str) -> None:
        """Note that a page bears a title; one without telling words is passed over."""
        found = title_words(title)
        if found:
            self._pages.setdefault(found, []).append(page_id)
            self._longest[found[0]] = max(self._longest.get(found[0], 0), len(found))

    def mentions(self, text: Sequence[str]) -> list[Mention]:
        """The titles in the words of a text, in order: the longest at each place, none inside another."""
        found: list[Mention] = []
        pairs = _units(text)
        units = [unit for unit, _place in pairs]
        start = 0
        while start < len(units):
            end, page_ids = self._longest_at(units, start)
            if page_ids:
                found.append(Mention(page_ids, pairs[start][1], pairs[end - 1][1] + 1))
            start = end
        return found

    def _longest_at(self, units: Sequence[str], start: int) -> tuple[int, tuple[str, ...]]:
        """Where the longest title ends that starts here, and who bears it; no one where none does."""
        for end in range(min(start + self._longest.get(units[start], 0), len(units)), start, -1):
            page_ids = self._pages.get(tuple(units[start:end]), ())
            if 0 < len(page_ids) <= MOST_NAMESAKES:
                return end, tuple(page_ids)
        return start + 1, ()
