"""Split a text into chunks of at most a number of tokens.

The joined chunks are the text: nothing is dropped or repeated. A cut falls at the start of a section; if none is within
reach, at the end of a paragraph; then at the end of a sentence; then between words. Only a "word" that is larger than a
chunk (a base64 blob) is cut inside.

The text is first split into pieces of at most `max_tokens`, each counted once: paragraphs, the sentences of paragraphs
that are too large, and so on. Then pieces are joined until a chunk is full.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

from memory_bank.text.sentences import PARAGRAPH_BREAK, inside_word, sentences
from memory_bank.text.shortening import Count
from memory_bank.text.span import Span

PASSAGE_TOKENS = 200
"""Tokens of a passage, the unit that topics are made of and that ingestion embeds."""


class Cut(IntEnum):
    """The kind of boundary between two pieces of a text, the best place to cut first."""

    SECTION = 0
    PARAGRAPH = 1
    SENTENCE = 2
    WORD = 3
    CHARACTER = 4


class _Piece(NamedTuple):
    """A part of the text that is not cut further: its end, its size, and the boundary after it."""

    end: int
    tokens: int
    cut: Cut


def chunk(text: str, max_tokens: int, count_tokens: Count, boundaries: Iterable[int] = ()) -> list[Span]:
    """Split `text` into spans of at most `max_tokens` tokens. The joined spans are the text; empty text has none.

    `boundaries` are character offsets at which sections begin. `count_tokens` is called once for a piece and once or
    twice for a chunk. It should be roughly additive (tokens of a + b about those of a and of b); because it may not be,
    each chunk is counted as a whole before it is accepted. A counter that adds special tokens to each text makes chunks
    smaller than they could be.

    A single character of more than `max_tokens` tokens is left whole. `ValueError` if `max_tokens` is not positive.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens is {max_tokens}; it must be at least 1")
    if not text:
        return []
    sections = {start for start in boundaries if 0 <= start < len(text) and not inside_word(text, start)}
    pieces: list[_Piece] = []
    start = 0
    for end, cut in _paragraph_ends(text, sections):
        pieces += _split(text, Span(start, end), cut, max_tokens, count_tokens)
        start = end
    return _join(text, pieces, max_tokens, count_tokens)


# -- splitting -------------------------------------------------------------------------------------------

# A word includes the white space after it; white space at the start of a text is a word of its own.
_WORD = re.compile(r"\S+\s*|\s+")
_CLAUSE_END = re.compile(r"[，、；：。！？]+")
_HEADING = re.compile(r"[^\n]{1,200}\n(?:[^\S\n]*\n)*")


def _paragraph_ends(text: str, sections: set[int]) -> list[tuple[int, Cut]]:
    """The ends of paragraphs and the kind of cut there. The text after a heading line stays with the heading."""
    cuts = {match.end(): Cut.PARAGRAPH for match in PARAGRAPH_BREAK.finditer(text)}
    cuts |= dict.fromkeys(sections, Cut.SECTION)
    for section in sections:
        heading = _HEADING.match(text, section)
        if heading and heading.end() in cuts:
            cuts[heading.end()] = Cut.SENTENCE
    inner = sorted((end, cut) for end, cut in cuts.items() if 0 < end < len(text))
    return [*inner, (len(text), Cut.SECTION)]


def _split(text: str, span: Span, cut: Cut, max_tokens: int, count: Count) -> Iterator[_Piece]:
    """Yield `span` as one piece if it fits, else its sentences, else their words, else parts of a word."""
    piece = span.of(text)
    tokens = count(piece)
    if tokens <= max_tokens or len(piece) == 1:
        yield _Piece(span.end, tokens, cut)
        return
    level, ends = _finer_ends(piece, max_tokens, tokens)
    start = span.start
    for end in ends:
        yield from _split(text, Span(start, span.start + end), level, max_tokens, count)
        start = span.start + end
    yield from _split(text, Span(start, span.end), cut, max_tokens, count)


def _finer_ends(piece: str, max_tokens: int, tokens: int) -> tuple[Cut, list[int]]:
    starts = [span.start for span in sentences(piece)][1:]
    if ends := [start for start in starts if not inside_word(piece, start)]:
        return Cut.SENTENCE, ends
    # ends of words, and of Chinese clauses, because Chinese has no spaces between words
    words = {match.end() for match in _WORD.finditer(piece)}
    words |= {match.end() for match in _CLAUSE_END.finditer(piece) if not inside_word(piece, match.end())}
    if words == {len(piece)}:
        words.add(len(piece.rstrip()))
    if ends := sorted(end for end in words if 0 < end < len(piece)):
        return Cut.WORD, ends
    # equal parts of a word that has too many tokens, as few as are likely to fit
    parts = max(2, math.ceil(tokens / max_tokens))
    step = math.ceil(len(piece) / min(parts, len(piece)))
    return Cut.CHARACTER, list(range(step, len(piece), step))


# -- joining ---------------------------------------------------------------------------------------------


def _join(text: str, pieces: list[_Piece], max_tokens: int, count: Count) -> list[Span]:
    ends = _ChunkEnds(pieces, max_tokens)
    chunks: list[Span] = []
    first = 0
    while first < len(pieces):
        start = pieces[first - 1].end if first else 0
        stop = ends.stop(first, max_tokens)
        while stop > first + 1:
            tokens = count(text[start : pieces[stop - 1].end])
            if tokens <= max_tokens:
                break
            # The counter is not additive here: reduce the budget by the factor of the excess.
            stop = min(stop - 1, ends.stop(first, max_tokens * ends.tokens(first, stop) // tokens))
        chunks.append(Span(start, pieces[stop - 1].end))
        first = stop
    return chunks


class _ChunkEnds:
    """Finds where a chunk ends, using the running sums of tokens and the positions of each kind of cut."""

    def __init__(self, pieces: list[_Piece], max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._sums = [0, *accumulate(piece.tokens for piece in pieces)]
        # For each kind, the numbers of the pieces that follow a cut of that kind or a better one.
        self._cuts = [[number for number, piece in enumerate(pieces, start=1) if piece.cut <= kind] for kind in Cut]

    def tokens(self, first: int, stop: int) -> int:
        """The tokens of the pieces from `first` up to, not including, `stop`."""
        return self._sums[stop] - self._sums[first]

    def stop(self, first: int, budget: int) -> int:
        """The number of the piece that begins the next chunk, after at least one piece.

        It follows the last cut of the best kind within reach, provided that the text after it, up to the next cut of
        that kind, fits in one chunk and so stays whole. If that text must be cut anyway and the chunk is less than half
        full, a cut of a lower kind further on is better.
        """
        reach = max(first + 1, bisect_right(self._sums, self._sums[first] + budget) - 1)
        for cuts in self._cuts:
            last = bisect_right(cuts, reach) - 1
            if last < 0 or cuts[last] <= first:
                continue
            stop = cuts[last]
            if stop == len(self._sums) - 1 or 2 * self.tokens(first, stop) >= self._max_tokens:
                return stop
            if self.tokens(stop, cuts[last + 1]) <= self._max_tokens:
                return stop
        return reach
