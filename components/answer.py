"""The answer: what it stands by, what stays in dispute, what it rejected. Numbers open the passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import streamlit as st

from components import linked_text
from components.language import recorded, say, say_n
from components.linked_text import Block, Segment
from components.look import GREY, NODE_STATES, escape, place
from memory_bank.bank.answer import NO_PASSAGE, Answer, Rejection
from memory_bank.modules.answer_lines import Line, sides, statements
from memory_bank.verifying import Verified


def draw(answer: Answer, *, key: str, opened: str | None, on_open: Callable[[str], None]) -> None:
    """Draw the answer. `opened` is the number of the citation whose passage is shown."""
    linked_text.draw(list(blocks(answer)), key=key, pressed=opened, on_press=on_open)


def draw_verified(verified: Verified) -> None:
    """How many of the answer's sentences hold when they are read again against their passages, and which do not."""
    glyph = "✓" if not verified.faults else "!"
    told = say_n(
        "{holding} of {n} sentence holds, read again against its passages",
        "{holding} of {n} sentences hold, read again against their passages",
        verified.sentences,
        holding=verified.holding,
    )
    faults = "".join(f"<li>{escape(recorded(one.why))}: {escape(one.sentence)}</li>" for one in verified.faults)
    st.html(f'<div class="mb-verified">{glyph} {escape(told)}{f"<ul>{faults}</ul>" if faults else ""}</div>')


def blocks(answer: Answer) -> Iterator[Block]:
    """The answer as blocks: its statements, then each dispute set apart, then what it does not say and why."""
    heading = ""
    for line in statements(answer):
        if line.heading:
            heading = recorded(line.text)
        else:
            yield Block(tuple(_segments(line)), kind="text" if line.founded else "unfounded", title=heading)
            heading = ""
    for dispute in answer.disputed:
        yield _dispute(sides(dispute, answer))
    for rejection in answer.rejected:
        yield _rejection(rejection)


def _dispute(lines: list[Line]) -> Block:
    look = NODE_STATES["disputed"]
    segments = [[*_segments(line), Segment("\n")] for line in lines]
    return Block(
        tuple(segment for line in segments for segment in line)[:-1],
        kind="dispute",
        title=say("In dispute: no evidence settles it"),
        glyph=look.glyph,
        colour=look.colour,
    )


def _rejection(rejection: Rejection) -> Block:
    reason = f"\n{recorded(rejection.why)}" if rejection.why else ""
    return Block(
        (Segment(f"“{' '.join(rejection.text.split())}”{reason}"),),
        kind="rejected",
        title=say("Not part of the answer: refuted"),
        glyph="✕",
        colour=GREY,
    )


def _segments(line: Line) -> Iterator[Segment]:
    end = " " if line.citations else "" if line.founded else f" {recorded(NO_PASSAGE)}"
    yield Segment(recorded(line.text) + end)
    for citation in line.citations:
        where = place(citation.source, citation.page)
        label = say("Citation {number}: {place}", number=citation.number, place=where)
        yield Segment(str(citation.number), link=str(citation.number), label=label)
