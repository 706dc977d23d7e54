"""Find mentions of known titles in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memory_bank.text.tokens import is_chinese, tokenize, words

MOST_NAMESAKES = 20
"""A title that more pages than this share is ambiguous and is not mentioned."""
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_MIN_TITLE, _MIN_CHINESE_TITLE = 3, 2
"""Characters of the shortest title that is searched for."""


class Mention(NamedTuple):
    """A title in a text: it spans the words `start` to `end`, and these pages have it."""

    page_ids: tuple[str, ...]
    start: int
    end: int


def title_words(title: str) -> tuple[str, ...]:
    """The units by which a title is searched: without brackets; none if it is too short or has only stop words."""
    bare = _IN_BRACKETS.sub("", title) or title
    units = tuple(unit for unit, _index in _units(words(bare)))
    is_searchable = tokenize(bare) and len("".join(units)) >= (_MIN_TITLE if bare.isascii() else _MIN_CHINESE_TITLE)
    return units if is_searchable else ()


def contains_title(text: Sequence[str], title: Sequence[str]) -> bool:
    """Whether the words of a text contain those of a title, one after another."""
    wanted, units = ([unit for unit, _index in _units(run)] for run in (title, text))
    starts = range(len(units) - len(wanted) + 1)
    return bool(wanted) and any(units[start : start + len(wanted)] == wanted for start in starts)


def _units(text: Sequence[str]) -> list[tuple[str, int]]:
    """The units in which titles are compared, each with the index of its word: Chinese characters, or whole words.

    The segmentation of Chinese depends on the context, so a title may be segmented differently inside a text.
    """
    return [
        (unit, index)
        for index, word in enumerate(text)
        for unit in ((word,) if word.isascii() or not is_chinese(word) else word)
    ]


class TitleIndex:
    """The titles of pages. The time to find them in a text depends only on the length of the text."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, ...], list[str]] = {}
        self._longest: dict[str, int] = {}  # the longest title, in units, that begins with a unit

    def add(self, page_id: str, title: str) -> None:
        """Add the title of a page, unless it is too short or has only stop words."""
        title_units = title_words(title)
        if title_units:
            self._pages.setdefault(title_units, []).append(page_id)
            self._longest[title_units[0]] = max(self._longest.get(title_units[0], 0), len(title_units))

    def mentions(self, text: Sequence[str]) -> list[Mention]:
        """The titles in the words of a text, in order: the longest at each position, none inside another."""
        mentions: list[Mention] = []
        pairs = _units(text)
        units = [unit for unit, _index in pairs]
        start = 0
        while start < len(units):
            for end in range(min(start + self._longest.get(units[start], 0), len(units)), start, -1):
                page_ids = self._pages.get(tuple(units[start:end]), ())
                if 0 < len(page_ids) <= MOST_NAMESAKES:
                    mentions.append(Mention(tuple(page_ids), pairs[start][1], pairs[end - 1][1] + 1))
                    start = end
                    break
            else:
                start += 1
        return mentions
