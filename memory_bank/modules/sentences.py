"""Sentences of a text, as character spans.

A text is cut in four steps, each one finer: hard line breaks (blank lines, list items, table rows, headings,
short lines that were not wrapped), then the rules of the `sentencex` library, then corrections to them, then
the cutting of runs without any full stop, so that no sentence is longer than `MAX_SENTENCE` characters.

What it does not do: it splits nothing inside a quotation or a bracket, unless the whole would be too long.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import sentencex

from memory_bank.modules.span import Span

# A "sentence" past this many characters is a run-on (navigation bar, infobox, legal clause) and is cut.
MAX_SENTENCE = 600

# sentencex takes time quadratic in the length of one call (118 s for 1 MB of Chinese): it sees this much.
_WINDOW = 2000

_CJK = r"\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_CJK_SHARE = 0.2


def sentences(text: str) -> list[Span]:
    """Find the sentences of `text`, in order: trimmed, never empty, at most `MAX_SENTENCE` characters long.

    Between two spans there is nothing but white space: no other character is left out or given twice.
    """
    # A lone surrogate cannot be handed to sentencex; the stand-in has the same length.
    safe = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    found: list[Span] = []
    for block in _blocks(safe):
        for sentence in _block_sentences(safe, block):
            found.extend(_cut_long(safe, sentence))
    return found


def inside_word(text: str, position: int) -> bool:
    """Tell whether a cut before the character at `position` would go through a word.

    It would where neither white space nor Chinese, Japanese or Korean script (which is written without spaces
    between words, or may be cut after any sign) stands on either side.
    """
    if not 0 < position < len(text):
        return False
    before, after = text[position - 1], text[position]
    if before.isspace() or after.isspace():
        return False
    return not (_CJK_CHARACTER.match(before) or _CJK_CHARACTER.match(after))


# -- hard line breaks ------------------------------------------------------------------------------------

_PARAGRAPH_BREAK = re.compile(r"\n(?:[^\S\n]*\n)+")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦▪●○·]\s|\(?[a-zA-Z\d]{1,2}\)\s)")
_NUMBERED = re.compile(r"\s*(?:\d{1,2}(?:[.)]\s|、)|[一二三四五六七八九十]{1,3}、)")
# "1." opens a list; a later number goes on with one, or it is the end of a sentence wrapped before it.
_FIRST_ITEM = re.compile(r"\s*[1一][.)、]")
_BEFORE_ITEM = re.compile(r"[.:;!?。：；！？]\s*$")
_LONE_LINE = re.compile(r"\s*(?:#{1,6}\s|\||={3,}\s*$|-{3,}\s*$|```)|.*\s\|\s")
_ENDS_OPEN = re.compile(
    r"(?:[,;(\-–—/&]|\b(?:a|an|the|of|in|on|at|by|to|for|from|with|and|or|as|is|was|are|were|be|that|than|his|her"
    r"|its|their|[A-Z][a-z]{0,3}\.))$"
)
_STARTS_NEW = re.compile(r"[\s\"'“‘(\[]*[A-Z\d\u00c0-\u00de\u0391-\u042f]|[^\w\n]*$")
_WRAP_WIDTH = 40
_CJK_WRAP_WIDTH = 30
_SHORT_LINE = 0.6
_LISTING_LINES = 4
_LISTING_SHARE = 0.8


def _blocks(text: str) -> Iterator[Span]:
    """Cut the text into stretches that no sentence crosses."""
    start = 0
    for match in _PARAGRAPH_BREAK.finditer(text):
        yield from _paragraph_blocks(text, start, match.start())
        start = match.end()
    yield from _paragraph_blocks(text, start, len(text))


def _paragraph_blocks(text: str, start: int, end: int) -> Iterator[Span]:
    if text.find("\n", start, end) < 0:
        if start < end:
            yield Span(start, end)
        return
    lines = text[start:end].split("\n")
    long_enough = _SHORT_LINE * _wrap_width(lines)
    offset = block = start
    for line, following in itertools.pairwise(lines):
        offset += len(line) + 1
        if _is_own_line(line, following) or _is_not_wrapped(line, following, long_enough):
            yield Span(block, offset)
            block = offset
    yield Span(block, end)


def _wrap_width(lines: list[str]) -> float:
    """Guess the line length a paragraph was wrapped to: 0 where that cannot be told, infinite for a listing.

    Three in four lines are no longer than the width. In a listing (the cells of a table, a table of contents)
    nearly every line begins like a sentence, which lines wrapped at a width never do.
    """
    new = sum(1 for line in lines if _STARTS_NEW.match(line))
    if len(lines) >= _LISTING_LINES and new >= _LISTING_SHARE * len(lines):
        return math.inf
    lengths = sorted(map(_width, lines))
    width = lengths[math.ceil(0.75 * (len(lengths) - 1))]
    least = _CJK_WRAP_WIDTH if any(_CJK_CHARACTER.match(line) for line in lines) else _WRAP_WIDTH
    return width if width >= least else 0


def _is_own_line(line: str, following: str) -> bool:
    """Recognise headings, table rows, list items and the hard line break of Markdown (two spaces)."""
    if _LONE_LINE.match(line) or _LONE_LINE.match(following) or _BULLET.match(following):
        return True
    if _NUMBERED.match(following):
        if _FIRST_ITEM.match(following) or _BEFORE_ITEM.search(line):
            return True
        return bool(_NUMBERED.match(line) or _BULLET.match(line))
    return line.endswith("  ")


def _is_not_wrapped(line: str, following: str, long_enough: float) -> bool:
    """Recognise a title or a cell: too short to have been wrapped, and what follows may begin a sentence."""
    line = line.rstrip()
    chinese = _CJK_CHARACTER.match(following.lstrip())
    if _ENDS_OPEN.search(line) or not (chinese or _STARTS_NEW.match(following)):
        return False
    next_word = 0 if chinese or not following.strip() else len(following.split(maxsplit=1)[0])
    return _width(line) + 1 + next_word < long_enough


def _width(line: str) -> int:
    """Columns that a line takes: two for a Chinese, Japanese or Korean sign."""
    return len(line) if line.isascii() else len(line) + len(_CJK_CHARACTER.findall(line))


# -- sentence ends ---------------------------------------------------------------------------------------

# Abbreviations that sentencex does not know: they end no sentence before a figure, or before a name.
_BEFORE_FIGURE = re.compile(
    r"\b(?:vols?|chs?|eqs?|figs|refs?|secs|nos|approx|circa|est|eds?|arts|bks?|pts?|ser|tel|ext)\s?\.\s+$",
    re.I,
)
_BEFORE_NAME = re.compile(r"\b(?:ms|mts|symph|feat|dir|prod|trans|dept|esp|incl)\s?\.\s+$", re.I)
_LIST_MARKER = re.compile(r"\s*[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\s?[.)]\s*")
_REFERENCES = re.compile(r"(?:\[\s?(?:\d{1,3}|[a-z]|edit|note \d+|citation needed)\s?\]\s*)+")
_LEADING_BRACKET = re.compile(r"[(（][^()（）]*[.!?。！？]\s?[)）]\s*(?=[A-Z\u3040-\u9fff])")
_STOP_BEFORE_FIGURE = re.compile(r"[。！？](?=\d)")
_PAIRED = ("“”", "‘’", "「」", "『』", "（）", "《》", "()", "【】")
_SENTENCE_END = re.compile(r"[.!?…。！？।؟]")


def _block_sentences(text: str, block: Span) -> Iterator[Span]:
    cuts = _ends(text[block.start : block.end])
    start = block.start
    for cut in [*(block.start + c for c in cuts), block.end]:
        span = _trim(text, start, cut)
        if span.start < span.end:
            yield span
        start = cut


def _ends(block: str) -> list[int]:
    """Find where sentences end, the white space after them included; the end of the block is left out."""
    if not _SENTENCE_END.search(block):
        return []
    language = "zh" if _is_cjk(block) else "en"
    ends: list[int] = []
    start = 0
    for raw in _raw_ends(block, language):
        end = _after_references(block, raw)
        if end > start and _is_sentence_end(block, start, end):
            ends.append(end)
            start = end
    brackets = (_LEADING_BRACKET.match(block, start) for start in (0, *ends))
    return sorted({*ends, *(bracket.end() for bracket in brackets if bracket and bracket.end() < len(block))})


def _is_cjk(block: str) -> bool:
    if block.isascii():
        return False
    return len(_CJK_CHARACTER.findall(block)) > _CJK_SHARE * len(block)


def _raw_ends(block: str, language: str) -> Iterator[int]:
    """Run sentencex window by window; the last sentence of a window may go on, so it opens the next."""
    start = 0
    while start < len(block):
        window = block[start : start + _WINDOW]
        is_last = start + len(window) == len(block)
        ends = [found["end_index"] for found in sentencex.get_sentence_boundaries(language, window)]
        if language == "zh":
            ends = sorted({*ends, *_before_figures(window)})
        inner = [end for end in ends if 0 < end < len(window)]
        yield from (start + end for end in inner)
        if is_last:
            return
        # Nothing found in a whole window: a run-on, cut here at a space and to size later.
        start += inner[-1] if inner else _last_space(window)
        if not inner:
            yield start


def _before_figures(window: str) -> Iterator[int]:
    """Where a Chinese sentence ends before a figure, which sentencex takes for its continuation ("十一位。2月25日").

    Not inside a quotation or a bracket, which are kept whole.
    """
    for match in _STOP_BEFORE_FIGURE.finditer(window):
        before = window[: match.start()]
        if all(before.count(pair[0]) <= before.count(pair[1]) for pair in _PAIRED):
            yield match.end()


def _last_space(window: str) -> int:
    return max(window.rfind(" "), window.rfind("\n")) + 1 or len(window)


def _after_references(block: str, end: int) -> int:
    """Move a sentence end past reference marks: they belong to the sentence before them."""
    match = _REFERENCES.match(block, end)
    return match.end() if match else end


def _is_sentence_end(block: str, start: int, end: int) -> bool:
    if end >= len(block):
        return False
    if inside_word(block, end) and block[end - 1] != "]":
        return False
    tail = block[max(start, end - 16) : end]
    if tail.endswith("．") and tail[-2:-1].isdigit() and block[end].isdigit():
        return False  # a decimal point in full width
    # "Oh, Baby! is a film": the mark belongs to a name.
    if block[end].islower() and tail.rstrip().endswith(("!", "?")):
        return False
    if block[end].isdigit() and _BEFORE_FIGURE.search(tail):
        return False
    if block[end].isupper() and _BEFORE_NAME.search(tail):
        return False
    return _LIST_MARKER.fullmatch(block, start, end) is None


def _trim(text: str, start: int, end: int) -> Span:
    """Leave out white space at both ends, without a copy of what may be a very long run."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


# -- runs that are too long ------------------------------------------------------------------------------

_QUOTES = re.compile(r"[\"'“”‘’„«»‹›()\[\]{}「」『』（）《》`]")
# Where a run-on is cut, the best place first: what separates entries, clauses, words.
_CUTS = (
    re.compile(r"\n|;\s|；|\s[|•·–—]\s"),
    re.compile(r",\s(?!\d)|[，、：]"),
    re.compile(r"\s"),
)


def _cut_long(text: str, sentence: Span) -> Iterator[Span]:
    if sentence.end - sentence.start <= MAX_SENTENCE:
        yield sentence
        return
    # A long quotation hides the sentences in it: look again as if its marks were not there.
    unquoted = _QUOTES.sub(" ", sentence.of(text))
    start = sentence.start
    for end in [*(sentence.start + e for e in _ends(unquoted)), sentence.end]:
        if not inside_word(text, end):
            yield from _cut_run(text, _trim(text, start, end))
            start = end


def _cut_run(text: str, run: Span) -> Iterator[Span]:
    """Cut a run into pieces of about equal length, none longer than `MAX_SENTENCE`."""
    while run.end - run.start > MAX_SENTENCE:
        length = run.end - run.start
        share = math.ceil(length / math.ceil(length / MAX_SENTENCE))
        cut = _best_cut(text, run.start + share // 2, run.start + min(MAX_SENTENCE, share + share // 10))
        yield _trim(text, run.start, cut)
        run = _trim(text, cut, run.end)
    if run.start < run.end:
        yield run


def _best_cut(text: str, low: int, high: int) -> int:
    for pattern in _CUTS:
        cut = max((match.end() for match in pattern.finditer(text, low, high)), default=0)
        if cut:
            return cut
    return high
