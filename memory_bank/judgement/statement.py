"""Statements of a text, each with what stands around it (specification 7, "What is a claim").

A statement is a sentence, a list entry or a table row that says something. Headings, lines of a table of contents,
page numbers, code, mail headers, labels without a value and questions are none. What decides is form (marks of
Markdown, rules, dot leaders, where a line ends), never a list of words, so that it holds for any language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span

TITLE_CHARACTERS, HEADING_CHARACTERS, BEFORE_CHARACTERS = 60, 60, 120
"""How much of a title, a heading and the sentence before is given to the model with a statement."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a model reads: a statement's words, and what stands around it (title, heading, the sentence before)."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A statement of a text: its words are exactly `text[start:end]`."""

    statement: Statement
    start: int
    end: int


def statements_of(text: str, title: str = "") -> list[PlacedStatement]:
    """The statements of a document in its order; `title` is its title, where it is known."""
    heading, before, columns = "", "", ""
    found: list[PlacedStatement] = []
    for line in _lines(text):
        if line.kind is _HEADING:
            title, heading, before = (title or line.words), line.words, ""
        elif line.kind is _COLUMNS:
            columns = line.words
        elif line.kind is _STATEMENT:
            around = columns if line.row else before
            found.append(PlacedStatement(Statement(line.words, context(title, heading, around)), line.start, line.end))
            before = line.words
        else:
            before = line.words if line.kind is _SAID else before
        if not line.row:
            columns = ""
    return found


def context_at(placed: list[PlacedStatement], start: int, end: int) -> str:
    """What stands around a stretch of a text, given the statements of all of it; "" where it is none of them."""
    inside = (one for one in placed[bisect_right(placed, start, key=lambda one: one.end) :] if one.start < end)
    return next((one.statement.context for one in inside), "")


def context(title: str, heading: str, before: str) -> str:
    """What stands around a statement, in the one form that the models are trained on."""
    parts = [_cut(title, TITLE_CHARACTERS)]
    if heading and _flat(heading) != _flat(title):
        parts.append(_cut(heading, HEADING_CHARACTERS))
    if before:
        parts.append(_flat(before)[-BEFORE_CHARACTERS:])
    return " · ".join(part for part in parts if part)


# -- lines and their kinds -----------------------------------------------------------------------------------------

_HEADING, _COLUMNS, _STATEMENT, _SAID, _NOTHING = range(5)


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence of the text with its kind; `words` are without the marks of a list or a heading."""

    kind: int
    words: str
    start: int
    end: int
    row: bool = False


_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_MARKED_HEADING = re.compile(r"\s*#{1,6}\s+(.*)", re.DOTALL)
_LIST_MARK = re.compile(
    r"\s*(?:[-*+•‣◦▪●○·–]\s+|\(?\d{1,3}(?:\.\d{1,3})*[.)]\s+|\(?[a-z][.)]\s+|[（(]?[一二三四五六七八九十]{1,3}[）)、]\s*)+"
)
_TABLE_RULE = re.compile(r"[\s|:+=-]{3,}")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|_{3,}")
_MAIL_HEADER = re.compile(r"[A-Z][\w-]{1,24}:\s")
_LABEL_ALONE = re.compile(r"[^:：]{1,60}[:：]\s*")
_ENDS = re.compile(r"[.!?。！？…][\"'”’»」』)）\]]*$")
_QUESTION = re.compile(r"[?？][\"'”’»」』)）\]]*$")
_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_CODE_SIGNS = re.compile(r"[{}<>=;$\\`_#@|~^]|\w\(|\)\.|->|::|//")
_CODE_SHARE = 0.06
_HEADING_WORDS = 9
_FEWEST_WORDS = 3


def _lines(text: str) -> Iterator[_Line]:
    """Every sentence of a text with its kind."""
    fences = [match.start() for match in _FENCE.finditer(text)]
    spans = sentences(text)
    mail = _mail_header_end(text)
    for number, span in enumerate(spans):
        raw = span.of(text)
        if span.start < mail or bisect_right(fences, span.start) % 2:
            yield _Line(_NOTHING, raw, span.start, span.end)
        elif "|" in raw and raw.count("|") >= 2 and "\n" not in raw.strip():
            following = spans[number + 1].of(text) if number + 1 < len(spans) else ""
            yield _row(raw, following, span)
        else:
            yield _line(raw, text, span, alone=_stands_alone(number, spans, text))


def _row(raw: str, following: str, span: Span) -> _Line:
    cells = [cell.strip() for cell in raw.strip().strip("|").split("|")]
    if _TABLE_RULE.fullmatch(raw.strip()):
        return _Line(_NOTHING, "", span.start, span.end, row=True)
    if _TABLE_RULE.fullmatch(following.strip()):
        return _Line(_COLUMNS, " | ".join(cells), span.start, span.end, row=True)
    filled = sum(bool(_WORD.search(cell)) for cell in cells)
    return _Line(_STATEMENT if filled >= 2 else _NOTHING, raw, span.start, span.end, row=True)


def _line(raw: str, text: str, span: Span, *, alone: bool) -> _Line:
    marked = _MARKED_HEADING.match(raw)
    if marked and "\n" not in raw.strip():
        return _Line(_HEADING, marked[1].rstrip().rstrip("#").rstrip(), span.start, span.end)
    mark = _LIST_MARK.match(raw)
    start = span.start + (mark.end() if mark and mark.end() < len(raw) else 0)
    words = text[start : span.end]
    length = _length(words)
    ended = bool(_ENDS.search(words))
    if not length or _LEADERS.search(words) or _is_code(words):
        return _Line(_NOTHING, words, start, span.end)
    if _QUESTION.search(words):
        return _Line(_SAID, words, start, span.end)
    if _LABEL_ALONE.fullmatch(words):
        return _Line(_HEADING if alone and not mark else _SAID, words.rstrip(":： \n"), start, span.end)
    if not (ended or mark or _gives_a_value(words)) and alone and length <= _HEADING_WORDS:
        return _Line(_HEADING, words, start, span.end)
    if length < _FEWEST_WORDS and not _gives_a_value(words):
        return _Line(_SAID, words, start, span.end)
    return _Line(_STATEMENT, words, start, span.end)


def _gives_a_value(words: str) -> bool:
    """Whether a line is a label with its value: "Head of care: M. Oyelaran", "Opening hours – 9 to 5"."""
    label, sign, value = (
        re.split(r"([:：\t]|\s[–—-]\s)", words, maxsplit=1)
        if re.search(r"[:：\t]|\s[–—-]\s", words)
        else (words, "", "")
    )
    return bool(sign) and bool(_WORD.search(label)) and bool(_WORD.search(value))


def _length(words: str) -> float:
    """Words; of Chinese, two signs are about one."""
    signs = len(_CHINESE.findall(words))
    return len(_WORD.findall(_CHINESE.sub(" ", words))) + signs / 2


def _stands_alone(number: int, spans: Sequence[Span], text: str) -> bool:
    """Whether a sentence has its line, or lines, for itself."""
    first, last = number == 0, number + 1 == len(spans)
    begins = first or "\n" in text[spans[number - 1].end : spans[number].start]
    return begins and (last or "\n" in text[spans[number].end : spans[number + 1].start])


def _is_code(words: str) -> bool:
    return len(_CODE_SIGNS.findall(words)) > max(1.0, _CODE_SHARE * len(words))


def _mail_header_end(text: str) -> int:
    """Where a mail's header ends: two lines or more of "Name: value" at the top, up to the first empty line."""
    head, ended, _ = text.lstrip("\ufeff\n").partition("\n\n")
    lines = head.splitlines()
    named = sum(bool(_MAIL_HEADER.match(line)) for line in lines)
    names = {line.partition(":")[0] for line in lines}
    is_header = ended and named == len(lines) and len({"From", "To", "Subject", "Date"} & names) >= 2
    return text.find(head) + len(head) if is_header else 0


def _flat(words: str) -> str:
    return " ".join(words.split())


def _cut(words: str, most: int) -> str:
    flat = _flat(words)
    return flat if len(flat) <= most else flat[:most].rsplit(" ", 1)[0]
