"""The parts of the Session page: answer with passages, three columns, conflicts, and the folded parts below."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from components import (
    answer,
    conflicts,
    event_feed,
    insight_doc,
    node_detail,
    node_table,
    progress,
    usage_table,
)
from components.language import say, say_n
from components.look import draw_note, heading
from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.conflict import Conflict
from memory_bank.session.answer_check import VerificationReport, verify_session_answer
from memory_bank.views.conflict_text import rank
from memory_bank.views.readable import read_answer, read_conflict, read_conflicts, read_insight_doc
from memory_bank.views.snapshot import Moment
from pages.shared import further
from pages.shared.export_menu import draw_exports
from pages.shared.frame import go_to_page, open_node
from pages.shared.graph_view import detail_of, draw_graph, rows
from pages.shared.page_paths import CONFLICTS_PAGE, INTERACTION_TREE_PAGE
from pages.shared.passage_view import draw_citation
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState

MAX_CONFLICTS = 3


def draw_answer(view: ViewState, *, may_ask: bool) -> None:
    """Draw the answer, beside it the passage of the selected citation, and with `may_ask` the box for a question."""
    current_answer = view.moment.bank.answer
    if current_answer is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    citation = selected_citation(view, current_answer)
    with left:
        heading(say("Answer"), say("press a number to open its passage") if current_answer.citations else "")
        number = str(citation.number) if citation else None
        bank = view.moment.bank
        answer.draw(
            read_answer(bank, current_answer),
            read_conflicts(bank, current_answer),
            key="answer",
            opened=number,
            on_open=lambda pressed: select_citation(view, pressed),
        )
        if may_ask:
            further.draw_form(view)
    if citation is not None:
        with right:
            draw_cited(view, citation)


def draw_cited(view: ViewState, citation: Citation) -> None:
    """Draw the passage of a citation, and the way to its node."""
    draw_citation(view, citation, key="cited")
    trees = view.moment.bank.trees
    if citation.entry_id in trees:
        node_id = trees.node_of(citation.entry_id)
        label = say("Open its node {node}", node=node_id)
        st.button(label, key="cited-node", on_click=open_node, args=(view, node_id))


def draw_verified(view: ViewState) -> None:
    """Draw how many sentences of a finished answer hold when it is checked again."""
    current_answer = view.moment.bank.answer
    if current_answer is not None and current_answer.affirmed and view.moment.bank.status == "finished":
        verified = check_answer((view.session_id, current_answer.affirmed), view.moment)
        if verified is not None:
            answer.draw_verified(verified)


@st.cache_data(max_entries=64, show_spinner=False)
def check_answer(cache_key: tuple[str, str], _moment: Moment) -> VerificationReport | None:
    """Check the answer of a session again, once per answer. None if the networks for it are not installed."""
    del cache_key  # only for the cache
    return verify_session_answer(_moment.bank, _moment.events[0])


def select_citation(view: ViewState, number: str) -> None:
    """Show a citation's passage."""
    view.citation = number


def selected_citation(view: ViewState, current_answer: Answer) -> Citation | None:
    """The citation whose passage is shown: the one that was pressed, at first the first one."""
    citations = {str(citation.number): citation for citation in current_answer.citations}
    return citations.get(view.citation or "", next(iter(citations.values()), None))


def open_passage(view: ViewState, link: str) -> None:
    """Open a claim's passage, or close it if it is open."""
    view.passage = None if view.passage == link else link


def draw_reading(view: ViewState, *, working: bool) -> None:
    """Draw the reading progress while documents are being read."""
    sources = view.live.progress()
    if working and any(source.state in ("waiting", "reading") for source in sources):
        seconds = view.live.seconds(view.live.newest_record)
        waited = view.live.seconds(datetime.now(UTC)) - seconds
        progress.draw_bar(sources, seconds, waited, get_server().reading(view.session_id))


def draw_columns(view: ViewState, *, working: bool) -> None:
    """Draw three columns: the Insight Doc, the Query Graph, and the selected node."""
    moment = view.moment
    left, middle, right = st.columns([5, 9, 7], gap="medium")
    with left:
        heading(say("Insight Doc"), say_n("{n} task", "{n} tasks", len(moment.bank.insight_doc.completed_tasks)))
        insight_doc.draw(read_insight_doc(moment.bank), working=working)
    with middle:
        heading(say("Query Graph"), say_n("{n} node", "{n} nodes", len(moment.bank.query_graph)))
        draw_graph(view, height="430px", key="graph")
    with right:
        draw_selected(view)


def draw_selected(view: ViewState) -> None:
    """Draw the selected node in full."""
    bank, node_id = view.moment.bank, view.selected
    node = bank.query_graph.get(node_id) if node_id is not None else None
    if node is None:
        draw_nothing_selected(view)
        return
    heading(say("Selected"), node.id)
    with st.container(key="selected", gap="xsmall"):
        passage = None if view.passage is None else node_detail.parse_passage_link(view.passage)
        node_detail.draw(
            detail_of(view.moment, node, passage),
            key=f"node-{node.id}",
            on_open_node=lambda other: open_node(view, other),
            on_open_passage=lambda link: open_passage(view, link),
            on_open_tree=lambda: go_to_page(view, INTERACTION_TREE_PAGE),
        )


def draw_nothing_selected(view: ViewState) -> None:
    """Draw a hint how to select a node, and the conflict that matters now."""
    heading(say("Selected"))
    draw_note(
        say("Press a node in the graph or a row of the table below to read what it says and where it comes from.")
    )
    conflict = current_conflict(view.moment)
    if conflict is not None:
        conflicts.draw(
            [read_conflict(view.moment.bank, conflict)],
            key="conflict-now",
            on_open_node=lambda node_id: open_node(view, node_id),
        )


def current_conflict(moment: Moment) -> Conflict | None:
    """The conflict being verified; otherwise, while there is no answer, the newest one."""
    bank, task = moment.bank, moment.bank.insight_doc.current_task
    if task is not None and task.conflict_id in bank.conflicts:
        return bank.conflicts[task.conflict_id]
    if bank.answer is not None or not bank.conflicts:
        return None
    return list(bank.conflicts.values())[-1]


def draw_below(view: ViewState) -> None:
    """Draw the top conflicts, and folded parts: node table, documents, model usage, exports, events."""
    moment, bank = view.moment, view.moment.bank
    draw_conflicts(view)
    with folded_part(say("Nodes as a table ({number})", number=f"{len(bank.query_graph):,}"), "nodes") as nodes:
        if nodes.open:
            node_table.draw(rows(view), key="table", on_open_node=lambda node_id: open_node(view, node_id))
    with folded_part(say("Documents ({number})", number=f"{len(bank.sources):,}"), "documents") as documents:
        if documents.open:
            progress.draw_list(moment.progress())
    if bank.usage.calls:
        label = say_n("Language models ({n} call)", "Language models ({n} calls)", bank.usage.calls)
        with folded_part(label, "usage") as usage:
            if usage.open:
                usage_table.draw(moment)
    with folded_part(say("Export: JSON, report, graph"), "exports") as exports:
        if exports.open:
            with st.container(horizontal=True):
                draw_exports(lambda: view.live.events, view.session_id, get_server().store)
    with folded_part(
        say("Events ({number})", number=f"{len(event_feed.visible_events(moment.events)):,}"), "events"
    ) as events:
        if events.open:
            event_feed.draw(moment.events, key="events")


def folded_part(label: str, name: str) -> ExpanderContainer:
    """An expander that is closed at first. Its content is drawn only while it is open."""
    return st.expander(label, key=f"fold-{name}", on_change="rerun")


def draw_conflicts(view: ViewState) -> None:
    """Draw the top conflicts, unsettled ones first, and a button to all conflicts."""
    bank = view.moment.bank
    opened = len(bank.open_conflicts())
    counts = say("{opened} open, {all} in all", opened=opened, all=len(bank.conflicts)) if bank.conflicts else ""
    heading(say("Conflicts"), counts)
    ranked = sorted(bank.conflicts.values(), key=rank)
    shown = [read_conflict(bank, conflict) for conflict in ranked[:MAX_CONFLICTS]]
    conflicts.draw(shown, key="conflict", on_open_node=lambda node_id: open_node(view, node_id))
    if ranked:
        label = say("All conflicts: evidence, decide, overturn")
        st.button(label, key="all-conflicts", on_click=go_to_page, args=(view, CONFLICTS_PAGE))
