"""The Interaction Tree page: a node, the records and merges behind it, and a record's passage in its document."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from components import node_detail, pager, passage
from components.language import recorded, say, say_n
from components.look import NODE_STATES, SessionState, draw_note, draw_text, duration, heading, plain, source_label
from components.node_detail import NodeDetail, draw_neighbours, passage_link
from components.turns import draw_turns
from memory_bank.bank.events import NodesMerged
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node
from memory_bank.views.readable import read_record
from pages.shared import conflict_view
from pages.shared.conflict_view import open_conflict, open_link
from pages.shared.frame import draw_status, draw_time, open_node, session_page
from pages.shared.graph_view import detail_of, node_state
from pages.shared.passage_view import draw_attachments, draw_evidence
from pages.shared.tab_state import ViewState, field_state

# Records per page; a node of a large session may have hundreds.
_PAGE_SIZE = 20


def draw_interaction_tree_page(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    draw_status(view, state)
    draw_time(view)
    graph = view.moment.bank.query_graph
    selected = graph.get(view.selected) if view.selected is not None else None
    node = selected or next(iter(graph), None)
    if node is None:
        draw_note(
            say("There is no node at this moment. Nodes appear as documents are read; each shows its records here.")
        )
        return
    draw_choice(view, node)
    trees = view.moment.bank.trees
    opened = next(((claim.entry_id, claim.start, claim.end) for claim in node.claims), None)
    if view.passage is not None:
        pressed = node_detail.parse_passage_link(view.passage)
        if pressed[0] in trees and trees.node_of(pressed[0]) == node.id:
            opened = pressed
    detail = detail_of(view.moment, node, opened)
    left, middle, right = st.columns([6, 9, 8], gap="medium")
    with left:
        heading(say("Node"), say_n("{n} node", "{n} nodes", len(graph)))
        with st.container(key="tree-node", gap="xsmall"):
            node_detail.draw_node_head(detail.node, detail.state)
            key = f"tree-{node.id}"
            node_detail.draw_claims(detail, key=key, on_open_passage=lambda link: setattr(view, "passage", link))
            draw_neighbours(detail.neighbours, key=key, on_open=lambda link: open_link(view, link, page=None))
    with middle:
        heading(say("Interaction Tree"), say_n("{n} record", "{n} records", len(detail.entries)))
        with st.container(key="tree-records", gap="xsmall"):
            for node_merge in detail.merges:
                draw_node_merge(view, node_merge)
            for entry in pager.page_of(detail.entries, _PAGE_SIZE, key=f"records-{node.id}"):
                draw_entry(view, detail.node, entry, only=len(detail.entries) == 1)
    with right, st.container(key="tree-place", gap="xsmall"):
        draw_context(view, detail)


# -- the node


def draw_choice(view: ViewState, node: Node) -> None:
    """Draw the searchable list of all nodes, and a note if the selected node does not exist as such."""
    moment = view.moment
    key, on_change = field_state("tree-choice", node.id, lambda chosen: open_node(view, chosen))
    if view.selected not in (None, node.id):
        draw_note(say("Node {node} does not exist at this moment.", node=view.node))
    elif view.node is not None and view.node != node.id:
        draw_note(say("{node} was merged into {became}.", node=view.node, became=node.id))

    def label(node_id: str) -> str:
        option = moment.bank.query_graph[node_id]
        records = say_n("{n} record", "{n} records", len(moment.bank.trees.entries(node_id)))
        return f"{option.id} · {option.context} · {NODE_STATES[node_state(moment, option)].word} · {records}"

    st.selectbox(
        say("Choose a node"),
        [option.id for option in moment.bank.query_graph],
        format_func=label,
        key=key,
        on_change=on_change,
        label_visibility="collapsed",
        width=760,
    )


# -- its records


def draw_node_merge(view: ViewState, node_merge: Merge) -> None:
    """Draw a merge: time, reason and verdict; when opened, also the nodes before and after."""
    merges = (event for event in reversed(view.moment.verdicts) if isinstance(event, NodesMerged))
    event = next(event for event in merges if event.merge == node_merge)
    nodes, became = " + ".join(node_merge.node_ids), event.node.id
    label = say("{nodes} became {node}", nodes=nodes, node=became)
    title = plain(f"{label} · {time_of(view, event.at)}")
    with st.expander(title, icon=":material/merge:", key=f"merge-{became}", on_change="rerun") as fold:
        if not fold.open:
            return
        draw_text(recorded(node_merge.description), "mb-side")
        if node_merge.conflict_id is not None:
            verdict = say("By the verdict on conflict {conflict}", conflict=node_merge.conflict_id)
            st.button(
                plain(verdict),
                key=f"way-{became}",
                type="tertiary",
                on_click=open_conflict,
                args=(view, node_merge.conflict_id),
            )
        conflict_view.draw_merge_event(view, event, key=f"tree-{became}")


def draw_entry(view: ViewState, node: Node, entry: Entry, *, only: bool) -> None:
    """Draw a record: its id, source and length; when opened, in full."""
    facts = (entry.id, source_text(entry), say_n("{n} character", "{n} characters", len(entry.text)))
    label = plain(" · ".join(facts))
    with st.expander(label, expanded=only, key=f"record-{entry.id}", on_change="rerun") as fold:
        if fold.open:
            draw_entry_in_full(view, node, entry)


def draw_entry_in_full(view: ViewState, node: Node, entry: Entry) -> None:
    """Draw a record in full: its text, its files, and what the agent did."""
    facts = [say("recorded {time} after the start", time=time_of(view, entry.created_at))]
    if tool := entry.metadata.get("tool"):
        facts.append(say("returned by the tool {tool}", tool=tool))
    elif entry.metadata.get("agent"):
        facts.append(say("by the acting agent"))
    draw_text(" · ".join(facts), "mb-where")
    record = read_record(view.moment.bank, entry)
    claims = [record.span(claim.start, claim.end) for claim in node.claims if claim.entry_id == entry.id]
    passage.draw_whole(record.text, claims, key=f"text-{entry.id}")
    draw_attachments(view, entry, key=f"files-{entry.id}")
    if step_turns := view.moment.bank.turns.get(str(entry.metadata.get("step"))):
        label = say_n("What the agent did: {n} turn", "What the agent did: {n} turns", len(step_turns))
        with st.expander(label, key=f"step-{entry.id}", type="compact", on_change="rerun") as fold:
            if fold.open:
                draw_turns(step_turns, key=f"turns-{entry.id}")
    whole = passage_link((entry.id, 0, len(entry.text)))
    st.button(say("Show in context"), key=f"place-{entry.id}", on_click=setattr, args=(view, "passage", whole))


def source_text(entry: Entry) -> str:
    """The source of a record, with its page."""
    conflict = entry.metadata.get("conflict_id")
    source = str(entry.metadata.get("source", "record"))
    if conflict and entry.metadata.get("agent") == "person":
        source = say("decision on {conflict}", conflict=conflict)
    elif conflict:
        source = say("verification {conflict}", conflict=conflict)
    return source_label(source, entry.page)


def time_of(view: ViewState, moment: datetime) -> str:
    """A time, from the start of the session."""
    return duration((moment - view.live.events[0].at).total_seconds())


# -- a passage in its document


def draw_context(view: ViewState, detail: NodeDetail) -> None:
    """Draw the open passage in its document."""
    if detail.passage is None:
        heading(say("In context"))
        draw_note(say("Open a record and press “Show in context”. Its page or image appears here."))
        return
    entry_id, start, end = detail.passage
    heading(say("In context"), say("record {entry}", entry=entry_id))
    entry = view.moment.bank.trees.entry(entry_id)
    places = {(claim.entry_id, claim.start, claim.end): claim for claim in detail.node.claims}
    claim = places.get(detail.passage)
    page = entry.page if claim is None else claim.page
    source = str(entry.metadata.get("source", "")) if claim is None else claim.source
    draw_evidence(view, entry_id, (start, end), source, page)


session_page(draw_interaction_tree_page)
