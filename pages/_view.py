"""A session as it is read: the answer with its passages, the three columns, conflicts, records."""

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
from components.look import heading
from components.node_detail import NodeDetail
from components.usage_table import UsageRow
from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.usage import Usage
from memory_bank.moment import Moment
from memory_bank.verifying import Verified, read_again
from pages._evidence import draw_evidence
from pages._exports import draw_exports
from pages._frame import go, open_node
from pages._graph import draw_graph, rows, state_of
from pages._server import server
from pages._visitor import Looking

TREE, CONFLICTS = "pages/interaction_tree.py", "pages/conflicts.py"
MOST_CONFLICTS = 3
IMPORTANCE = ("open", "disputed", "resolved")


def draw_answer(look: Looking) -> None:
    """The answer and, beside it, the passage of the citation that was pressed."""
    given = look.moment.bank.answer
    if given is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    opened = cited(look, given)
    with left:
        heading(say("Answer"), say("numbers open the passages") if given.citations else "")
        number = str(opened.number) if opened else None
        answer.draw(given, key="answer", opened=number, on_open=lambda pressed: open_citation(look, pressed))
    if opened is not None:
        with right:
            draw_cited(look, opened)


def draw_verified(look: Looking) -> None:
    """How much of a finished answer holds when it is read again."""
    given = look.moment.bank.answer
    if given is not None and given.affirmed and look.moment.bank.status == "finished":
        found = verify((look.session_id, given.affirmed), look.moment)
        if found is not None:
            answer.draw_verified(found)


@st.cache_data(max_entries=64, show_spinner=False)
def verify(which: tuple[str, str], _moment: Moment) -> Verified | None:
    """The answer of a session read again, once for each; None where the networks that read it are not there."""
    del which  # what the cache tells answers apart by
    return read_again(_moment.bank, _moment.events[0])


def open_citation(look: Looking, number: str) -> None:
    """Show a citation's passage."""
    look.cited = number


def cited(look: Looking, given: Answer) -> Citation | None:
    """The citation whose passage is shown: the one that was pressed, before that the first."""
    numbers = {str(citation.number): citation for citation in given.citations}
    return numbers.get(look.cited or "", next(iter(numbers.values()), None))


def draw_cited(look: Looking, citation: Citation) -> None:
    """The passage of the open citation, in its text and on its page."""
    trees = look.moment.bank.trees
    heading(say("Passage {number}", number=citation.number), say("record {entry}", entry=citation.entry_id))
    span = (citation.start, citation.end)
    draw_evidence(look, citation.entry_id, span, citation.source, citation.page, key="cited")
    if citation.entry_id in trees:
        node_id = trees.node_of(citation.entry_id)
        label = say("Open its node {node}", node=node_id)
        st.button(label, key="cited-node", on_click=open_node, args=(look, node_id))


def open_passage(look: Looking, where: str) -> None:
    """Open a claim's passage, or put it away when it is pressed again."""
    look.passage = None if look.passage == where else where


def draw_reading(look: Looking, *, working: bool) -> None:
    """How far reading has got, until everything is read."""
    sources = look.live.progress()
    if working and any(source.state in ("waiting", "reading") for source in sources):
        progress.draw_bar(sources, look.live.seconds(datetime.now(UTC)), server().reading(look.session_id))


def draw_columns(look: Looking, *, working: bool) -> None:
    """Insight Doc, Query Graph, and what is selected."""
    moment = look.moment
    left, middle, right = st.columns([5, 9, 7], gap="medium")
    with left:
        heading(say("Insight Doc"), say_n("{n} task", "{n} tasks", len(moment.bank.insight_doc.completed_tasks)))
        insight_doc.draw(moment.bank.insight_doc, working=working)
    with middle:
        heading(say("Query Graph"), say_n("{n} node", "{n} nodes", len(moment.bank.query_graph)))
        draw_graph(look, height="430px", key="graph")
    with right:
        draw_selected(look)


def draw_selected(look: Looking) -> None:
    """The selected node in full."""
    bank, node_id = look.moment.bank, look.selected
    node = bank.query_graph.get(node_id) if node_id is not None else None
    if node is None:
        draw_nothing_selected(look)
        return
    heading(say("Selected"), node.id)
    with st.container(key="selected", gap="xsmall"):
        neighbours = [bank.query_graph[other] for other in bank.query_graph.neighbours(node.id)]
        node_detail.draw(
            NodeDetail(
                node=node,
                state=state_of(look.moment, node),
                neighbours=neighbours,
                entries=bank.trees.entries(node.id),
                merges=bank.trees.merges(node.id),
                passage=None if look.passage is None else node_detail.place_of(look.passage),
            ),
            key=f"node-{node.id}",
            on_open_node=lambda other: open_node(look, other),
            on_open_passage=lambda where: open_passage(look, where),
            on_open_tree=lambda: go(look, TREE),
        )


def draw_nothing_selected(look: Looking) -> None:
    """Where no node is selected: the contradiction that matters now."""
    heading(say("Selected"))
    hint = say(
        "Press a node in the graph, or choose a line of the table below, to read what it says and where that comes "
        "from."
    )
    st.html(f'<div class="mb-empty">{hint}</div>')
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


def draw_below(look: Looking) -> None:
    """The conflicts that matter most; then, folded, the nodes as a table, what was given, what it cost, the events."""
    moment, bank = look.moment, look.moment.bank
    draw_conflicts(look)
    with fold(say("Nodes as a table ({number})", number=f"{len(bank.query_graph):,}"), "nodes") as nodes:
        if nodes.open:
            node_table.draw(rows(look), key="table", on_open_node=lambda node_id: open_node(look, node_id))
    with fold(say("Documents ({number})", number=f"{len(bank.sources):,}"), "documents") as documents:
        if documents.open:
            progress.draw_list(moment.progress())
    if bank.usage.calls:
        label = say_n("Language models ({n} call)", "Language models ({n} calls)", bank.usage.calls)
        with fold(label, "usage") as usage:
            if usage.open:
                draw_usage(moment)
    with fold(say("Export: JSON, report, graph"), "exports") as exports:
        if exports.open:
            with st.container(horizontal=True):
                draw_exports(lambda: look.live.events, look.session_id, server().store)
    with fold(say("Events ({number})", number=f"{len(event_feed.lines(moment.events)):,}"), "events") as events:
        if events.open:
            event_feed.draw(moment.events, key="events")


def fold(label: str, name: str) -> ExpanderContainer:
    """A part that is folded at first, and whose content is made only when it is opened."""
    return st.expander(label, key=f"fold-{name}", on_change="rerun")


def draw_conflicts(look: Looking) -> None:
    """The conflicts that matter most, and the way to all of them."""
    bank = look.moment.bank
    opened = len(bank.open_conflicts())
    counts = say("{opened} open, {all} in all", opened=opened, all=len(bank.conflicts)) if bank.conflicts else ""
    heading(say("Conflicts"), counts)
    first = sorted(bank.conflicts.values(), key=lambda conflict: IMPORTANCE.index(conflict.status))[:MOST_CONFLICTS]
    conflicts.draw(first, key="conflict", on_open_node=lambda node_id: open_node(look, node_id))
    if first:
        label = say("All conflicts: evidence, decide, overturn")
        st.button(label, key="all-conflicts", on_click=go, args=(look, CONFLICTS))


def draw_usage(moment: Moment) -> None:
    """What each agent's requests took."""
    rows = [
        UsageRow(agent, moment.asked.get(agent, ()), usage)
        for agent, usage in moment.bank.usage_of.items()
        if usage.calls
    ]
    total = sum((row.usage for row in rows), Usage())
    usage_table.draw(rows, total)
