"""Locate a model's quotation in the source text, tolerating small slips.

A model quotes nearly word for word: it changes quotation marks, drops a line break, mistypes a letter. The result is a
span of the text, so only the text's own words are ever kept. A quotation whose numbers or whose "not" were changed is
not found.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz

from memory_bank.agents.prompt import unescape_quote
from memory_bank.text.span import Span
from memory_bank.text.tokens import THOUSANDS_SPACES

ALIKE = 90.0
"""Least similarity of quotation and text, 0 to 100, after typography is normalised."""
SHORTEST = 10
"""Quotations with fewer characters must match exactly: in a few letters one slip makes another word."""
MOST_OCCURRENCES = 100
_WINDOW_CUTOFF = 80.0
"""Least similarity of the window that the fuzzy search starts from, 0 to 100."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‐‑‒–—―−－", "-") | dict.fromkeys("“”„‟«»「」『』", '"') | dict.fromkeys("‘’‚‛`´", "'")
)
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff")
_MINUS_SIGNS = frozenset("-–−")

_NUMBER = re.compile(rf"(?:(?<![^\W{_CJK}])-)?\d+(?:\.\d+)*")
_THOUSANDS = re.compile(rf"(?<![\d.])\d{{1,3}}(?:[,{THOUSANDS_SPACES}]\d{{3}})+(?!\d)")
_UNIT_POWER = re.compile(r"[¹²³⁰-₉]|(?<=m)[23]\b")
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot)\b|n't\b|[不没沒无無未非]")
_NUMBER_WORDS = {
    word: str(value)
    for value, word in [
        *enumerate("zero one two three four five six seven eight nine ten eleven twelve".split()),
        *((10 * tens, word) for tens, word in enumerate("twenty thirty forty fifty sixty".split(), start=2)),
        *enumerate("零一二三四五六七八九十"),
        (2, "两"),
    ]
}
_POSSIBLE_NUMBER_WORD = re.compile(r"[a-z]+|[零一二三四五六七八九十两]")


def locate_quotation(quote: str, text: str) -> Span | None:
    """The span of `text` that `quote` quotes, widened to whole words; None when it is not there.

    Tried in order: exact match; match with typography, case and white space normalised; match with small slips.
    """
    if not re.search(r"\w", quote):
        return None
    spellings = dict.fromkeys((quote.strip(), unescape_quote(quote).strip()))
    ways = (_match_exact, _match_normalised, _match_fuzzy)
    matches = (match(spelling, text) for match in ways for spelling in spellings)
    return next((span for span in matches if span is not None), None)


def numbers(text: str) -> frozenset[str]:
    """The numbers in a text in one notation: no thousands separators, no leading zeros, ASCII digits.

    The power of a unit ("km²", "km2") does not count as a number.
    """
    ungrouped = _THOUSANDS.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    plain = unicodedata.normalize("NFKC", _UNIT_POWER.sub("", ungrouped).translate(_TYPOGRAPHY))
    return frozenset(re.sub(r"^(-?)0+(?=\d)", r"\1", number) for number in _NUMBER.findall(plain))


def invented_numbers(said: str, text: str) -> frozenset[str]:
    """The numbers in `said` that do not occur in `text`, neither in digits nor as a word."""
    said_numbers = numbers(said)
    invented = said_numbers - numbers(text) if said_numbers else said_numbers
    if not invented:
        return invented
    words = _POSSIBLE_NUMBER_WORD.findall(text.lower())
    return invented - {_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS}


def negations(text: str) -> Counter[str]:
    """The negation words in a text, with how often each occurs."""
    return Counter(_NEGATION.findall(text.translate(_TYPOGRAPHY).casefold()))


# -- the three ways to match ---------------------------------------------------------------------------------


def _match_exact(quote: str, text: str) -> Span | None:
    return _best(quote, text, (Span(start, start + len(quote)) for start in _occurrences(quote, text)))


def _match_normalised(quote: str, text: str) -> Span | None:
    (wanted, _), (plain, offsets) = _normalise(quote), _normalise_cached(text)
    spans = (Span(offsets[start], offsets[start + len(wanted) - 1] + 1) for start in _occurrences(wanted, plain))
    return _best(quote, text, spans)


def _match_fuzzy(quote: str, text: str) -> Span | None:
    (wanted, _), (plain, offsets) = _normalise(quote), _normalise_cached(text)
    if len(wanted) < SHORTEST:
        return None
    window = fuzz.partial_ratio_alignment(wanted, plain, score_cutoff=_WINDOW_CUTOFF)
    if window is None:
        return None
    # The window is as long as the quotation: where a word was left out or put in, its ends are a little off.
    slack = len(wanted) // 10 + 1
    starts = range(max(window.dest_start - slack, 0), min(window.dest_start + slack, window.dest_end))
    start = max(starts, key=lambda offset: fuzz.ratio(wanted, plain[offset : window.dest_end]))
    ends = range(max(window.dest_end - slack, start + 1), min(window.dest_end + slack, len(plain)) + 1)
    end = max(ends, key=lambda offset: fuzz.ratio(wanted, plain[start:offset]))
    span = _best(quote, text, [Span(offsets[start], offsets[end - 1] + 1)])
    return span if span is not None and negations(quote) == negations(span.of(text)) else None


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    """Start offsets of `wanted` in a text, the first `MOST_OCCURRENCES` of them; they may overlap."""
    return islice((match.start() for match in re.finditer(f"(?={re.escape(wanted)})", text)), MOST_OCCURRENCES)


def _best(quote: str, text: str, candidates: Iterable[Span]) -> Span | None:
    """The shortest candidate, widened to whole words, that is similar to the quotation and has all its numbers."""
    (wanted, _), quoted_numbers = _normalise(quote), numbers(quote)
    widened = (_widen_to_words(text, span) for span in candidates)
    fitting = [
        span
        for span in widened
        if quoted_numbers <= numbers(span.of(text)) and fuzz.ratio(wanted, _normalise(span.of(text))[0]) >= ALIKE
    ]
    return min(fitting, key=lambda span: span.end - span.start, default=None)


# -- normalising ---------------------------------------------------------------------------------------------


def _normalise(text: str) -> tuple[str, list[int]]:
    """A text without typography, case and white space, and the offset in `text` of each character that is left."""
    plain: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for normalised in _normalise_character(character):
            plain.append(normalised)
            offsets.append(offset)
    return "".join(plain), offsets


_normalise_cached = lru_cache(maxsize=4)(_normalise)
"""For a source text, which is quoted many times."""


@lru_cache(maxsize=4096)
def _normalise_character(character: str) -> str:
    folded = unicodedata.normalize("NFKD", character.translate(_TYPOGRAPHY)).casefold()
    return "".join(part for part in folded if not part.isspace() and part not in _INVISIBLE)


# -- whole words ---------------------------------------------------------------------------------------------


def _widen_to_words(text: str, span: Span) -> Span:
    start, end = span
    while _splits_word(text, start):
        start -= 1
    while _splits_word(text, end):
        end += 1
    return Span(start, end)


def _splits_word(text: str, offset: int) -> bool:
    """Whether a cut before a character goes through a word or a number, including its sign and its separators."""
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    if _in_word(before) and _in_word(after):
        return True
    first, last = text[max(offset - 2, 0) : offset - 1], text[offset + 1 : offset + 2]
    if after.isdigit() and before in _MINUS_SIGNS:
        return not _in_word(first)
    return any(
        left.isdigit() and right.isdigit() if mark in ".," else _in_word(left) and _in_word(right)
        for left, mark, right in ((first, before, after), (before, after, last))
        if mark in ".,'’"
    )


def _in_word(character: str) -> bool:
    return character.isalnum() and not _CJK_CHARACTER.match(character)
