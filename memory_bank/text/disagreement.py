"""Say in one line what two statements are about and in what they differ: `The hall opens: 1 October or 3 November`.

Computed from the words and values of both, in any language; nothing is known of what the words mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memory_bank.text.difference import difference
from memory_bank.text.iteration import grouped
from memory_bank.text.shortening import shorten
from memory_bank.text.span import Span, overlaps_any
from memory_bank.text.tokens import is_chinese, tokenize, words
from memory_bank.text.values.values import TextValue, differing_values, is_among, is_another
from memory_bank.text.wording import one_line

MOST_TOPIC, MOST_SIDE = 70, 40
"""Most characters of the topic, and of what a side says that differs."""
MOST_COMPARED = 600
"""Characters of a statement that are looked at."""
_CHINESE = r"\u3400-\u4dbf\u4e00-\u9fff"
_LETTER = rf"(?![{_CHINESE}])[^\W_]"
_WORD = re.compile(rf"[{_CHINESE}]+|(?:{_LETTER})+(?:['’.&-](?:{_LETTER})+)*")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_BETWEEN = re.compile(r"[\s“”\"'’&/-]*")
"""What may stand between two words of one phrase."""


class Disagreement(NamedTuple):
    """What two statements are about, in the words of the first, and what each says differently.

    `topic` is empty where they share no word that matters, `sides` None where they differ in more than one place.
    """

    topic: str
    sides: tuple[str, str] | None


class _Word(NamedTuple):
    start: int
    end: int
    key: tuple[str, ...]
    """What it is recognised by in the other text."""
    tells: bool
    """Whether it says something of a topic; "the" does not."""


@lru_cache(maxsize=1024)
def disagreement(first: str, second: str) -> Disagreement:
    """What two statements are about, and a value or one stretch of words in which they differ.

    Cached: a page is drawn again and again.
    """
    first, second = (one_line(text[:MOST_COMPARED]) for text in (first, second))
    values = contrary_values(first, second)
    phrases = _shared_phrases(first, second, values and values[0])
    sides = (values[0].of(first), values[1].of(second)) if values else _replaced(first, second) if phrases else None
    best = sorted(phrases, key=_weight, reverse=True)[:2]
    if sides or (best and _weight(best[0])[0] > 1):  # one word alone says too little of a topic
        del best[1:]
    topic = ", ".join(phrase for phrase in dict.fromkeys(phrases) if phrase in best)
    return Disagreement(shorten(topic, MOST_TOPIC), sides)


def contrary_values(first: str, second: str) -> tuple[Span, Span] | None:
    """Where each text has a figure or date that the other has otherwise; only where no other can be meant."""
    own, others = _distinct(differing_values(first, second)), _distinct(differing_values(second, first))
    for value in own:
        contrary = [other for other in others if is_another(value, other)]
        if len(contrary) == 1 and sum(is_another(contrary[0], each) for each in own) == 1:
            return _whole_figure(first, value), _whole_figure(second, contrary[0])
    return None


def _distinct(values: list[TextValue]) -> list[TextValue]:
    """The values without those that an earlier one gives in another unit or notation."""
    return [value for n, value in enumerate(values) if not is_among(value, values[:n])]


def _whole_figure(text: str, value: TextValue) -> Span:
    """A value with all of its digits: of "4,85" only the "4" is one, for the comma separates thousands in English."""
    touched = [each.span() for each in _DIGITS.finditer(text) if overlaps_any(value.start, value.end, [each.span()])]
    starts, ends = zip((value.start, value.end), *touched, strict=True)
    return Span(min(starts), max(ends))


def _replaced(first: str, second: str) -> tuple[str, str] | None:
    """The stretch of each text that the other lacks, if each has just one, and both are short."""
    own, others = ([text.strip() for text, differs in side if differs] for side in difference(first, second))
    if len(own) != 1 or len(others) != 1 or not all(_WORD.search(text) for text in (*own, *others)):
        return None
    return (own[0], others[0]) if max(len(own[0]), len(others[0])) <= MOST_SIDE else None


def _shared_phrases(first: str, second: str, value: Span | None) -> list[str]:
    """The longest phrases of the first text whose words are all in the second too, without the value that differs."""
    known = {word.key for word in _words(second)}
    taken = [value] if value else []
    shared = (word for word in _words(first) if word.key in known and not overlaps_any(word.start, word.end, taken))
    trimmed = []
    for phrase in grouped(
        shared, lambda phrase, word: not _BETWEEN.fullmatch(first, phrase[-1].end, word.start)
    ):  # without the words at its ends that tell nothing; the first ones stay if they open the text
        if telling := [word for word in phrase if word.tells]:
            start = telling[0].start if first[: phrase[0].start].strip() else phrase[0].start
            trimmed.append(first[start : telling[-1].end])
    return trimmed


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        end = match.start()
        for word in words(match[0]) if is_chinese(match[0]) else [match[0]]:
            start, end = end, end + len(word)
            tokens = tuple(tokenize(word))
            # in languages whose stop words are not known, most are short
            is_long = len(word) >= (2 if is_chinese(word) else 4) or any(character.isdigit() for character in word)
            yield _Word(start, end, tokens or (word.casefold(),), tells=bool(tokens) and is_long)


def _weight(phrase: str) -> tuple[int, int]:
    """How much a phrase tells: its words that matter, then its length."""
    return len(tokenize(phrase)), len(phrase)
