"""A conflict of a moment as it is told, and what a visitor has open on the Conflicts page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import streamlit as st

from components.conflicts import Bearing, ConflictDetail, Dated, Past, Statement
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.events import ConflictDecided, ConflictReopened, Event, NodesMerged, PersonDecided
from memory_bank.modules.sentences import sentences
from memory_bank.moment import Moment
from memory_bank.values.dates import Precision, find_dates
from pages._frame import go
from pages._visitor import Looking

CONFLICTS = "pages/conflicts.py"

_AROUND = 160
"""Characters of its record shown on either side of a statement, at most."""
_DATED_LINE = re.compile(
    r"^\W*(?:date|dated|published|updated|last updated|日期|发布日期|更新日期)\W*[:\uff1a](.{4,40})$",
    re.IGNORECASE | re.MULTILINE,
)
_DATES = (Precision.DAY, Precision.MONTH, Precision.YEAR)


@dataclass
class Deciding:
    """A decision that is being made: on what, whether it is to be verified again, and what is filled in so far.

    `sent` is the number of the newest event when it was sent, `handed` the sending, `error` why it was not taken.
    """

    conflict_id: str
    again: bool = False
    verdict: Verdict | None = None
    reason: str = ""
    sent: int | None = None
    handed: Future[None] | None = None
    error: str = ""


@dataclass
class Desk:
    """What a tab has open of a session's conflicts: the one shown first, a statement's passage, a decision.

    `passage` is a conflict and which of its statements, 0 or 1; `order` the place of each conflict in the list.
    """

    first: str | None = None
    passage: tuple[str, int] | None = None
    deciding: Deciding | None = None
    order: dict[str, int] = field(default_factory=dict)


def desk(session_id: str) -> Desk:
    """The tab's desk for a session."""
    kept: Desk = st.session_state.setdefault(f"conflicts of {session_id}", Desk())
    return kept


def open_conflict(look: Looking, conflict_id: str) -> None:
    """Go to the Conflicts page, with this one first."""
    desk(look.session_id).first = conflict_id
    go(look, CONFLICTS)


def detail(moment: Moment, conflict: Conflict, opened: int | None) -> ConflictDetail:
    """The conflict with where its statements stand, and what was decided on it before."""
    first, second = conflict.claims
    statements = (statement(moment.bank, first), statement(moment.bank, second))
    return ConflictDetail(conflict, statements, tuple(history(moment.verdicts, conflict.id)), opened)


def statement(bank: Bank, claim: Claim) -> Statement | None:
    """A claim within its record; None where the record is not in the session."""
    if claim.entry_id not in bank.trees:
        return None
    entry = bank.trees.entry(claim.entry_id)
    return Statement(*around(entry.text, claim.start, claim.end), dated(entry))


def around(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a claim, up to the ends of its sentence and of the ones beside it."""
    spans = sentences(text)
    touched = [number for number, span in enumerate(spans) if span.start < end and start < span.end]
    if not touched:
        return "", ""
    first, last = max(0, touched[0] - 1), min(len(spans) - 1, touched[-1] + 1)
    low, high = max(spans[first].start, start - _AROUND), min(spans[last].end, end + _AROUND)
    before, after = text[low:start], text[end:high]
    return ("… " if low > 0 else "") + before, after + (" …" if high < len(text.rstrip()) else "")


def dated(entry: Entry) -> Dated:
    """The date of a record's document, as far as it is known."""
    title = str(entry.metadata.get("title") or "")
    line = _DATED_LINE.search(entry.text)
    if (date := _date(title)) is not None:
        return Dated(date, "title")
    if line is not None and (date := _date(line[1])) is not None:
        return Dated(date, "text")
    return Dated(entry.created_at.date().isoformat(), "recorded")


def _date(text: str) -> str | None:
    """The first date of a text that has a year, as it is written there."""
    found = [date for date in find_dates(text) if date.precision in _DATES]
    first = min(found, key=lambda date: date.start, default=None)
    return None if first is None else text[first.start : first.end]


def history(events: Iterable[Event], conflict_id: str) -> Iterator[Past]:
    """What was decided on a conflict, oldest first. That a person's verdict opens it again on its way is not told."""
    awaited: PersonDecided | None = None
    for event in events:
        match event:
            case PersonDecided() if event.conflict_id == conflict_id:
                awaited = event
            case ConflictReopened() if event.conflict_id == conflict_id:
                if awaited is None or awaited.verdict is None:
                    yield Past(None, event.by)
            case ConflictDecided(verification=verdict) if verdict.conflict_id == conflict_id:
                awaited = None
                yield Past(verdict.verdict, event.decided_by, verdict.confidence)
            case _:
                continue


def bearing(answer: Answer | None, conflict_id: str) -> Bearing | None:
    """How a conflict bears on the answer, if it does."""
    if answer is None:
        return None
    if any(dispute.conflict_id == conflict_id for dispute in answer.disputed):
        return "disputed"
    return "rejected" if any(rejection.conflict_id == conflict_id for rejection in answer.rejected) else None


def merge_by(events: Sequence[Event], conflict_id: str) -> NodesMerged | None:
    """The newest merge by a verdict on a conflict."""
    merges = (event for event in reversed(events) if isinstance(event, NodesMerged))
    return next((event for event in merges if event.merge.conflict_id == conflict_id), None)


def before(look: Looking, event: NodesMerged) -> tuple[Node, ...]:
    """The nodes of a merge as they were just before it."""
    graph = look.moment_at(event.seq - 1).bank.query_graph
    return tuple(graph[node_id] for node_id in event.merge.node_ids)
