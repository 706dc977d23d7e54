"""Markdown as a person reads it: plain text without its marks, in which every place of the source can be found again.

Only what is certain is changed, and nothing takes effect: tags stay as they are written. What is struck through keeps
its marks, because without them it would be affirmed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import pairwise

from memory_bank.text.span import Span
from memory_bank.text.table_row import cells_between_bars

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`\n]*$")
_RULE = re.compile(r" {0,3}(?:=+|([-*_])(?:[ \t]*\1){2,})[ \t]*$")
_TABLE_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]?)+")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_ITEM = re.compile(r"[ \t]*([-*+])[ \t]+")
_BOX = re.compile(r"\[([ xX])\][ \t]+")
_NUMBER = re.compile(r"[ \t]*\d{1,9}[.)][ \t]+")

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^\n]{1,500}?)(?<!`)\1(?!`)")
_LINK = re.compile(
    r"(!?\[)([^\[\]\n]{0,500})"
    r"(\](?:\((?:[^()\s]++|\([^()\s]*+\)){0,9}(?:[ \t]+\"[^\"\n]{0,500}\")?\)|\[[^\[\]\n]{0,200}\]))"
)
_ADDRESS = re.compile(r"(<)((?:https?://|mailto:)[^<>\s]{1,2000})(>)")
_WITHIN = r"((?:[^\n]|\n(?![ \t]*\n)){1,500}?)"
_EMPHASIS = tuple(
    re.compile(rf"(?<![{before}])({mark})(?=[^\s{own}]){_WITHIN}(?<=[^\s{own}])({mark})(?![{before}])")
    for mark, own, before in (
        (r"\*\*\*", "*", r"\d*"),
        (r"\*\*", "*", r"\d*"),
        ("___", "_", r"\w"),
        ("__", "_", r"\w"),
        (r"\*", "*", r"A-Za-z\d*"),
        ("_", "_", r"\w"),
    )
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)

_GONE, _KEPT = "\0", "\1"
"""What stands in place of a mark that is left out, and of a character that marks nothing."""
_BLANK = f" \t{_GONE}"
_CACHED_CHARACTERS = 200_000
_Edit = tuple[int, int, str]
"""A part of the source, and what a person reads in its place."""


@dataclass(frozen=True)
class Readable:
    """A plain text, and for each of its changes where it is in the source and in the plain text."""

    text: str
    changes: tuple[tuple[Span, Span], ...] = ()

    def span(self, start: int, end: int) -> Span:
        """Where a passage of the source is in the plain text. A passage of marks alone, or none, is empty."""
        places = (self._place(max(start, 0), leads=True), self._place(max(end, 0), leads=False))
        first, last = (min(place, len(self.text)) for place in places)
        return Span(first, max(first, last))

    def quote(self, start: int, end: int) -> str:
        """A passage of the source as plain text."""
        return self.span(start, end).of(self.text).strip()

    def around(self, start: int, end: int, context: int) -> tuple[str, str, str]:
        """A passage of the source as plain text, with so many characters before and after it."""
        start, end = self.span(start, end)
        before = ("…" if start > context else "") + self.text[max(0, start - context) : start]
        after = self.text[end : end + context] + ("…" if end + context < len(self.text) else "")
        return before, self.text[start:end], after

    def _place(self, offset: int, *, leads: bool) -> int:
        """Where a passage begins (`leads`) or ends. What stands for a change that it cuts is not part of it."""
        index = bisect_right(self.changes, offset, key=lambda change: change[0].start) - 1
        if index < 0:
            return offset
        source, plain = self.changes[index]
        if offset == source.start:
            return plain.start
        return plain.end + max(offset - source.end, 0) if leads or offset >= source.end else plain.start


class _Masked:
    """A text of the same length as the source, in which what was dealt with is hidden, and the edits so far."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.edits: list[_Edit] = []
        self._characters = list(source.replace(_GONE, " ").replace(_KEPT, " "))

    @property
    def text(self) -> str:
        return "".join(self._characters)

    def keep(self, start: int, end: int) -> None:
        """Hide characters that mark nothing, such as those of code."""
        self._characters[start:end] = _KEPT * (end - start)

    def replace(self, start: int, end: int, new: str = "") -> None:
        """Replace a part of the source, or leave it out."""
        if start < end or new:
            self.edits.append((start, end, new))
            self._characters[start:end] = (_KEPT if new else _GONE) * (end - start)


def readable(text: str) -> Readable:
    """Markdown as plain text. A passage of it may begin and end anywhere."""
    return _cached(text) if len(text) <= _CACHED_CHARACTERS else _readable(text)


def _readable(text: str) -> Readable:
    masked = _Masked(text)
    _blocks(masked)
    _inline(masked)
    _tables(masked)
    return _edited(text, sorted(masked.edits, key=lambda edit: (edit[0], -edit[1])))


_cached = lru_cache(maxsize=256)(_readable)


def _edited(text: str, edits: Sequence[_Edit]) -> Readable:
    pieces: list[str] = []
    changes = []
    at = length = 0
    for start, end, new in edits:
        if start < at:
            continue
        pieces += (text[at:start], new)
        length += start - at
        changes.append((Span(start, end), Span(length, length + len(new))))
        at, length = end, length + len(new)
    return Readable("".join((*pieces, text[at:])), tuple(changes))


# -- lines -------------------------------------------------------------------------------------------------------


def _lines(text: str) -> Iterator[Span]:
    start = 0
    for line in text.split("\n"):
        yield Span(start, start + len(line))
        start += len(line) + 1


def _blocks(masked: _Masked) -> None:
    """Keep the lines of code, and leave out fences, rules, and the marks at the beginning of other lines."""
    text, fence = masked.text, ""
    for line in _lines(text):
        words = line.of(text)
        opening = _FENCE.match(words)
        if opening and (not fence or opening[1].startswith(fence)):
            fence = "" if fence else opening[1]
            masked.replace(line.start, min(line.end + 1, len(text)))
        elif fence:
            masked.keep(*line)
        elif _RULE.match(words):
            masked.replace(line.start, min(line.end + 1, len(text)))
        else:
            _line_marks(masked, text, line)


def _line_marks(masked: _Masked, text: str, line: Span) -> None:
    """Leave out the marks of a quotation and of a heading; draw those of an item and of its box."""
    at = line.start
    if quoted := _QUOTED.match(text, at, line.end):
        masked.replace(at, quoted.end())
        at = quoted.end()
    if heading := _HEADING.match(text, at, line.end):
        masked.replace(at, heading.end())
        title = text[heading.end() : line.end].rstrip(" \t")
        if (closed := title.rstrip("#")) != closed.rstrip(" \t"):  # "## Title ##"
            masked.replace(heading.end() + len(closed.rstrip(" \t")), line.end)
        return
    item = _ITEM.match(text, at, line.end)
    marker = item or _NUMBER.match(text, at, line.end)
    box = _BOX.match(text, marker.end() if marker else at, line.end)
    if item:
        masked.replace(item.start(1), item.end() if box else item.end(1), "" if box else "•")
    if box:
        masked.replace(*box.span(), "☐ " if box[1] == " " else "☑ ")


# -- within lines ------------------------------------------------------------------------------------------------


def _inline(masked: _Masked) -> None:
    """Leave out the marks of code, links and emphasis; write characters that were escaped or named."""
    for escaped in _ESCAPED.finditer(masked.text):
        masked.replace(escaped.start(), escaped.start() + 1)
        masked.keep(*escaped.span(1))
    for code in _CODE.finditer(masked.text):
        masked.replace(*code.span(1))
        masked.keep(*code.span(2))
        masked.replace(code.end(2), code.end())
    for pattern in (_LINK, _ADDRESS, *_EMPHASIS):
        for marked in pattern.finditer(masked.text):
            masked.replace(*marked.span(1))
            masked.replace(*marked.span(3))
    text = masked.text
    for entity in _ENTITY.finditer(text):
        if (character := unescape(entity[0])) != entity[0]:
            masked.replace(*entity.span(), character)
    for line_break in _BREAK.finditer(text):
        masked.replace(*line_break.span(), " ")


# -- tables ------------------------------------------------------------------------------------------------------


def _tables(masked: _Masked) -> None:
    """Write each row of a table as its cells under the names of their columns."""
    text = masked.text
    names: list[str] | None = None
    for line, following in pairwise([*_lines(text), Span(len(text), len(text))]):
        if "|" not in line.of(text):
            names = None
        elif _is_table_rule(line.of(text)):
            masked.replace(line.start, min(line.end + 1, len(text)))
        elif _is_table_rule(following.of(text)):
            names = [_readable(cell.of(masked.source)).text for cell in _cells(text, line)]
            _row(masked, text, line, ())
        elif names is not None or line.of(text).strip(_BLANK).startswith("|"):
            _row(masked, text, line, names or ())


def _is_table_rule(line: str) -> bool:
    return "|" in line and bool(_TABLE_RULE.fullmatch(line.strip(_BLANK)))


def _cells(text: str, line: Span) -> list[Span]:
    """The cells of a row without the blanks around them."""
    cells = cells_between_bars(line.of(text).replace(_GONE, " "))
    return [_trimmed(text, line.start + cell.start, line.start + cell.end) for cell in cells]


def _row(masked: _Masked, text: str, line: Span, names: Sequence[str]) -> None:
    """Write the cells that hold something, each after the name of its column if that has one."""
    row = _trimmed(text, *line)
    at, between = row.start, ""
    for number, cell in enumerate(_cells(text, line)):
        if cell.start < cell.end:
            name = names[number] if number < len(names) else ""
            masked.replace(at, cell.start, between + (f"{name}: " if name else ""))
            at, between = cell.end, " · "
    masked.replace(at, row.end)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in _BLANK:
        start += 1
    while start < end and text[end - 1] in _BLANK:
        end -= 1
    return Span(start, end)
