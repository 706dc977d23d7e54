"""Conflicts as the pages show them, and the state of a tab's Conflicts page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

import streamlit as st

from components.conflicts import AnswerStatus, ClaimContext, PastDecision
from components.merge import draw_merge
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.events import ConflictDecided, ConflictReopened, Event, NodesMerged, PersonDecided
from memory_bank.bank.query_graph import Claim
from memory_bank.text.sentences import sentences
from memory_bank.views.readable import read_node, read_record
from pages.shared.frame import go_to_page, open_node
from pages.shared.page_paths import CONFLICTS_PAGE, QUERY_GRAPH_PAGE
from pages.shared.tab_state import ViewState

_CONTEXT = 160
"""Characters of a record shown on either side of a statement, at most."""
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(.*?)[ \t#]*$\s*", re.MULTILINE)
"""A heading as Markdown marks it."""


@dataclass
class DecisionDraft:
    """A decision that a person is making on a conflict, with the values filled in so far.

    `verify_again`: the conflict is to be verified again instead. `sent_at` is the number of the newest event when the
    decision was sent, `sending` the work of sending it, `error` why it was not accepted.
    """

    conflict_id: str
    verify_again: bool = False
    verdict: Verdict | None = None
    reason: str = ""
    sent_at: int | None = None
    sending: Future[None] | None = None
    error: str = ""


@dataclass
class ConflictsState:
    """The state of a tab's Conflicts page for one session.

    `first` is the conflict shown first, `passage` the conflict and statement (0 or 1) whose passage is open, `draft`
    the decision being made, `order` the position of each conflict in the list. `keeps_order`: a decision was begun, so
    the positions stay until a conflict is opened from another page.
    """

    first: str | None = None
    passage: tuple[str, int] | None = None
    draft: DecisionDraft | None = None
    order: dict[str, int] = field(default_factory=dict)
    keeps_order: bool = False


def conflicts_state(session_id: str) -> ConflictsState:
    """The state of the tab's Conflicts page for a session."""
    page_state: ConflictsState = st.session_state.setdefault(f"conflicts of {session_id}", ConflictsState())
    return page_state


def open_conflict(view: ViewState, conflict_id: str) -> None:
    """Go to the Conflicts page and show this conflict first."""
    page_state = conflicts_state(view.session_id)
    page_state.first, page_state.keeps_order = conflict_id, False
    go_to_page(view, CONFLICTS_PAGE)


def open_link(view: ViewState, link: str, page: str | None = QUERY_GRAPH_PAGE) -> None:
    """Open what a link names: a node (`node:n4`) on `page`, if one is given, or a conflict (`conflict:x1`)."""
    kind, _, target_id = link.partition(":")
    if kind == "node":
        open_node(view, target_id, page)
    else:
        open_conflict(view, target_id)


def statement(bank: Bank, claim: Claim) -> ClaimContext | None:
    """A claim with its context and date; None if its record is not in the session."""
    if claim.entry_id not in bank.trees:
        return None
    entry = bank.trees.entry(claim.entry_id)
    day = bank.day_of(claim)
    record = read_record(bank, entry)
    context = context_of(record.text, *record.span(claim.start, claim.end))
    return ClaimContext(*context, date=str(day or entry.created_at.date()), dated=day is not None)


def context_of(text: str, start: int, end: int) -> tuple[str, str]:
    """The text before and after a claim: the rest of its sentences and one neighbouring sentence on each side."""
    spans = sentences(text)
    touched = [number for number, span in enumerate(spans) if span.start < end and start < span.end]
    if not touched:
        return "", ""
    first, last = max(0, touched[0] - 1), min(len(spans) - 1, touched[-1] + 1)
    low, high = max(spans[first].start, start - _CONTEXT), min(spans[last].end, end + _CONTEXT)
    # A heading before the statement says what it is about; one after it belongs to what follows.
    before, after = _HEADING.sub(r"\1 · ", text[low:start]), _HEADING.sub("", text[end:high])
    return ("… " if low > 0 else "") + before, after + (" …" if high < len(text.rstrip()) else "")


def past_decisions(events: Iterable[Event], conflict_id: str) -> Iterator[PastDecision]:
    """The decisions on a conflict, oldest first. The reopening that belongs to a person's verdict is left out."""
    person_decision: PersonDecided | None = None
    for event in events:
        match event:
            case PersonDecided() if event.conflict_id == conflict_id:
                person_decision = event
            case ConflictReopened() if event.conflict_id == conflict_id:
                if person_decision is None or person_decision.verdict is None:
                    yield PastDecision(None, event.by)
            case ConflictDecided(verification=verdict) if verdict.conflict_id == conflict_id:
                person_decision = None
                yield PastDecision(verdict.verdict, event.decided_by, verdict.confidence)


def status_in_answer(answer: Answer | None, conflict_id: str) -> AnswerStatus | None:
    """How the answer mentions a conflict: as a dispute, as a rejected statement, or not at all (None)."""
    if answer is None:
        return None
    if any(dispute.conflict_id == conflict_id for dispute in answer.disputed):
        return "disputed"
    return "rejected" if any(rejection.conflict_id == conflict_id for rejection in answer.rejected) else None


def draw_merge_event(view: ViewState, event: NodesMerged, *, key: str) -> None:
    """Draw the nodes as they were just before a merge, and the one that they became."""
    before = view.moment_at(event.seq - 1).bank
    parts = [read_node(before, before.query_graph[node_id]) for node_id in event.merge.node_ids]
    draw_merge(parts, read_node(view.moment_at(event.seq).bank, event.node), key=key)
