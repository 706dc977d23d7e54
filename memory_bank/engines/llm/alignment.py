"""Where in a text a quotation really stands.

A model quotes nearly word for word: it changes quotation marks, drops a line break, slips a letter. What is found
is a stretch of the text, so that only the text's own words are ever kept; a quotation whose numbers or whose "not"
were changed is not found.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz

from memory_bank.engines.llm.prompt import as_written
from memory_bank.modules.span import Span

ALIKE = 90.0
"""How like the text a quotation must be, of 100, after typography is levelled."""
SHORTEST = 10
"""Characters under which only an exact quotation is found: in a few letters one slip is another word."""
MOST_OCCURRENCES = 100
_ROUGHLY = 80.0

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_LEVELLED = str.maketrans(
    dict.fromkeys("‐‑‒–—―−－", "-") | dict.fromkeys("“”„‟«»「」『』", '"') | dict.fromkeys("‘’‚‛`´", "'")
)
_UNSEEN = frozenset("\u00ad\u200b\u2060\ufeff")
_SIGNS = frozenset("-–−")

_NUMBER = re.compile(rf"(?:(?<![^\W{_CJK}])-)?\d+(?:\.\d+)*")
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?!\d)")
_POWER = re.compile(r"[¹²³⁰-₉]|(?<=m)[23]\b")
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot)\b|n't\b|[不没沒无無未非]")
_SPELLED = {
    word: str(value)
    for value, word in [
        *enumerate("zero one two three four five six seven eight nine ten eleven twelve".split()),
        *((10 * tens, word) for tens, word in enumerate("twenty thirty forty fifty sixty".split(), start=2)),
        *enumerate("零一二三四五六七八九十"),
        (2, "两"),
    ]
}
_SPELLED_WORD = re.compile(r"[a-z]+|[零一二三四五六七八九十两]")


def find(quote: str, text: str) -> Span | None:
    """The stretch of `text` that `quote` quotes, in whole words; None when it is not there.

    Tried in order: the quotation as it is; with typography, case and white space levelled; with small slips.
    """
    spellings = dict.fromkeys((quote.strip(), as_written(quote).strip()))
    if not re.search(r"\w", quote):
        return None
    tried = (way(written, text) for way in (_exact, _levelled, _similar) for written in spellings)
    return next((span for span in tried if span is not None), None)


def numbers(text: str) -> frozenset[str]:
    """The numbers in a text, each written one way: no thousands separators, no leading zeros, ASCII digits.

    The power of a unit ("km²", "km2") is none.
    """
    grouped = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    plain = unicodedata.normalize("NFKC", _POWER.sub("", grouped).translate(_LEVELLED))
    return frozenset(re.sub(r"^(-?)0+(?=\d)", r"\1", found) for found in _NUMBER.findall(plain))


def invented_numbers(said: str, text: str) -> frozenset[str]:
    """The numbers that are said and do not occur in the text, neither in digits nor as a word."""
    said_numbers = numbers(said)
    invented = said_numbers - numbers(text) if said_numbers else said_numbers
    if not invented:
        return invented
    return invented - {_SPELLED[word] for word in _SPELLED_WORD.findall(text.lower()) if word in _SPELLED}


# -- the three ways ------------------------------------------------------------------------------------------


def _exact(quote: str, text: str) -> Span | None:
    return _best(quote, text, (Span(place, place + len(quote)) for place in _occurrences(quote, text)))


def _levelled(quote: str, text: str) -> Span | None:
    (wanted, _), (plain, places) = _level(quote), _level_long(text)
    found = (Span(places[place], places[place + len(wanted) - 1] + 1) for place in _occurrences(wanted, plain))
    return _best(quote, text, found)


def _similar(quote: str, text: str) -> Span | None:
    (wanted, _), (plain, places) = _level(quote), _level_long(text)
    if len(wanted) < SHORTEST:
        return None
    window = fuzz.partial_ratio_alignment(wanted, plain, score_cutoff=_ROUGHLY)
    if window is None:
        return None
    # The window is as long as the quotation: where a word was left out or put in, its ends are a little off.
    slack = len(wanted) // 10 + 1
    starts = range(max(window.dest_start - slack, 0), min(window.dest_start + slack, window.dest_end))
    start = max(starts, key=lambda place: fuzz.ratio(wanted, plain[place : window.dest_end]))
    ends = range(max(window.dest_end - slack, start + 1), min(window.dest_end + slack, len(plain)) + 1)
    end = max(ends, key=lambda place: fuzz.ratio(wanted, plain[start:place]))
    span = _best(quote, text, [Span(places[start], places[end - 1] + 1)])
    return span if span is not None and negations(quote) == negations(span.of(text)) else None


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    """Where it stands in a text, the first hundred times."""
    return islice((match.start() for match in re.finditer(f"(?={re.escape(wanted)})", text)), MOST_OCCURRENCES)


def _best(quote: str, text: str, found: Iterable[Span]) -> Span | None:
    """The place that is widened least to be whole words, if it is still like the quotation and has its numbers."""
    (wanted, _), figures = _level(quote), numbers(quote)
    whole = (_whole_words(text, span) for span in found)
    fitting = [
        span
        for span in whole
        if figures <= numbers(span.of(text)) and fuzz.ratio(wanted, _level(span.of(text))[0]) >= ALIKE
    ]
    return min(fitting, key=lambda span: span.end - span.start, default=None)


# -- levelling -----------------------------------------------------------------------------------------------


def _level(text: str) -> tuple[str, list[int]]:
    """A text without what typography changes and without white space; of each character, where it came from."""
    plain: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for level in _level_character(character):
            plain.append(level)
            places.append(place)
    return "".join(plain), places


_level_long = lru_cache(maxsize=4)(_level)
"""The same of a text that is quoted many times."""


@lru_cache(maxsize=4096)
def _level_character(character: str) -> str:
    folded = unicodedata.normalize("NFKD", character.translate(_LEVELLED)).casefold()
    return "".join(one for one in folded if not one.isspace() and one not in _UNSEEN)


def negations(text: str) -> Counter[str]:
    """The words in a text that deny something, and how often each."""
    return Counter(_NEGATION.findall(text.translate(_LEVELLED).casefold()))


# -- whole words ---------------------------------------------------------------------------------------------


def _whole_words(text: str, span: Span) -> Span:
    start, end = span
    while _parts_word(text, start):
        start -= 1
    while _parts_word(text, end):
        end += 1
    return Span(start, end)


def _parts_word(text: str, place: int) -> bool:
    """Whether a cut before a character goes through a word or a number, its sign and its separators included."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if _in_word(before) and _in_word(after):
        return True
    first, last = text[max(place - 2, 0) : place - 1], text[place + 1 : place + 2]
    if after.isdigit() and before in _SIGNS:
        return not _in_word(first)
    return any(
        left.isdigit() and right.isdigit() if mark in ".," else _in_word(left) and _in_word(right)
        for left, mark, right in ((first, before, after), (before, after, last))
        if mark in ".,'’"
    )


def _in_word(character: str) -> bool:
    return character.isalnum() and not _CJK_CHARACTER.match(character)
