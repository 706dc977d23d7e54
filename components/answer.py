"""The answer: what it stands by, what stays in dispute, what it rejected. Numbers open the passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from components import linked_text
from components.linked_text import Block, Segment
from components.look import GREY, NODE_STATES, place
from memory_bank.bank.answer import NO_PASSAGE, Answer, Citation, Dispute, Rejection

_NUMBER = re.compile(r"\[(\d+)\]")
_MARKS = re.compile(r"(?:\[\d+\])+[ \t]*$", re.MULTILINE)
"""The numbers at the end of a line are ours; one within it is what a document or a model wrote."""
_STATEMENT_END = re.compile(rf"\n\s*\n|(?<=\])\n|(?<={re.escape(NO_PASSAGE)})\n|\n(?=[-*] )")
"""Between statements: a quoted passage may hold line breaks of its own, which are only how its page was set."""


def draw(answer: Answer, *, key: str, opened: str | None, on_open: Callable[[str], None]) -> None:
    """Draw the answer. `opened` is the number of the citation whose passage is shown."""
    linked_text.draw(list(blocks(answer)), key=key, pressed=opened, on_press=on_open)


def blocks(answer: Answer) -> Iterator[Block]:
    """The answer as blocks: its statements, then each dispute set apart, then what it does not say and why."""
    citations = {citation.number: citation for citation in answer.citations}
    for statement in _STATEMENT_END.split(_said(answer)):
        text = " ".join(statement.split())
        if text:
            founded = not text.endswith(NO_PASSAGE)
            yield Block(tuple(_segments(text, citations)), kind="text" if founded else "unfounded")
    for dispute in answer.disputed:
        yield _dispute(dispute, citations)
    for rejection in answer.rejected:
        yield _rejection(rejection)


def _said(answer: Answer) -> str:
    """The text without the disputes, which end it and are drawn apart."""
    text = answer.text
    for dispute in reversed(answer.disputed):
        sides = "\n" + "\n".join(f"- {side}" for side in dispute.sides)
        if text.endswith(sides):
            text = text.removesuffix(sides).rpartition("\n\n")[0]
    return text


def _dispute(dispute: Dispute, citations: dict[int, Citation]) -> Block:
    look = NODE_STATES["disputed"]
    lines = "\n".join(" ".join(side.split()) for side in dispute.sides)
    return Block(
        tuple(_segments(lines, citations)),
        kind="dispute",
        title="In dispute: no evidence settles it",
        glyph=look.glyph,
        colour=look.colour,
    )


def _rejection(rejection: Rejection) -> Block:
    reason = f"\n{rejection.why}" if rejection.why else ""
    return Block(
        (Segment(f"“{' '.join(rejection.text.split())}”{reason}"),),
        kind="rejected",
        title="Not part of the answer: refuted",
        glyph="✕",
        colour=GREY,
    )


def _segments(text: str, citations: dict[int, Citation]) -> Iterator[Segment]:
    end = 0
    numbers = (number for marks in _MARKS.finditer(text) for number in _NUMBER.finditer(text, *marks.span()))
    for match in numbers:
        citation = citations.get(int(match[1]))
        if citation is None:
            continue
        if match.start() > end:
            yield Segment(text[end : match.start()])
        label = f"Citation {citation.number}: {place(citation.source, citation.page)}"
        yield Segment(match[1], link=match[1], label=label)
        end = match.end()
    if end < len(text):
        yield Segment(text[end:])
