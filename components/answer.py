"""Draw the answer: statements with citations, disputes, rejected statements. Citation numbers open passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import streamlit as st

from components import linked_text
from components.language import recorded, say, say_n, visitor_words
from components.linked_text import Block, BlockKind, Segment
from components.look import GREY, NODE_STATES, escape, source_label
from memory_bank.bank.answer import NO_PASSAGE, UNCONFIRMED, Answer, Dispute, Rejection
from memory_bank.bank.conflict import Conflict
from memory_bank.session.answer_check import VerificationReport
from memory_bank.session.answer_lines import Line, Table, answer_statements, comparison_table, sides
from memory_bank.views.conflict_text import heading, refuted_pieces


def draw(
    answer: Answer, conflicts: Mapping[str, Conflict], *, key: str, opened: str | None, on_open: Callable[[str], None]
) -> None:
    """Draw the answer, and what its disputes are about, by the `conflicts` of the session.

    `opened` is the number of the citation whose passage is shown.
    """
    linked_text.draw(list(blocks(answer, conflicts)), key=key, pressed=opened, on_press=on_open)


def draw_verified(verified: VerificationReport) -> None:
    """Draw how many of the answer's sentences are confirmed by their passages, and list those that are not."""
    glyph = "✓" if not verified.faults else "!"
    summary = say_n(
        "{holding} of {n} sentence confirmed against its passages",
        "{holding} of {n} sentences confirmed against their passages",
        verified.sentences,
        holding=verified.holding,
    )
    faults = "".join(f"<li>{escape(recorded(fault.why))}: {escape(fault.sentence)}</li>" for fault in verified.faults)
    st.html(f'<div class="mb-verified">{glyph} {escape(summary)}{f"<ul>{faults}</ul>" if faults else ""}</div>')


def blocks(answer: Answer, conflicts: Mapping[str, Conflict]) -> Iterator[Block]:
    """Yield the answer as blocks: its statements or table, then each dispute, then each rejected statement and why."""
    lines = answer_statements(answer)
    if table := comparison_table(lines):
        yield _table(table)
    heading = ""
    for line in table.rest if table else lines:
        if line.heading:
            heading = recorded(line.text)
        else:
            kind: BlockKind = "unfounded" if not line.founded else "listed" if line.item else "text"
            yield Block(tuple(_segments(line)), kind=kind, title=heading)
            heading = ""
    for dispute in answer.disputed:
        yield _dispute(dispute, sides(dispute, answer), conflicts.get(dispute.conflict_id))
    for rejection in answer.rejected:
        yield _rejection(rejection, conflicts.get(rejection.conflict_id))


def _table(table: Table) -> Block:
    head = ((), *((Segment(column),) for column in table.columns))
    body = (
        ((Segment(recorded(attribute)),), *(tuple(_segments(cell)) for cell in cells))
        for attribute, cells in table.rows
    )
    return Block((), kind="table", rows=(head, *body))


def _dispute(dispute: Dispute, lines: list[Line], conflict: Conflict | None) -> Block:
    style = NODE_STATES["disputed"]
    state = (
        say("In dispute: no evidence settles it") if dispute.checked else say("In dispute: this has not been checked")
    )
    parts = [[Segment(state)]] if conflict else []
    parts += [list(_segments(line)) for line in lines]
    return Block(
        tuple(segment for part in parts for segment in (*part, Segment("\n")))[:-1],
        kind="dispute",
        title=heading(conflict, visitor_words()) if conflict else state,
        glyph=style.glyph,
        colour=style.colour,
    )


def _rejection(rejection: Rejection, conflict: Conflict | None) -> Block:
    reason = f"\n{recorded(rejection.why)}" if rejection.why else ""
    pieces = (("“", False), *refuted_pieces(rejection.text, conflict), (f"”{reason}", False))
    return Block(
        tuple(Segment(text, marked=marked) for text, marked in pieces),
        kind="rejected",
        title=say("Not part of the answer: refuted"),
        glyph="✕",
        colour=GREY,
    )


def _segments(line: Line) -> Iterator[Segment]:
    unfounded = "" if line.founded else f" {recorded(UNCONFIRMED if line.citations else NO_PASSAGE)}"
    yield Segment(recorded(line.text) + (" " if line.citations else unfounded))
    for citation in line.citations:
        source = source_label(citation.source, citation.page)
        label = say("Citation {number}: {place}", number=citation.number, place=source)
        yield Segment(str(citation.number), link=str(citation.number), label=label)
    if unfounded and line.citations:
        yield Segment(unfounded)
