"""A session as it is read: the answer with its passages, the three columns, conflicts, records."""

from __future__ import annotations

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
    usage_table,
)
from components.look import count, heading
from components.node_detail import NodeDetail
from components.node_table import NodeRow
from components.usage_table import UsageRow
from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.usage import Usage
from memory_bank.moment import Moment
from pages._graph import edges, nodes, state_of
from pages._visitor import Looking


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
    if bank.usage.calls:
        with st.expander(f"Language models ({count(bank.usage.calls, 'call')})", key="fold-usage"):
            draw_usage(moment)
    with st.expander(f"Events ({len(event_feed.lines(moment.events)):,})", key="fold-events"):
        event_feed.draw(moment.events, key="events")


def draw_usage(moment: Moment) -> None:
    """What each agent's requests took."""
    rows = [
        UsageRow(agent, moment.asked.get(agent, ()), usage)
        for agent, usage in moment.bank.usage_of.items()
        if usage.calls
    ]
    total = sum((row.usage for row in rows), Usage())
    usage_table.draw(rows, total)
