"""The Conflicts page: each contradiction side by side with its evidence, and the form to decide it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import streamlit as st

from components import conflicts, pager
from components.conflicts import STATES
from components.language import recorded, say, say_n
from components.look import SessionState, draw_note, draw_text, heading
from memory_bank.bank.conflict import NOT_ALL_FOUND, Conflict
from memory_bank.bank.events import NodesMerged
from memory_bank.views.conflict_text import STATUS_ORDER, rank
from memory_bank.views.readable import read_conflict
from pages.shared import conflict_view, decision_form
from pages.shared.conflict_view import (
    ConflictsState,
    conflicts_state,
    past_decisions,
    statement,
    status_in_answer,
)
from pages.shared.frame import draw_status, draw_time, go_to_page, open_node, session_page
from pages.shared.page_paths import QUERY_GRAPH_PAGE, SESSION_PAGE
from pages.shared.passage_view import draw_evidence
from pages.shared.tab_state import ViewState

_PAGE_SIZE = 20


def draw_conflicts_page(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    # Every part gets its container first: a part that appears later must not disturb a field in use.
    top, blocked_note, filters, rows = (st.container() for _ in range(4))
    all_conflicts = list(view.moment.bank.conflicts.values())
    with top:
        draw_status(view, state)
        draw_time(view)
        heading(say("Conflicts"), counts(all_conflicts))
        if not all_conflicts:
            conflicts.draw_no_conflicts()
        if view.moment.bank.understood is not None and state == "finished":
            draw_note(recorded(NOT_ALL_FOUND))
    blocked = decision_form.reason_blocked(view, state) if all_conflicts else None
    if blocked is not None:
        with blocked_note:
            draw_text(blocked, "mb-quiet")
    page_state = conflicts_state(view.session_id)
    shown = ordered(all_conflicts, page_state)
    if len(all_conflicts) > 1:
        with filters:
            shown = draw_conflict_filters(shown, page_state)
    with rows:
        for conflict in pager.numbered(shown, _PAGE_SIZE, key="conflicts"):
            with st.container(border=True, key=f"conflict-{conflict.id}"):
                draw_conflict(view, None if blocked is not None else state, conflict, page_state)


def counts(all_conflicts: Iterable[Conflict]) -> str:
    """How many conflicts are in each state: `1 open · 2 resolved`. Empty without conflicts."""
    number = Counter(conflict.status for conflict in all_conflicts)
    labels = {
        "open": say_n("{n} open", "{n} open", number["open"]),
        "disputed": say_n("{n} disputed", "{n} disputed", number["disputed"]),
        "resolved": say_n("{n} resolved", "{n} resolved", number["resolved"]),
    }
    return " · ".join(labels[status] for status in STATUS_ORDER if number[status])


def draw_conflict_filters(all_conflicts: Sequence[Conflict], page_state: ConflictsState) -> list[Conflict]:
    """Draw the filters by state and words. Return the matching conflicts and the one being decided."""
    words_of = {"open": say("open"), "disputed": say("disputed"), "resolved": say("resolved")}
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    states = left.pills(
        say("States"),
        STATUS_ORDER,
        selection_mode="multi",
        format_func=lambda status: f"{STATES[status].glyph} {words_of[status]}",
        key="conflicts-states",
    )
    words = right.text_input(say("Search statements and sources"), key="conflicts-search").casefold().split()
    matching = [
        conflict
        for conflict in all_conflicts
        if ((not states or conflict.status in states) and all(word in _searchable_text(conflict) for word in words))
        or (page_state.draft is not None and page_state.draft.conflict_id == conflict.id)
    ]
    if not matching:
        draw_note(say("No matching conflicts. Choose other states or use fewer search words."))
    return matching


def _searchable_text(conflict: Conflict) -> str:
    """The text of a conflict that the search covers."""
    claims = [text for claim in conflict.parties for text in (claim.text, claim.source)]
    sources = (evidence.source for evidence in conflict.evidence)
    return " ".join((conflict.id, conflict.description, *claims, *sources)).casefold()


def ordered(all_conflicts: Iterable[Conflict], page_state: ConflictsState) -> list[Conflict]:
    """Sort the conflicts: first the one opened from another page, then by `rank`.

    From the first decision on all keep their positions, and new conflicts go to the end: no card moves from where the
    person looks for it.
    """
    ranked = sorted(all_conflicts, key=lambda conflict: (conflict.id != page_state.first, rank(conflict)))
    page_state.keeps_order |= page_state.draft is not None
    if not page_state.keeps_order:
        page_state.order.clear()
    for conflict in ranked:
        page_state.order.setdefault(conflict.id, len(page_state.order))
    return sorted(ranked, key=lambda conflict: page_state.order[conflict.id])


def draw_conflict(view: ViewState, state: SessionState | None, conflict: Conflict, page_state: ConflictsState) -> None:
    """Draw one conflict in full. `state` is the session's state; None if nothing can be decided now."""
    detail_part, passage, merged, buttons, decision = (st.container() for _ in range(5))
    opened = page_state.passage[1] if page_state.passage and page_state.passage[0] == conflict.id else None
    with detail_part:
        shown = read_conflict(view.moment.bank, conflict)
        conflicts.draw_conflict_head(shown, status_in_answer(view.moment.bank.answer, conflict.id))
        conflicts.draw_detail(
            shown,
            [statement(view.moment.bank, claim) for claim in conflict.claims],
            list(past_decisions(view.moment.verdicts, conflict.id)),
            key=f"sides-{conflict.id}",
            opened=opened,
            on_open_passage=lambda number: setattr(
                page_state, "passage", None if opened == number else (conflict.id, number)
            ),
        )
    if opened is not None:
        claim = conflict.claims[opened]
        with passage, st.columns(2)[opened]:
            span = (claim.start, claim.end)
            draw_evidence(view, claim.entry_id, span, claim.source, claim.page, key=f"passage-{conflict.id}")
    with merged:
        draw_conflict_merge(view, conflict)
    with buttons, st.container(horizontal=True):
        draw_links(view, conflict)
        if state is not None:
            decision_form.draw_buttons(view, conflict)
    if state is not None:
        with decision:
            decision_form.draw_decision(view, state, conflict)


def draw_links(view: ViewState, conflict: Conflict) -> None:
    """Draw buttons to the conflict's nodes that still exist, and to the answer if it mentions the conflict."""
    living = [node_id for node_id in conflict.node_ids if node_id in view.moment.bank.query_graph]
    nodes = [(node_id, say("Open node {node}", node=node_id)) for node_id in living]
    if (merged := conflict.merged_into) is not None:
        nodes.append((merged, say("Open the merged node {node}", node=merged)))
    for node_id, label in nodes:
        args = (view, node_id, QUERY_GRAPH_PAGE)
        st.button(label, key=f"node-{conflict.id}-{node_id}", on_click=open_node, args=args)
    if status_in_answer(view.moment.bank.answer, conflict.id) is not None:
        st.button(say("See the answer"), key=f"answer-{conflict.id}", on_click=go_to_page, args=(view, SESSION_PAGE))


def draw_conflict_merge(view: ViewState, conflict: Conflict) -> None:
    """Draw the merge by the verdict, before and after. It is computed when the part is opened."""
    merges = (event for event in reversed(view.moment.verdicts) if isinstance(event, NodesMerged))
    event = next((event for event in merges if event.merge.conflict_id == conflict.id), None)
    if event is None or conflict.merged_into is None:
        return
    title = say("Merged into {node}: before and after", node=event.node.id)
    with st.expander(title, key=f"merge-{conflict.id}", on_change="rerun") as fold:
        if fold.open:
            conflict_view.draw_merge_event(view, event, key=f"merge-{conflict.id}")


session_page(draw_conflicts_page)
