"""The parts of the Session page: answer with passages, three columns, conflicts, and the folded parts below."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from components import answer, event_feed, node_detail, progress
from components.conflicts import draw_conflicts
from components.event_feed import draw_event_feed
from components.insight_doc import draw_timeline
from components.language import recorded, say, say_n
from components.look import SessionState, draw_note, escape, heading
from components.node_detail import draw_node_detail
from components.node_table import draw_node_table
from components.settings_form import CHOICES, TASK_KINDS
from components.usage_table import draw_usage_table
from memory_bank.bank.settings import Settings
from memory_bank.bank.task_kind import UNDERSTOOD
from memory_bank.session.answer_check import VerificationReport, verify_session_answer
from memory_bank.views.conflict_text import rank
from memory_bank.views.readable import read_conflict, read_insight_doc
from memory_bank.views.snapshot import Moment
from pages.shared import asked
from pages.shared.conflict_view import open_link
from pages.shared.decision_form import reason_blocked
from pages.shared.engine_choice import resume_settings
from pages.shared.export_menu import draw_exports
from pages.shared.frame import go_to_page, open_node
from pages.shared.graph_view import detail_of, draw_graph, rows
from pages.shared.page_paths import CONFLICTS_PAGE, INTERACTION_TREE_PAGE
from pages.shared.passage_view import draw_citation
from pages.shared.questions import questions
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings

MAX_CONFLICTS = 3


def draw_answer_part(view: ViewState, *, may_ask: bool) -> None:
    """Draw the answer, beside it the passage of the selected citation, and with `may_ask` the box for a question."""
    current_answer = view.moment.bank.answer
    if current_answer is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        heading(say("Answer"), say("press a number to open its passage") if current_answer.citations else "")
        # The answer to a further question comes below: no passage lies between, unless the person opens one.
        alone = not (may_ask and questions(view.session_id))
        citation = asked.draw_cited_answer(view.moment.bank, current_answer, view, key="answer", open_first=alone)
        if may_ask:
            label = say("Ask a further question")
            asked.draw_form(view, "further", label, say("about these documents"), with_kind=False)
    if citation is None:
        return
    with right:
        draw_citation(view, citation, key="cited")
        trees = view.moment.bank.trees
        if citation.entry_id in trees:
            node_id = trees.node_of(citation.entry_id)
            label = say("Open its node {node}", node=node_id)
            st.button(label, key="cited-node", on_click=open_node, args=(view, node_id))


def draw_verification(view: ViewState) -> None:
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
    return verify_session_answer(_moment.bank)


def draw_reading(view: ViewState, *, working: bool) -> None:
    """Draw the reading progress while documents are being read."""
    sources = view.live.progress()
    if working and any(source.state in ("waiting", "reading") for source in sources):
        seconds = view.live.timeline.seconds(view.live.newest_record)
        waited = view.live.timeline.seconds(datetime.now(UTC)) - seconds
        progress.draw_bar(sources, seconds, waited, get_server().reading(view.session_id))


def draw_columns(view: ViewState, *, working: bool) -> None:
    """Draw three columns: the Insight Doc, the Query Graph, and the selected node."""
    moment = view.moment
    left, middle, right = st.columns([5, 9, 7], gap="medium")
    with left:
        heading(say("Insight Doc"), say_n("{n} task", "{n} tasks", len(moment.bank.insight_doc.completed_tasks)))
        draw_timeline(read_insight_doc(moment.bank), working=working)
    with middle:
        heading(say("Query Graph"), say_n("{n} node", "{n} nodes", len(moment.bank.query_graph)))
        draw_graph(view, height="430px", key="graph")
    with right:
        draw_selected(view)


def draw_selected(view: ViewState) -> None:
    """Draw the selected node in full; or a hint how to select one, and the conflict that matters now."""
    bank, node_id = view.moment.bank, view.selected
    node = bank.query_graph.get(node_id) if node_id is not None else None
    heading(say("Selected"), "" if node is None else node.id)
    if node is None:
        draw_note(
            say("Press a node in the graph or a row of the table below to read what it says and where it comes from.")
        )
        # the conflict that matters now: the one being verified; otherwise, while there is no answer, the newest one
        task = bank.insight_doc.current_task
        conflict = bank.conflicts.get(task.conflict_id or "") if task is not None else None
        if conflict is None and bank.answer is None:
            conflict = next(reversed(bank.conflicts.values()), None)
        if conflict is not None:
            shown = [read_conflict(bank, conflict)]
            draw_conflicts(shown, key="conflict-now", on_open_node=lambda other: open_node(view, other))
        return
    with st.container(key="selected", gap="xsmall"):
        passage = None if view.passage is None else node_detail.parse_passage_link(view.passage)
        draw_node_detail(
            detail_of(view.moment, node, passage),
            key=f"node-{node.id}",
            on_open=lambda link: open_link(view, link, page=None),
            on_open_passage=lambda link: setattr(view, "passage", None if view.passage == link else link),
            on_open_tree=lambda: go_to_page(view, INTERACTION_TREE_PAGE),
        )


def draw_below(view: ViewState) -> None:
    """Draw the top conflicts, unsettled ones first, and folded: nodes, documents, model usage, exports, events."""
    moment, bank = view.moment, view.moment.bank
    opened = len(bank.open_conflicts())
    counts = say("{opened} open, {all} in all", opened=opened, all=len(bank.conflicts)) if bank.conflicts else ""
    heading(say("Conflicts"), counts)
    ranked = sorted(bank.conflicts.values(), key=rank)
    shown = [read_conflict(bank, conflict) for conflict in ranked[:MAX_CONFLICTS]]
    draw_conflicts(shown, key="conflict", on_open_node=lambda node_id: open_node(view, node_id))
    if ranked:
        label = say("All conflicts: evidence, decide, overturn")
        st.button(label, key="all-conflicts", on_click=go_to_page, args=(view, CONFLICTS_PAGE))
    with folded_part(say("Nodes as a table ({number})", number=f"{len(bank.query_graph):,}"), "nodes") as nodes:
        if nodes.open:
            draw_node_table(rows(view), key="table", on_open_node=lambda node_id: open_node(view, node_id))
    with folded_part(say("Documents ({number})", number=f"{len(bank.sources):,}"), "documents") as documents:
        if documents.open:
            progress.draw_documents(moment.progress())
    if bank.usage.calls:
        label = say_n("Language models ({n} call)", "Language models ({n} calls)", bank.usage.calls)
        with folded_part(label, "usage") as usage:
            if usage.open:
                draw_usage_table(moment)
    with folded_part(say("Export: JSON, report, graph"), "exports") as exports:
        if exports.open:
            with st.container(horizontal=True):
                draw_exports(lambda: view.live.events, view.session_id, get_server().store)
    with folded_part(
        say("Events ({number})", number=f"{len(event_feed.visible_events(moment.events)):,}"), "events"
    ) as events:
        if events.open:
            draw_event_feed(moment.events, key="events")


def folded_part(label: str, name: str) -> ExpanderContainer:
    """An expander that is closed at first. Its content is drawn only while it is open."""
    return st.expander(label, key=f"fold-{name}", on_change="rerun")


def draw_understood(view: ViewState, state: SessionState) -> None:
    """Draw in one line how the task was understood; another choice has it answered anew. Nothing for a model's."""
    understood = view.live.bank.understood
    if understood is None:
        return
    blocked = reason_blocked(view, state)
    settings, _warning = resume_settings(view.live.bank.engine.values(), tab_settings(get_server()))
    key = f"kind-{view.session_id}-{understood.seq}"
    with st.container(horizontal=True, vertical_alignment="center", key="understood"):
        st.html(f'<span class="mb-quiet">{escape(recorded(UNDERSTOOD[understood.kind]))}</span>', width="content")
        st.selectbox(
            say("What the task asks for"),
            [kind for kind in CHOICES if kind is not understood.kind],
            index=None,
            format_func=lambda kind: say(TASK_KINDS[kind]),
            placeholder=say("Answer it as …"),
            key=key,
            label_visibility="collapsed",
            disabled=blocked is not None,
            on_change=_correct_kind,
            args=(view.session_id, key, settings),
            width=240,
        )


def _correct_kind(session_id: str, key: str, settings: Settings) -> None:
    if (kind := st.session_state[key]) is not None:  # None when the choice was cleared
        get_server().correct_kind(session_id, kind, settings)
