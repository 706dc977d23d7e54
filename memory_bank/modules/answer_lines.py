"""An answer line by line: what is said, and which passages bear it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_bank.bank.answer import HEADING, NO_PASSAGE, Answer, Citation, Dispute

_MARKS = re.compile(r"(?<!\d\])(?:\[\d+\])+\s*$")
"""The numbers at the end of a line are ours; one within it is what a document or a model wrote."""
_NUMBER = re.compile(r"\[(\d+)\]")
_LINE_END = re.compile(rf"\n\s*\n|(?<=\])\n|(?<={re.escape(NO_PASSAGE)})\n|\n(?=[-*] )")
"""Where a statement may end: a passage may hold line breaks of its own, which are only how its page was set."""
_QUOTED = re.compile(rf"”\s*(?:(?:\[\d+\])+|{re.escape(NO_PASSAGE)})$")
"""How a quotation ends a statement; numbers after anything else in it are its document's own footnotes."""
_ENDING = 80
"""Characters that such an ending can have."""


@dataclass(frozen=True)
class Line:
    """A statement in one line, and the citations that stand after it, or the heading of a group of statements.

    `founded` is False where no passage bears it.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    founded: bool = True
    heading: bool = False


def statements(answer: Answer) -> list[Line]:
    """What the answer says, without its disputes."""
    said = (" ".join(each.split()) for each in _split(_undisputed(answer)))
    return [_line(text, answer) for text in said if text]


def _split(text: str) -> Iterator[str]:
    """The statements: within a quotation that is closed later no line break ends one, but for our own ending."""
    last_closing = text.rfind("”")
    start = seen = left_open = 0
    for end in _LINE_END.finditer(text):
        left_open += text.count("“", seen, end.start()) - text.count("”", seen, end.start())
        seen = end.end()
        within = left_open > 0 and last_closing >= seen
        if not within or _QUOTED.search(text, max(start, end.start() - _ENDING), end.start()):
            yield text[start : end.start()]
            start, left_open = seen, 0
    yield text[start:]


def sides(dispute: Dispute, answer: Answer) -> list[Line]:
    """Both sides of a dispute."""
    return [_line(" ".join(side.split()), answer) for side in dispute.sides]


def _undisputed(answer: Answer) -> str:
    """The text without the disputes, which end it and are said apart."""
    text = answer.text
    for dispute in reversed(answer.disputed):
        ending = "\n" + "\n".join(f"- {side}" for side in dispute.sides)
        if text.endswith(ending):
            text = text.removesuffix(ending).rpartition("\n\n")[0]
    return text


def _line(text: str, answer: Answer) -> Line:
    if text.endswith(NO_PASSAGE):
        return Line(text.removesuffix(NO_PASSAGE).rstrip(), founded=False)
    known = {citation.number: citation for citation in answer.citations}
    marks = _MARKS.search(text)
    numbers = [int(number) for number in _NUMBER.findall(marks[0])] if marks else []
    if text.startswith(HEADING) and marks is None:
        return Line(text.removeprefix(HEADING), heading=True)
    if marks is None or not all(number in known for number in numbers):
        return Line(text)
    return Line(text[: marks.start()].rstrip(), tuple(known[number] for number in numbers))
