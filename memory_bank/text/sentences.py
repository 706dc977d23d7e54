"""Split a text into sentences, as character spans.

A text is split in four steps, each one finer: at hard line breaks (blank lines, list items, table rows, headings, short
lines that were not wrapped); by the rules of the `sentencex` library; by corrections to these rules; and, in runs
without a full stop, so that no sentence is longer than `MAX_SENTENCE` characters.

Nothing inside a quotation or a bracket is split, unless the whole would be too long.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import sentencex

from memory_bank.text.language_detection import detect_language
from memory_bank.text.span import Span

# A "sentence" of more characters is a run-on (navigation bar, infobox, legal clause) and is cut.
MAX_SENTENCE = 600

# Characters passed to sentencex at a time: its time is quadratic in the length (118 s for 1 MB of Chinese).
_WINDOW = 2000

_CJK = r"\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_CJK_SHARE = 0.2


def sentences(text: str) -> list[Span]:
    """The sentences of `text`, in order: trimmed, never empty, at most `MAX_SENTENCE` characters long.

    Only white space lies between two spans, and no character is in two of them.
    """
    # sentencex fails on a lone surrogate; the replacement has the same length.
    safe = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    spans: list[Span] = []
    for block in _blocks(safe):
        start = block.start
        inside = PARAGRAPH_BREAK.sub(lambda blank: " " * len(blank[0]), block.of(safe))
        for end in [*(start + end for end in _ends(inside)), block.end]:
            spans.extend(_cut_long(safe, _trim(safe, start, end)))
            start = end
    return spans


def inside_word(text: str, position: int) -> bool:
    """Whether a cut before the character at `position` would go through a word.

    It would unless one of the characters beside it is white space or Chinese, Japanese or Korean, which may be cut
    after any character.
    """
    if not 0 < position < len(text):
        return False
    before, after = text[position - 1], text[position]
    if before.isspace() or after.isspace():
        return False
    return not (_CJK_CHARACTER.match(before) or _CJK_CHARACTER.match(after))


# -- hard line breaks ------------------------------------------------------------------------------------

PARAGRAPH_BREAK = re.compile(r"\n(?:[^\S\n]*\n)+")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦▪●○·]\s|\(?[a-zA-Z\d]{1,2}\)\s)")
# "4.5 The" numbers a section; "4.5 million" is a figure in a wrapped sentence.
_NUMBERED = re.compile(
    r"\s*(?:\d{1,2}(?:[.)]\s|、)|\d{1,2}(?:\.\d{1,2})+\s+[\"“(]?[A-Z]|[一二三四五六七八九十]{1,3}、)"
)
# "1." begins a list; a higher number continues a list, or is the end of a wrapped sentence.
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
_BEGINS_INSIDE = re.compile(r"[a-zß-ÿ]{3}[.!?] [A-ZÀ-Þ](?:(?![.!?] ).)*(?<![.!?:])$")
"""A line inside which a sentence ends and another begins, which goes on in the next line."""
_EVEN, _OPEN_SHARE = 0.7, 0.25


def _blocks(text: str) -> Iterator[Span]:
    """Split the text into blocks that no sentence crosses."""
    start = 0
    for match in PARAGRAPH_BREAK.finditer(text):
        if _is_inside_sentence(text, start, match):
            continue
        yield from _paragraph_blocks(text, start, match.start())
        start = match.end()
    yield from _paragraph_blocks(text, start, len(text))


def _is_inside_sentence(text: str, start: int, blank: re.Match[str]) -> bool:
    """Whether a blank line stands inside a sentence, as a page break does in text taken from pages.

    The line before it is long and has no end, and what follows cannot begin a sentence: a lower-case letter, or Chinese
    after a line that has clauses, which a title seldom has.
    """
    line = text[max(start, text.rfind("\n", start, blank.start()) + 1) : blank.start()].rstrip()
    if _LONE_LINE.match(line) or _width(line) < _WRAP_WIDTH or not line[-1].isalpha():
        return False
    following = text[blank.end() : blank.end() + 1]
    chinese = _CJK_CHARACTER.match(line[-1]) and _CJK_CHARACTER.match(following)
    return bool(chinese and following.isalpha() and "，" in line) or following.islower()


def _paragraph_blocks(text: str, start: int, end: int) -> Iterator[Span]:
    if text.find("\n", start, end) < 0:
        if start < end:
            yield Span(start, end)
        return
    lines = text[start:end].split("\n")
    long_enough = _SHORT_LINE * _wrap_width([line for line in lines if line.strip()] or lines)
    offset = block = start
    for line, following in itertools.pairwise(lines):
        offset += len(line) + 1
        if not line.strip() or not following.strip():
            continue  # a blank line inside a sentence
        if _is_own_line(line, following) or _is_not_wrapped(line, following, long_enough):
            yield Span(block, offset)
            block = offset
    yield Span(block, end)


def _wrap_width(lines: list[str]) -> float:
    """Guess the line length to which a paragraph was wrapped: 0 if unknown, infinite for a listing.

    Three in four lines are no longer than the width. In a listing (the cells of a table, a table of contents) nearly
    every line begins like a sentence, which is not so in wrapped text, unless it is German.
    """
    starts = sum(1 for line in lines if _STARTS_NEW.match(line))
    if len(lines) >= _LISTING_LINES and starts >= _LISTING_SHARE * len(lines) and not _is_even_prose(lines):
        return math.inf
    lengths = sorted(map(_width, lines))
    width = lengths[math.ceil(0.75 * (len(lengths) - 1))]
    narrowest = _CJK_WRAP_WIDTH if any(_CJK_CHARACTER.match(line) for line in lines) else _WRAP_WIDTH
    return width if width >= narrowest else 0


def _is_even_prose(lines: list[str]) -> bool:
    """Whether lines are of like length, and inside some of them a sentence begins that the next line goes on with.

    So it is in wrapped German, where lines often begin with a capital letter, since all nouns do.
    """
    longest = max(map(_width, lines))
    even = sum(_width(line) >= _EVEN * longest for line in lines)
    open_lines = sum(_BEGINS_INSIDE.search(line.rstrip()) is not None for line in lines)
    return even >= _EVEN * len(lines) and open_lines >= _OPEN_SHARE * len(lines)


def _is_own_line(line: str, following: str) -> bool:
    """Whether a line ends a block: at a heading, table row, list item or a hard Markdown line break (two spaces)."""
    if _LONE_LINE.match(line) or _LONE_LINE.match(following) or _BULLET.match(following):
        return True
    if _NUMBERED.match(following):
        if _FIRST_ITEM.match(following) or _BEFORE_ITEM.search(line):
            return True
        return bool(_NUMBERED.match(line) or _BULLET.match(line))
    return line.endswith("  ")


def _is_not_wrapped(line: str, following: str, long_enough: float) -> bool:
    """Whether a line is a title or a cell: too short to have been wrapped, and the next may begin a sentence."""
    line = line.rstrip()
    chinese = _CJK_CHARACTER.match(following.lstrip())
    if _ENDS_OPEN.search(line) or not (chinese or _STARTS_NEW.match(following)):
        return False
    next_word = 0 if chinese or not following.strip() else len(following.split(maxsplit=1)[0])
    return _width(line) + 1 + next_word < long_enough


def _width(line: str) -> int:
    """The width of a line in columns: two for a Chinese, Japanese or Korean character."""
    return len(line) if line.isascii() else len(line) + len(_CJK_CHARACTER.findall(line))


# -- sentence ends ---------------------------------------------------------------------------------------

# Abbreviations that sentencex does not know; they do not end a sentence before a number, or before a name.
_BEFORE_FIGURE = re.compile(
    r"\b(?:vols?|chs?|eqs?|figs|refs?|secs|nos|approx|circa|est|eds?|arts|bks?|pts?|ser|tel|ext)\s?\.\s+$",
    re.I,
)
_FIGURE = re.compile(r"[^\w\s]{0,2}\d")
_BEFORE_NAME = re.compile(r"\b(?:ms|mts|symph|feat|dir|prod|trans|dept|esp|incl)\s?\.\s+$", re.I)
_LIST_MARKER = re.compile(r"\s*(?:#{1,6}\s+)?[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\s?[.)]\s*")
_REFERENCES = re.compile(r"(?:\[\s?(?:\d{1,3}|[a-z]|edit|note \d+|citation needed)\s?\]\s*)+")
_LEADING_BRACKET = re.compile(r"[(（][^()（）]*[.!?。！？]\s?[)）]\s*(?=[A-Z\u3040-\u9fff])")
_STOP_BEFORE_DIGIT = re.compile(r"[。！？](?=\d)")
_PAIRED = ("“”", "‘’", "「」", "『』", "（）", "《》", "()", "【】")
_SENTENCE_END = re.compile(r"[.!?…。！？।؟]")
_ORDINAL = re.compile(r"\b\d{1,2}\.\s+[^\W\d_]")


def _ends(block: str) -> list[int]:
    """The ends of sentences, after the white space that follows them; without the end of the block."""
    if not _SENTENCE_END.search(block):
        return []
    ends: list[int] = []
    start = 0
    # English rules but for Chinese, and German ones with ordinals ("am 3. Mai")
    is_german = _ORDINAL.search(block) and detect_language(block) in ("de", None)
    is_chinese = len(_CJK_CHARACTER.findall(block)) > _CJK_SHARE * len(block)
    for raw in _raw_ends(block, "zh" if is_chinese else "de" if is_german else "en"):
        references = _REFERENCES.match(block, raw)  # they belong to the sentence before them
        end = references.end() if references else raw
        if end > start and _is_sentence_end(block, start, end):
            ends.append(end)
            start = end
    brackets = (_LEADING_BRACKET.match(block, start) for start in (0, *ends))
    return sorted({*ends, *(bracket.end() for bracket in brackets if bracket and bracket.end() < len(block))})


def _raw_ends(block: str, language: str) -> Iterator[int]:
    """Run sentencex window by window; the last sentence of a window may be incomplete, so the next begins with it."""
    start = 0
    while start < len(block):
        window = block[start : start + _WINDOW]
        is_last = start + len(window) == len(block)
        ends = [boundary["end_index"] for boundary in sentencex.get_sentence_boundaries(language, window)]
        if language == "zh":
            ends = sorted({*ends, *_ends_before_digits(window)})
        inner = [end for end in ends if 0 < end < len(window)]
        yield from (start + end for end in inner)
        if is_last:
            return
        # No end in a whole window: a run-on. Cut at a space here, and to size later.
        last_space = max(window.rfind(" "), window.rfind("\n")) + 1 or len(window)
        start += inner[-1] if inner else last_space
        if not inner:
            yield start


def _ends_before_digits(window: str) -> Iterator[int]:
    """Ends of Chinese sentences before a digit, which sentencex takes for a continuation ("十一位。2月25日").

    None inside a quotation or a bracket, which stay whole.
    """
    for match in _STOP_BEFORE_DIGIT.finditer(window):
        before = window[: match.start()]
        if all(before.count(pair[0]) <= before.count(pair[1]) for pair in _PAIRED):
            yield match.end()


def _is_sentence_end(block: str, start: int, end: int) -> bool:
    if end >= len(block) or (inside_word(block, end) and block[end - 1] != "]"):
        return False
    tail = block[max(start, end - 16) : end]
    if tail.endswith("．") and tail[-2:-1].isdigit() and block[end].isdigit():
        return False  # a decimal point in full width
    # "Oh, Baby! is a film": the mark belongs to a name.
    if block[end].islower() and tail.rstrip().endswith(("!", "?")):
        return False
    before_figure = _FIGURE.match(block, end) and _BEFORE_FIGURE.search(tail)
    if before_figure or (block[end].isupper() and _BEFORE_NAME.search(tail)):
        return False
    return _LIST_MARKER.fullmatch(block, start, end) is None


def _trim(text: str, start: int, end: int) -> Span:
    """Strip white space from both ends, without copying a text that may be very long."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


# -- runs that are too long ------------------------------------------------------------------------------

_QUOTES = re.compile(r"[\"'“”‘’„«»‹›()\[\]{}「」『』（）《》`]")
# Where a run-on is cut, the best place first: between entries, clauses, words.
_CUTS = (
    re.compile(r"\n|;\s|；|\s[|•·–—]\s"),
    re.compile(r",\s(?!\d)|[，、：]"),
    re.compile(r"\s"),
)


def _cut_long(text: str, sentence: Span) -> Iterator[Span]:
    if sentence.end - sentence.start <= MAX_SENTENCE:
        if sentence.start < sentence.end:
            yield sentence
        return
    # A long quotation hides the sentences in it: search again without the quotation marks.
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
        low, high = run.start + share // 2, run.start + min(MAX_SENTENCE, share + share // 10)
        ends = ([match.end() for match in pattern.finditer(text, low, high)] for pattern in _CUTS)
        cut = next((max(found) for found in ends if found), high)
        yield _trim(text, run.start, cut)
        run = _trim(text, cut, run.end)
    if run.start < run.end:
        yield run
