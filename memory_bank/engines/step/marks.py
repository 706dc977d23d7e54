"""How an answer cites: its marks, such as `[n12]`, and its text without them and without Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_bank.agents.prompt import clean_text
from memory_bank.judgement.statement import cells_of

_ID = r"(?:node\s+|节点\s*|conflict\s+|矛盾\s*)?[nrx]\d{1,9}"
_IDS = rf"{_ID}(?:\s*(?:[,;，；、&/–—-]|and\b|和|与)\s*{_ID})*"
_NOTE = r"(?:\s*[:：,，(（][^\[\]\n]{0,80})?"
"""What some models put after the ids: a page, a name."""
_ONE_MARK = (
    rf"(?:[\[【]\s*(?:\^|[^\W\d]{{2,12}}\s*[:：])?\s*{_IDS}{_NOTE}[\]】]"
    rf"|[(（]\s*(?!x){_IDS}\s*(?:[:：][^\[\]\n]{{0,80}})?[)）])"
)
"""In round brackets no conflict stands first: "(x2)" is "twice"."""
_MARKS = rf"{_ONE_MARK}(?:[^\S\n]*(?:[,;，；、&]|and\b|和|与)?[^\S\n]*{_ONE_MARK})*"
_MARK = re.compile(_ONE_MARK, re.IGNORECASE)
_MARK_GROUP = re.compile(_MARKS, re.IGNORECASE)
_LISTED = re.compile(_IDS, re.IGNORECASE)
_OBJECT = rf"(?:to|on|in|by|per|from|see|cf\.?)\s+{_MARKS}"
"""A mark as the object of a preposition: the words before it speak of the source, not of the matter."""
_LEANING = (
    re.compile(rf"\A\W*(?:[a-z]+\s+){{0,3}}{_OBJECT}\s*[,:]\s*", re.IGNORECASE),
    re.compile(rf",\s*(?:[a-z]+\s+){{0,3}}{_OBJECT}(?=\W*\Z)", re.IGNORECASE),
    re.compile(
        rf"[(（]\s*(?:(?:[a-z]+\s+){{0,2}}{_OBJECT}|(?:[^\W\d]+\s*[:：]|参?见)\s*{_MARKS})\s*[)）]", re.IGNORECASE
    ),
    re.compile(rf"(?:根据|据)\s*{_MARKS}\s*[,，:：]?\s*", re.IGNORECASE),
)
_MARKS_AFTER_STOP = re.compile(rf"([.!?。！？]+[\"”’)*]*)[^\S\n]*({_MARKS})[^\S\n]*([.。]?)", re.IGNORECASE)
_STOP_IN_BOLD = re.compile(r"([.!?。！？]+)(\*\*|__)(?=[^\S\n]+\S)")
_LINE_BEFORE_LIST = re.compile(r"([:：]\*{0,2})[^\S\n]*\n(?=[^\S\n]*\S)")
_TABLE_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?\s*")
NUMBER_IN_BRACKETS = re.compile(r"\[\d{1,3}\]")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_LIST_MARKER = re.compile(
    r"\A\s*(?:>\s*|[-*+•–]\s+|#{1,6}\s+|\(?\d{1,2}[.)](?=\s)|(?:\d{1,2}|[一二三四五六七八九十]{1,3})、)+\s*"
)
_HEADING = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*\n]+\*\*\s*$|.*[:：]\W*$", re.DOTALL)
_HEADING_LENGTH = 60
_EMPTY_BRACKETS = re.compile(r"[(\[（][\s,;，；、&]*[)\]）]")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?)](?!\w)|[。，；：！？、）])")


def with_marks_inside(answer: str) -> str:
    """The answer with each mark in its sentence: one after the full stop belongs to the sentence before it.

    A line that introduces others stands apart, and a row of a table becomes a line of its own.
    """
    text = "\n".join(_without_tables(answer.split("\n")))
    text = _STOP_IN_BOLD.sub(r"\2\1", _LINE_BEFORE_LIST.sub("\\1\n\n", text))
    return _MARKS_AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]} ", text)


def marks_in(sentence: str) -> tuple[str, ...]:
    """The ids that a sentence cites, in order: "n12", "r3"."""
    lists = (_LISTED.search(mark) for mark in _MARK.findall(sentence))
    return tuple(each.lower() for ids in lists if ids for each in re.findall(r"[nrx]\d+", ids[0], re.IGNORECASE))


def is_heading(sentence: str) -> bool:
    """Whether a sentence has the form of a heading: marked as one, all in bold, or ending in a colon."""
    return bool(_HEADING.match(_MARK.sub("", sentence)))


def heading_of(sentence: str) -> str | None:
    """The words of a heading, where it has that form: a few words that cite nothing, without a figure or a stop."""
    said = strip_markup(sentence).rstrip(":： ")
    is_short = len(said) <= _HEADING_LENGTH and re.search(r"[^\W\d]", said) and not re.search(r"[\d.!?。！？]", said)
    return said if is_short and is_heading(sentence) and not marks_in(sentence) else None


def strip_markup(text: str) -> str:
    """The text as a person reads it: without marks, numbers that look like citations, and Markdown."""
    text = _LIST_MARKER.sub("", text)
    for pattern in (*_LEANING, _MARK_GROUP, NUMBER_IN_BRACKETS, _EMPTY_BRACKETS, _LIST_MARKER, _EMPHASIS):
        text = pattern.sub("", text)
    return _SPACE_BEFORE_STOP.sub("", clean_text(text))


def _without_tables(lines: Sequence[str]) -> Iterator[str]:
    """The lines, each row of a table with the heads of its columns."""
    heads: list[str] = []
    for number, line in enumerate(lines):
        if "|" not in line:
            heads = []
        if number + 1 < len(lines) and "|" in line and _TABLE_RULE.fullmatch(lines[number + 1]):
            heads = cells_of(line)
        elif not heads:
            yield line
        elif not _TABLE_RULE.fullmatch(line):
            yield _row(heads, cells_of(line))


def _row(heads: Sequence[str], cells: Sequence[str]) -> str:
    """A row as one line: its cells under their heads, then the marks of cells that hold nothing else."""
    filled = [(head, cell) for head, cell in zip(heads, cells, strict=False) if re.search(r"\w", _MARK.sub("", cell))]
    marks = [cell for cell in cells if _MARK.search(cell) and not re.search(r"\w", _MARK.sub("", cell))]
    text = "; ".join(f"{head}: {cell}" if head else cell for head, cell in filled)
    return f"- {' '.join([text, *marks])}"
