"""The Conflicts page: each contradiction side by side, with the evidence; decide, overturn, reopen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import streamlit as st

from components import conflicts, merge
from components.conflicts import STATES, Status
from components.language import say, say_n
from components.look import SessionState, escape, heading
from memory_bank.bank.conflict import Conflict
from pages import _deciding
from pages._conflict import Desk, bearing, before, desk, detail, merge_by
from pages._evidence import draw_evidence
from pages._frame import SESSION, draw_status, draw_time, go, open_node, session_page
from pages._visitor import Looking

QUERY_GRAPH = "pages/query_graph.py"
_PAGE = 20
_ORDER: tuple[Status, ...] = ("open", "disputed", "resolved")


def draw(look: Looking, state: SessionState) -> None:
    """The whole page."""
    # Every part has its own place from the beginning: one that comes later must not disturb who is writing.
    top, why_not, filters, listed = (st.container() for _ in range(4))
    found = list(look.moment.bank.conflicts.values())
    with top:
        draw_status(look, state)
        draw_time(look)
        heading(say("Conflicts"), counts(found))
        if not found:
            conflicts.draw_none()
    prevented = _deciding.prevented(look, state) if found else None
    if prevented is not None:
        why_not.html(f'<div class="mb-quiet">{escape(prevented)}</div>')
    here = desk(look.session_id)
    wanted = ordered(found, here)
    if len(found) > 1:
        with filters:
            wanted = choose(wanted, here)
    with listed:
        for conflict in page_of(wanted):
            with st.container(border=True, key=f"conflict-{conflict.id}"):
                draw_one(look, state, conflict, here, open_to_decide=prevented is None)


def counts(found: Iterable[Conflict]) -> str:
    """`1 open · 2 resolved`; nothing where there is none."""
    number = Counter(conflict.status for conflict in found)
    said = {
        "open": say_n("{n} open", "{n} open", number["open"]),
        "disputed": say_n("{n} disputed", "{n} disputed", number["disputed"]),
        "resolved": say_n("{n} resolved", "{n} resolved", number["resolved"]),
    }
    return " · ".join(said[status] for status in _ORDER if number[status])


def choose(found: Sequence[Conflict], here: Desk) -> list[Conflict]:
    """The conflicts in the states, and with the words, that a person looks for; and the one that is being decided."""
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    states = left.pills(
        say("States"),
        _ORDER,
        selection_mode="multi",
        format_func=lambda status: f"{STATES[status].glyph} {word(status)}",
        key="conflicts-states",
    )
    searched = right.text_input(say("Search statements and sources"), key="conflicts-search").casefold().split()
    wanted = [
        conflict
        for conflict in found
        if ((not states or conflict.status in states) and all(one in _text(conflict) for one in searched))
        or (here.deciding is not None and here.deciding.conflict_id == conflict.id)
    ]
    if not wanted:
        st.html(f'<div class="mb-empty">{say("No conflict is like that. Choose other states, or search less.")}</div>')
    return wanted


def word(status: Status) -> str:
    """A state in one word."""
    return {"open": say("open"), "disputed": say("disputed"), "resolved": say("resolved")}[status]


def _text(conflict: Conflict) -> str:
    """What is searched in a conflict."""
    said = [text for claim in conflict.parties for text in (claim.text, claim.source)]
    return " ".join(
        (conflict.id, conflict.description, *said, *(found.source for found in conflict.evidence))
    ).casefold()


def ordered(found: Iterable[Conflict], here: Desk) -> list[Conflict]:
    """The one that was opened elsewhere; then what is open, disputed, resolved, each in the order in which it came.

    While a decision is being made, all stay where they are, and what comes is put behind them.
    """
    by_state = sorted(found, key=lambda conflict: (conflict.id != here.first, _ORDER.index(conflict.status)))
    if here.deciding is None:
        here.order = {conflict.id: place for place, conflict in enumerate(by_state)}
    return sorted(by_state, key=lambda conflict: here.order.get(conflict.id, len(here.order)))


def page_of(found: Sequence[Conflict]) -> Sequence[Conflict]:
    """The part of a long list that is shown."""
    pages = -(-len(found) // _PAGE)
    page = st.pagination(pages, key=f"conflicts-page-{pages}") if pages > 1 else 1
    return found[(page - 1) * _PAGE : page * _PAGE]


def draw_one(look: Looking, state: SessionState, conflict: Conflict, here: Desk, *, open_to_decide: bool) -> None:
    """One conflict in full."""
    told, passage, became, ways, decision = (st.container() for _ in range(5))
    opened = here.passage[1] if here.passage and here.passage[0] == conflict.id else None
    with told:
        conflicts.draw_head(conflict, bearing(look.moment.bank.answer, conflict.id))
        conflicts.draw_detail(
            detail(look.moment, conflict, opened),
            key=f"sides-{conflict.id}",
            on_open_passage=lambda number: open_passage(here, conflict.id, number),
        )
    if opened is not None:
        with passage, st.columns(2)[opened]:
            draw_passage(look, conflict, opened)
    with became:
        draw_merge(look, conflict)
    with ways, st.container(horizontal=True):
        draw_ways(look, conflict)
        if open_to_decide:
            _deciding.draw_offers(look, conflict)
    if open_to_decide:
        with decision:
            _deciding.draw(look, state, conflict)


def draw_passage(look: Looking, conflict: Conflict, number: int) -> None:
    """The passage of a statement in its document, on the statement's side."""
    claim = conflict.claims[number]
    span = (claim.start, claim.end)
    draw_evidence(look, claim.entry_id, span, claim.source, claim.page, key=f"passage-{conflict.id}")


def open_passage(here: Desk, conflict_id: str, number: int) -> None:
    """Show a statement's passage, or put it away when it is pressed again."""
    here.passage = None if here.passage == (conflict_id, number) else (conflict_id, number)


def draw_ways(look: Looking, conflict: Conflict) -> None:
    """The ways to its nodes that live, and to the answer where the conflict bears on it."""
    for node_id in conflict.node_ids:
        if node_id in look.moment.bank.query_graph:
            draw_way(look, conflict, node_id, say("Open node {node}", node=node_id))
    if conflict.merged_into is not None:
        label = say("Open the merged node {node}", node=conflict.merged_into)
        draw_way(look, conflict, conflict.merged_into, label)
    if bearing(look.moment.bank.answer, conflict.id) is not None:
        st.button(say("See the answer"), key=f"answer-{conflict.id}", on_click=go, args=(look, SESSION))


def draw_way(look: Looking, conflict: Conflict, node_id: str, label: str) -> None:
    """A button that opens a node in the Query Graph."""
    key = f"node-{conflict.id}-{node_id}"
    st.button(label, key=key, on_click=open_node, args=(look, node_id, QUERY_GRAPH))


def draw_merge(look: Looking, conflict: Conflict) -> None:
    """What the verdict made of the nodes: before and after, worked out when it is unfolded."""
    event = merge_by(look.moment.verdicts, conflict.id)
    if event is None or conflict.merged_into is None:
        return
    title = say("Merged into {node}: before and after", node=event.node.id)
    with st.expander(title, key=f"merge-{conflict.id}", on_change="rerun") as fold:
        if fold.open:
            merge.draw(before(look, event), event.node, key=f"merge-{conflict.id}")


session_page(draw)
