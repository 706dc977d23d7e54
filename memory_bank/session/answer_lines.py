"""Splits an answer into lines, each a statement with the passages that it cites, and finds the table that they make."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_bank.bank.answer import HEADING, NO_PASSAGES, UNCONFIRMEDS, Answer, Citation, Dispute
from memory_bank.text.wording import one_line

_MARKS = re.compile(r"(?<!\d\])(?:\[\d+\])+\s*$")
"""The citation numbers at the end of a line. A number within a line was written by a document or a model."""
_NUMBER = re.compile(r"\[(\d+)\]")
_UNFOUNDED = (*NO_PASSAGES.values(), *UNCONFIRMEDS.values())
_AFTER_UNFOUNDED = "|".join(rf"(?<={re.escape(words)})" for words in _UNFOUNDED)
_LINE_END = re.compile(rf"\n\s*\n|(?:(?<=\])|{_AFTER_UNFOUNDED})\n|\n(?=[-*] )")
"""Where a statement may end. Other line breaks come from the page layout of a quoted passage."""
_QUOTED = re.compile(rf"”\s*(?:(?:\[\d+\])+|(?:\[\d+\])*\s*(?:{'|'.join(map(re.escape, _UNFOUNDED))}))$")
"""A statement that ends in a quotation. Numbers after anything else are footnotes of the document."""
_LABELLED = re.compile(r"([^“”]+): (“.*”)", re.DOTALL)
"""A quotation with the document or thing that it is of before it."""
_ENDING = 80
"""Most characters of such an ending."""


@dataclass(frozen=True)
class Line:
    """A statement on one line with its citations, or the heading of a group of statements.

    `founded` is False if no passage supports it; the citations are then those that do not confirm it. `item`: it is one
    of a list.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    founded: bool = True
    heading: bool = False
    item: bool = False


@dataclass(frozen=True)
class Table:
    """A comparison: a column for each of two things, a row for each attribute on which both say something.

    `rest` is what only one of them says, with its headings.
    """

    columns: tuple[str, str]
    rows: tuple[tuple[str, tuple[Line, Line]], ...]
    rest: tuple[Line, ...]


def comparison_table(lines: Sequence[Line]) -> Table | None:
    """The lines as a table if they are one: quotations of the same two things under several headings, nothing else."""
    labelled: list[tuple[Line, str, Line]] = []
    heading: Line | None = None
    for line in lines:
        if line.heading:
            heading = line
        elif heading and (match := _LABELLED.fullmatch(line.text)):
            labelled.append((heading, match[1], line))
        else:
            return None
    names = list(dict.fromkeys(label for _, label, _ in labelled))
    if len(names) != 2 or len({each for each, _, _ in labelled}) < 2:
        return None
    rows: list[tuple[str, tuple[Line, Line]]] = []
    rest: list[Line] = []
    last: Line | None = None
    remaining = deque(labelled)
    while remaining:
        each, label, line = remaining.popleft()
        if label == names[0] and remaining and remaining[0][:2] == (each, names[1]):
            other = remaining.popleft()[-1]
            rows.append((each.text, (_without_label(line), _without_label(other))))
        else:
            rest += [line] if each is last else [each, line]
            last = each
    return Table((names[0], names[1]), tuple(rows), tuple(rest)) if rows else None


def _without_label(line: Line) -> Line:
    return replace(line, text=_LABELLED.sub(r"\2", line.text))


def answer_statements(answer: Answer) -> list[Line]:
    """The statements and headings of an answer, without its disputes, which stand at its end."""
    whole = answer.text
    for dispute in reversed(answer.disputed):
        ending = "\n" + "\n".join(f"- {side}" for side in dispute.sides)
        if whole.endswith(ending):
            whole = whole.removesuffix(ending).rpartition("\n\n")[0]
    texts = (" ".join(part.split()) for part in _split(whole))
    return [_line(text, answer) for text in texts if text]


def affirmed_statements(answer: Answer) -> list[Line]:
    """The statements and headings that an answer affirms."""
    return answer_statements(answer.model_copy(update={"text": answer.affirmed, "disputed": ()}))


def _split(text: str) -> Iterator[str]:
    """Split into statements. A line break inside a quotation ends none, unless our citation numbers stand before it."""
    last_closing = text.rfind("”")
    start = scanned = open_quotes = 0
    for end in _LINE_END.finditer(text):
        open_quotes += text.count("“", scanned, end.start()) - text.count("”", scanned, end.start())
        scanned = end.end()
        in_quotation = open_quotes > 0 and last_closing >= scanned
        if not in_quotation or _QUOTED.search(text, max(start, end.start() - _ENDING), end.start()):
            yield text[start : end.start()]
            start, open_quotes = scanned, 0
    yield text[start:]


def sides(dispute: Dispute, answer: Answer) -> list[Line]:
    """The two sides of a dispute, a line each."""
    return [_line(" ".join(side.split()), answer) for side in dispute.sides]


def _line(text: str, answer: Answer) -> Line:
    words = text.removeprefix("- ").removeprefix("* ")
    line = replace(_split_line(words, answer), item=words != text)
    return replace(line, text=next((each for each in answer.lines if one_line(each) == line.text), line.text))


def _split_line(text: str, answer: Answer) -> Line:
    for unfounded in NO_PASSAGES.values():
        if text.endswith(unfounded):
            return Line(text.removesuffix(unfounded).rstrip(), founded=False)
    for unconfirmed in UNCONFIRMEDS.values():
        if text.endswith(unconfirmed):
            return replace(_cited_line(text.removesuffix(unconfirmed).rstrip(), answer), founded=False)
    return _cited_line(text, answer)


def _cited_line(text: str, answer: Answer) -> Line:
    known = {citation.number: citation for citation in answer.citations}
    marks = _MARKS.search(text)
    numbers = [int(number) for number in _NUMBER.findall(marks[0])] if marks else []
    if text.startswith(HEADING) and marks is None:
        return Line(text.removeprefix(HEADING), heading=True)
    if marks is None or not all(number in known for number in numbers):
        return Line(text)
    return Line(text[: marks.start()].rstrip(), tuple(known[number] for number in numbers))
