"""Chunks of a text that fit a number of tokens (specification, section 2, "Chunking").

The chunks joined are the text: nothing dropped, nothing doubled. A cut falls where a section begins; if none
begins within reach, where a paragraph ends; then where a sentence ends; then between words. A "word" that by
itself is larger than a chunk (a base64 blob) is the one thing that is cut inside.

The text is first taken apart into pieces of at most `max_tokens`, each one counted once: paragraphs, and of
paragraphs that are too large their sentences, and so on down. Then pieces are joined until a chunk is full.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate

from memory_bank.modules.sentences import inside_word, sentences
from memory_bank.modules.span import Span

CountTokens = Callable[[str], int]


class Cut(IntEnum):
    """What lies between two pieces of a text, the best place to cut first."""

    SECTION = 0
    PARAGRAPH = 1
    SENTENCE = 2
    WORD = 3
    CHARACTER = 4


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch that is not cut further: its end, its size, and what lies between it and the next one."""

    end: int
    tokens: int
    cut: Cut


def chunk(text: str, max_tokens: int, count_tokens: CountTokens, boundaries: Iterable[int] = ()) -> list[Span]:
    """Cut `text` into spans of at most `max_tokens` tokens which joined are the text. Empty text: no chunk.

    `boundaries` are character offsets at which sections begin. `count_tokens` is called once for a piece and
    once or twice for a chunk. It is taken to be roughly additive (tokens of a + b about those of a and of b);
    where it is not, the chunk is counted whole before it is accepted. A counter that adds special tokens to
    each text it is given makes chunks smaller than they could be.

    A single character of more than `max_tokens` tokens is left whole. `ValueError` when `max_tokens` is not
    positive.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens is {max_tokens}; it must be at least 1")
    if not text:
        return []
    sections = {start for start in boundaries if 0 <= start < len(text) and not inside_word(text, start)}
    pieces = list(_pieces(text, max_tokens, count_tokens, sections))
    return _join(text, pieces, max_tokens, count_tokens)


# -- taking apart ----------------------------------------------------------------------------------------

_PARAGRAPH_END = re.compile(r"\n(?:[^\S\n]*\n)+")
# Words keep the white space that follows them; a run of it at the start of a text is a word of its own.
_WORD = re.compile(r"\S+\s*|\s+")
_CLAUSE_END = re.compile(r"[，、；：。！？]+")
_HEADING = re.compile(r"[^\n]{1,200}\n(?:[^\S\n]*\n)*")


def _pieces(text: str, max_tokens: int, count: CountTokens, sections: set[int]) -> Iterator[_Piece]:
    start = 0
    for end, cut in _paragraph_ends(text, sections):
        yield from _split(text, Span(start, end), cut, max_tokens, count)
        start = end


def _paragraph_ends(text: str, sections: set[int]) -> list[tuple[int, Cut]]:
    """List the paragraph ends and what lies there. What follows a heading line belongs to it."""
    cuts = {match.end(): Cut.PARAGRAPH for match in _PARAGRAPH_END.finditer(text)}
    cuts |= dict.fromkeys(sections, Cut.SECTION)
    for section in sections:
        heading = _HEADING.match(text, section)
        if heading and heading.end() in cuts:
            cuts[heading.end()] = Cut.SENTENCE
    inner = sorted((place, cut) for place, cut in cuts.items() if 0 < place < len(text))
    return [*inner, (len(text), Cut.SECTION)]


def _split(text: str, span: Span, cut: Cut, max_tokens: int, count: CountTokens) -> Iterator[_Piece]:
    """Give `span` as one piece if it fits, else its sentences, else their words, else characters."""
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
    if ends := _sentence_ends(piece):
        return Cut.SENTENCE, ends
    if ends := _word_ends(piece):
        return Cut.WORD, ends
    return Cut.CHARACTER, _even_ends(piece, max_tokens, tokens)


def _sentence_ends(piece: str) -> list[int]:
    starts = [span.start for span in sentences(piece)][1:]
    return [start for start in starts if not inside_word(piece, start)]


def _word_ends(piece: str) -> list[int]:
    """Find where words end; Chinese is written without spaces, so its clauses end words too."""
    ends = {match.end() for match in _WORD.finditer(piece)}
    ends |= {match.end() for match in _CLAUSE_END.finditer(piece) if not inside_word(piece, match.end())}
    if ends == {len(piece)}:
        ends.add(len(piece.rstrip()))
    return sorted(end for end in ends if 0 < end < len(piece))


def _even_ends(piece: str, max_tokens: int, tokens: int) -> list[int]:
    """Cut a word of too many tokens into as many parts of equal length as should fit."""
    parts = max(2, math.ceil(tokens / max_tokens))
    step = math.ceil(len(piece) / min(parts, len(piece)))
    return list(range(step, len(piece), step))


# -- joining ---------------------------------------------------------------------------------------------


def _join(text: str, pieces: list[_Piece], max_tokens: int, count: CountTokens) -> list[Span]:
    layout = _Layout(pieces, max_tokens)
    chunks: list[Span] = []
    first = 0
    while first < len(pieces):
        start = pieces[first - 1].end if first else 0
        stop = layout.stop(first, max_tokens)
        while stop > first + 1:
            tokens = count(text[start : pieces[stop - 1].end])
            if tokens <= max_tokens:
                break
            # The counter is not additive here: ask for as much less as it was too much.
            stop = min(stop - 1, layout.stop(first, max_tokens * layout.tokens(first, stop) // tokens))
        chunks.append(Span(start, pieces[stop - 1].end))
        first = stop
    return chunks


class _Layout:
    """Where to end a chunk, over running sums and over the places of each kind of cut."""

    def __init__(self, pieces: list[_Piece], max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._sums = [0, *accumulate(piece.tokens for piece in pieces)]
        # For each kind, the piece numbers before which there is a cut of that kind or a better one.
        self._cuts = [[number for number, piece in enumerate(pieces, start=1) if piece.cut <= kind] for kind in Cut]

    def tokens(self, first: int, stop: int) -> int:
        """Sum up the pieces from `first` up to, not including, `stop`."""
        return self._sums[stop] - self._sums[first]

    def stop(self, first: int, budget: int) -> int:
        """Give the number of the piece that begins the next chunk; at least one piece is taken.

        The last cut of the best kind within reach is taken, so long as what follows it, up to the next cut of
        that kind, will fit in a chunk: it stays whole. If it has to be cut anyway and the chunk is less than
        half full, a lesser cut further on is better.
        """
        reach = max(first + 1, bisect_right(self._sums, self._sums[first] + budget) - 1)
        for cuts in self._cuts:
            place = bisect_right(cuts, reach) - 1
            if place < 0 or cuts[place] <= first:
                continue
            stop = cuts[place]
            if stop == len(self._sums) - 1 or 2 * self.tokens(first, stop) >= self._max_tokens:
                return stop
            if self.tokens(stop, cuts[place + 1]) <= self._max_tokens:
                return stop
        return reach
