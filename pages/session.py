"""The Session page: start a session, watch it, read its answer. Its address brings it back."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components import (
    answer,
    conflicts,
    event_feed,
    insight_doc,
    node_detail,
    node_table,
    passage,
    progress,
    query_graph,
    start_form,
    status_line,
)
from components.look import SessionState, count, escape, heading
from components.node_detail import NodeDetail
from components.node_table import NodeRow
from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.transfer import export_session
from memory_bank.demo import load_demo
from memory_bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.moment import Moment
from pages import _visitor
from pages._graph import edges, nodes, state_of
from pages._server import NewSession, Server, server
from pages._visitor import RUN, Looking

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
# Seconds between two looks at a session that is being worked on.
TICK = 1.0
# Seconds the demo waits after an event of a type: the engine alone would be done before one has looked.
DEMO_SECONDS = {
    "source_read": 0.5,
    "node_created": 0.8,
    "edge_created": 0.4,
    "conflict_opened": 2.0,
    "plan_updated": 1.0,
    "conflict_decided": 1.5,
    "nodes_merged": 2.5,
}


def main() -> None:
    """The start, or the session that the address names."""
    session_id = st.query_params.get(RUN)
    if session_id is None:
        welcome(server())
        return
    query_graph.load_library()
    live = server().activity(session_id) != "still"
    st.fragment(follow, run_every=TICK if live else None)(session_id, live=live)


# -- the start -----------------------------------------------------------------------------------------------


def welcome(server: Server) -> None:
    """What this is, the form, and the demo."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.html(
            '<div class="mb-welcome"><h1>Give it documents and a task</h1><p>It reads them into a memory you can '
            "look into, checks what contradicts, and answers with a citation for every statement. It runs on this "
            "computer: no key is needed and nothing is sent anywhere.</p></div>"
        )
        filled = start_form.draw()
        if filled is not None:
            start(server, filled)
    with right, st.container(border=True, key="demo-card"):
        st.html(
            '<div class="mb-welcome"><div class="mb-heading"><h2>New here?</h2></div><p>The demo takes half a minute, '
            "slowed down so that you can watch. Two documents about the Nile disagree:</p>"
            '<ol class="mb-steps"><li>one gives the wrong year for a dam, and a reference settles it: two nodes '
            "become one;</li><li>published sources differ on the river’s length: that stays in dispute, and the "
            "answer says so;</li><li>kilometres and miles, “eleven” and 11 only look like conflicts: no alarm."
            "</li></ol></div>"
        )
        if st.button("Try the demo", key="demo"):
            demo = load_demo()
            new = NewSession(
                demo.task, demo.documents, demo.sources, pace=lambda event: DEMO_SECONDS.get(event.type, 0.0)
            )
            go(server.begin(new))


def start(server: Server, filled: start_form.Filled) -> None:
    """Start a session from the form, or say why not."""
    if filled.error is not None:
        st.error(filled.error)
        for remark in filled.remarks:
            st.text(remark)
        return
    session_id = server.begin(NewSession(filled.task, filled.documents, filled.sources))
    _visitor.leave_word(session_id, filled.remarks)
    go(session_id)


def go(session_id: str) -> None:
    """Show a session under its own address."""
    _visitor.remember(session_id)
    st.query_params[RUN] = session_id
    st.rerun()


# -- one session ---------------------------------------------------------------------------------------------


def follow(session_id: str, *, live: bool) -> None:
    """Draw a session as it stands. The one part of the page that ticks, while the session is worked on."""
    here = server()
    activity = here.activity(session_id)  # before the events, so that an end seen here is in them
    if live and activity == "still":
        st.rerun()
    try:
        look = _visitor.looking(session_id, here)
    except SessionNotFoundError:
        nothing_there(here, session_id, starting=activity == "starting")
        return
    except CorruptLogError as error:
        cannot_read(error)
        return
    state = state_in_words(look.moment, here, session_id)
    # Every part has its own place from the beginning: one that comes later must not make the others start anew.
    top, said, answered, reading, columns, below = (st.container() for _ in range(6))
    with top:
        draw_top(look, here, state)
    with said:
        draw_words(look, here, state)
    with answered:
        draw_answer(look)
    with reading:
        draw_reading(look, working=state == "running")
    with columns:
        draw_columns(look, working=state == "running")
    with below:
        draw_below(look)


def state_in_words(moment: Moment, server: Server, session_id: str) -> SessionState:
    """How the session stands: as its log says, unless the log says `running` and nobody runs it."""
    activity, status = server.activity(session_id), moment.bank.status
    if activity == "starting":
        return "starting"
    if status == "running" and activity == "still":
        return "interrupted"
    return status


def nothing_there(server: Server, session_id: str, *, starting: bool) -> None:
    """The address names no session: it is being prepared, could not be started, or is not there."""
    failure = server.start_failure(session_id)
    if starting:
        st.html(
            '<div class="mb-status"><h1>Starting</h1><div class="mb-facts">The engine is being loaded. '
            "This takes a few seconds the first time.</div></div>"
        )
        return
    if failure is not None:
        st.error("The session could not be started; nothing was kept. Correct the cause and start it again.")
        st.text(failure)
    else:
        st.warning(
            "There is no session at this address. It may have been deleted, or a part of the address is missing."
        )
    if st.button("Start a new session", type="primary"):
        leave()


def cannot_read(error: CorruptLogError) -> None:
    """The session's log is damaged."""
    st.error("The record of this session is damaged and cannot be shown. Nothing was changed in it.")
    st.text(str(error))
    if st.button("Start a new session", type="primary"):
        leave()


def leave() -> None:
    """Back to the start."""
    st.query_params.clear()
    st.rerun()


def draw_top(look: Looking, server: Server, state: SessionState) -> None:
    """Status line and controls."""
    moment, bank = look.moment, look.moment.bank
    left, right = st.columns([5, 2], vertical_alignment="top")
    with left:
        task = bank.insight_doc.current_task
        status_line.draw(
            status_line.Status(
                task=bank.insight_doc.task_goal,
                state=state,
                seconds=moment.seconds(datetime.now(UTC) if state == "running" else None),
                step=len(bank.insight_doc.completed_tasks) + (task is not None),
                nodes=len(bank.query_graph),
                conflicts=len(bank.conflicts),
                calls=bank.usage.calls,
                tokens=bank.usage.prompt_tokens + bank.usage.completion_tokens,
                cost_usd=bank.usage.cost_usd,
                doing=event_feed.newest(moment.events) if state == "running" else "",
            )
        )
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        draw_controls(look, server, state)


def draw_controls(look: Looking, server: Server, state: SessionState) -> None:
    """What can be done with the session as it stands."""
    session_id = look.session_id
    if state == "running":
        st.button("Pause", icon=":material/pause:", on_click=server.pause, args=(session_id,), key="pause")
    can_go_on = state in ("created", "paused", "interrupted", "failed") and not server.lacks_files(session_id)
    if can_go_on and st.button("Continue", icon=":material/play_arrow:", type="primary", key="continue"):
        server.proceed(session_id)
        st.rerun()
    if state in ("running", "paused"):
        with st.popover("Cancel", icon=":material/stop:"):
            st.write("Stop for good? What is recorded stays.")
            if st.button("Stop the session", key="cancel"):
                server.cancel(session_id)
                st.rerun()
    events = look.moment.events
    st.download_button(
        "Export",
        data=lambda: export_session(list(events)),
        file_name=f"session-{session_id[:8]}.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        key="export",
        help="The whole session as JSON, as it stands now",
    )


def draw_words(look: Looking, server: Server, state: SessionState) -> None:
    """What the person should know: files left out or refused, an interruption, a failure."""
    remarks = list(_visitor.words(look.session_id))
    remarks += [
        f"{source.name} was refused: {source.refused}"
        for source in look.moment.bank.sources.values()
        if source.refused is not None
    ]
    if remarks:
        lines = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
        with st.container(border=True):
            st.html(f'<b>Left out; everything else went on</b><ul class="mb-list">{lines}</ul>')
    if state == "interrupted":
        last = look.moment.events[-1]
        how = (
            "Its documents are not here, as in an import, so it can only be looked at."
            if server.lacks_files(look.session_id)
            else "Press Continue: it goes on from there, and no finished judgement is made twice."
        )
        st.warning(f"This session was interrupted. All {last.seq:,} recorded events are kept. {how}")
    if state == "failed":
        reason = next((event.reason for event in reversed(look.moment.events) if event.type == "status_changed"), "")
        st.error("The session failed. What is recorded is kept; Continue tries again from there.")
        st.text(reason)


def draw_answer(look: Looking) -> None:
    """The answer and, beside it, the passage of the citation that was pressed."""
    given = look.moment.bank.answer
    if given is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    opened = cited(look, given)
    with left:
        heading("Answer", "numbers open the passages" if given.citations else "")
        number = str(opened.number) if opened else None
        answer.draw(given, key="answer", opened=number, on_open=lambda pressed: open_citation(look, pressed))
    if opened is not None:
        with right:
            draw_cited(look, opened)


def open_citation(look: Looking, number: str) -> None:
    """Show a citation's passage."""
    look.cited = number


def cited(look: Looking, given: Answer) -> Citation | None:
    """The citation whose passage is shown: the one that was pressed, before that the first."""
    numbers = {str(citation.number): citation for citation in given.citations}
    return numbers.get(look.cited or "", next(iter(numbers.values()), None))


def draw_cited(look: Looking, citation: Citation) -> None:
    """The passage of the open citation."""
    trees = look.moment.bank.trees
    heading(f"Passage {citation.number}", f"record {citation.entry_id}")
    if citation.entry_id not in trees:
        st.html('<div class="mb-empty">The record of this passage is not in the session.</div>')
        return
    entry = trees.entry(citation.entry_id)
    passage.draw(entry.text, [(citation.start, citation.end)], citation.source, citation.page)
    node_id = trees.node_of(citation.entry_id)
    st.button(f"Open its node {node_id}", key="cited-node", on_click=open_node, args=(look, node_id))


def open_node(look: Looking, node_id: str) -> None:
    """Select a node."""
    look.node, look.passage = node_id, None


def open_passage(look: Looking, where: str) -> None:
    """Open a claim's passage, or put it away when it is pressed again."""
    look.passage = None if look.passage == where else where


def draw_reading(look: Looking, *, working: bool) -> None:
    """How far reading has got, until everything is read."""
    sources = look.moment.progress()
    if working and any(source.state in ("waiting", "reading") for source in sources):
        progress.draw_bar(sources)


def draw_columns(look: Looking, *, working: bool) -> None:
    """Insight Doc, Query Graph, and what is selected."""
    moment = look.moment
    left, middle, right = st.columns([5, 9, 7], gap="medium")
    with left:
        heading("Insight Doc", count(len(moment.bank.insight_doc.completed_tasks), "step"))
        insight_doc.draw(moment.bank.insight_doc, working=working)
    with middle:
        heading("Query Graph", count(len(moment.bank.query_graph), "node"))
        query_graph.draw(
            nodes(moment),
            edges(moment),
            key="graph",
            selected=selected(look),
            on_open_node=lambda node_id: open_node(look, node_id),
        )
        query_graph.draw_legend()
    with right:
        draw_selected(look)


def selected(look: Looking) -> str | None:
    """The node that is selected, or what it has become by merges."""
    if look.node is None:
        return None
    return look.moment.bank.living(look.node)


def draw_selected(look: Looking) -> None:
    """The selected node in full."""
    bank, node_id = look.moment.bank, selected(look)
    node = bank.query_graph.get(node_id) if node_id is not None else None
    if node is None:
        draw_nothing_selected(look)
        return
    heading("Selected", node.id)
    with st.container(key="selected", gap="xsmall"):
        neighbours = [bank.query_graph[other] for other in bank.query_graph.neighbours(node.id)]
        node_detail.draw(
            NodeDetail(
                node=node,
                state=state_of(look.moment, node),
                neighbours=neighbours,
                entries=bank.trees.entries(node.id),
                merges=bank.trees.merges(node.id),
                passage=_passage(look.passage),
            ),
            key=f"node-{node.id}",
            on_open_node=lambda other: open_node(look, other),
            on_open_passage=lambda where: open_passage(look, where),
        )


def draw_nothing_selected(look: Looking) -> None:
    """Where no node is selected: the contradiction that matters now."""
    heading("Selected")
    st.html(
        '<div class="mb-empty">Press a node in the graph, or choose a line of the table below, to read what it says '
        "and where that comes from.</div>"
    )
    conflict = conflict_now(look.moment)
    if conflict is not None:
        conflicts.draw([conflict], key="conflict-now", on_open_node=lambda node_id: open_node(look, node_id))


def conflict_now(moment: Moment) -> Conflict | None:
    """The conflict being checked; else, while there is no answer yet, the one that came last."""
    bank, task = moment.bank, moment.bank.insight_doc.current_task
    if task is not None and task.conflict_id in bank.conflicts:
        return bank.conflicts[task.conflict_id]
    if bank.answer is not None or not bank.conflicts:
        return None
    return list(bank.conflicts.values())[-1]


def _passage(where: str | None) -> tuple[str, int, int] | None:
    if where is None:
        return None
    entry_id, start, end = where.split(":")
    return entry_id, int(start), int(end)


def draw_below(look: Looking) -> None:
    """Conflicts; then, folded, what was given, the nodes as a table, and the events."""
    moment, bank = look.moment, look.moment.bank
    opened = len(bank.open_conflicts())
    heading("Conflicts", f"{opened} open, {len(bank.conflicts)} in all" if bank.conflicts else "")
    conflicts.draw(list(bank.conflicts.values()), key="conflict", on_open_node=lambda node_id: open_node(look, node_id))
    with st.expander(f"Nodes as a table ({len(bank.query_graph):,})", key="fold-nodes"):
        rows = [
            NodeRow(
                node, state_of(moment, node), len(bank.trees.entries(node.id)), bank.query_graph.neighbours(node.id)
            )
            for node in bank.query_graph
        ]
        node_table.draw(rows, key="table", on_open_node=lambda node_id: open_node(look, node_id))
    with st.expander(f"Documents ({len(bank.sources):,})", key="fold-documents"):
        progress.draw_list(moment.progress())
    with st.expander(f"Events ({len(moment.events):,})", key="fold-events"):
        event_feed.draw(moment.events, key="events")


main()
