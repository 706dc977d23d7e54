"""The Interaction Tree page: from a node to its records, and to the place in the document where they stand."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import document_page, merge, node_detail, pager, passage, turns
from components.language import recorded, say, say_n
from components.look import NODE_STATES, SessionState, duration, escape, heading, place, plain
from components.node_detail import NodeDetail, Place, link
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node
from memory_bank.events import Event, NodesMerged
from pages._conflict import before, open_conflict
from pages._evidence import draw_attachments, draw_evidence
from pages._field import holding
from pages._frame import draw_status, draw_time, open_node, session_page
from pages._graph import state_of
from pages._visitor import Looking

_RECORDS = 20
# Records shown at a time; a node of a large session may have hundreds.


def draw(look: Looking, state: SessionState) -> None:
    """The whole page."""
    draw_status(look, state)
    draw_time(look)
    node = chosen(look)
    if node is None:
        document_page.draw_words(
            say("There is no node at this moment. Nodes appear as documents are read; each shows its records here.")
        )
        return
    draw_choice(look, node)
    detail = detailed(look, node)
    left, middle, right = st.columns([6, 9, 8], gap="medium")
    with left:
        draw_node(look, detail)
    with middle:
        draw_tree(look, detail)
    with right, st.container(key="tree-place", gap="xsmall"):
        draw_place(look, detail)


def chosen(look: Looking) -> Node | None:
    """The node that is selected, or what it has become; before one is selected, the first."""
    bank = look.moment.bank
    selected = bank.query_graph.get(look.selected) if look.selected is not None else None
    return selected or next(iter(bank.query_graph), None)


def detailed(look: Looking, node: Node) -> NodeDetail:
    """The node with all that is drawn of it; the passage that is open is the one pressed, before that its first."""
    bank = look.moment.bank
    return NodeDetail(
        node=node,
        state=state_of(look.moment, node),
        neighbours=[bank.query_graph[other] for other in bank.query_graph.neighbours(node.id)],
        entries=bank.trees.entries(node.id),
        merges=bank.trees.merges(node.id),
        passage=opened(look, node),
    )


def opened(look: Looking, node: Node) -> Place | None:
    """The passage that is open: the one pressed, if it is of this node's records; else its first claim's."""
    trees = look.moment.bank.trees
    if look.passage is not None:
        pressed = node_detail.place_of(look.passage)
        if pressed[0] in trees and trees.node_of(pressed[0]) == node.id:
            return pressed
    return next(((claim.entry_id, claim.start, claim.end) for claim in node.claims), None)


# -- the node


def draw_node(look: Looking, detail: NodeDetail) -> None:
    """The node: which one, and what it says."""
    heading(say("Node"), say_n("{n} node", "{n} nodes", len(look.moment.bank.query_graph)))
    with st.container(key="tree-node", gap="xsmall"):
        node_detail.draw_head(detail.node, detail.state)
        key = f"tree-{detail.node.id}"
        node_detail.draw_claims(detail, key=key, on_open_passage=lambda where: open_passage(look, where))
        node_detail.draw_neighbours(detail.neighbours, key=key, on_open_node=lambda other: open_node(look, other))


def draw_choice(look: Looking, node: Node) -> None:
    """The list of all nodes, which can be searched."""
    moment = look.moment
    key, tell = holding("tree-choice", node.id, lambda chosen: open_node(look, chosen))
    if look.selected not in (None, node.id):
        document_page.draw_words(say("Node {node} is not there at this moment.", node=look.node))
    elif look.node is not None and look.node != node.id:
        document_page.draw_words(say("{node} has become {became}.", node=look.node, became=node.id))

    def words(node_id: str) -> str:
        one = moment.bank.query_graph[node_id]
        records = say_n("{n} record", "{n} records", len(moment.bank.trees.entries(node_id)))
        return f"{one.id} · {one.context} · {NODE_STATES[state_of(moment, one)].word} · {records}"

    st.selectbox(
        say("Choose a node"),
        [one.id for one in moment.bank.query_graph],
        format_func=words,
        key=key,
        on_change=tell,
        label_visibility="collapsed",
        width=760,
    )


def open_passage(look: Looking, where: str) -> None:
    """Show a passage at its place."""
    look.passage = where


# -- its trees


def draw_tree(look: Looking, detail: NodeDetail) -> None:
    """What led to the node: merges, then its records in time order."""
    heading(say("Interaction Tree"), say_n("{n} record", "{n} records", len(detail.entries)))
    with st.container(key="tree-records", gap="xsmall"):
        for made in detail.merges:
            draw_merge(look, made)
        last = -(-len(detail.entries) // _RECORDS)
        key = f"records-{detail.node.id}"
        part = pager.draw(last, lambda number: say("Records, part {n} of {last}", n=number, last=last), key=key)
        for entry in detail.entries[(part - 1) * _RECORDS : part * _RECORDS]:
            draw_entry(look, detail.node, entry, only=len(detail.entries) == 1)


def draw_merge(look: Looking, made: Merge) -> None:
    """A merge: when, why, by which verdict; opened, the nodes before and the one after."""
    event = merge_event(look.moment.events, made)
    if event is None:
        return
    nodes, became = " + ".join(made.node_ids), event.node.id
    label = say("{nodes} became {node}", nodes=nodes, node=became)
    title = plain(f"{label} · {since(look, event)}")
    with st.expander(title, icon=":material/merge:", key=f"merge-{became}", on_change="rerun") as fold:
        if not fold.open:
            return
        st.html(f'<div class="mb-side">{escape(recorded(made.description))}</div>')
        if made.conflict_id is not None:
            way = say("By the verdict on conflict {conflict}", conflict=made.conflict_id)
            st.button(
                plain(way), key=f"way-{became}", type="tertiary", on_click=open_conflict, args=(look, made.conflict_id)
            )
        merge.draw(before(look, event), event.node, key=f"tree-{became}")


def merge_event(events: Sequence[Event], made: Merge) -> NodesMerged | None:
    """The event that recorded a merge."""
    return next((one for one in reversed(events) if isinstance(one, NodesMerged) and one.merge == made), None)


def draw_entry(look: Looking, node: Node, entry: Entry, *, only: bool) -> None:
    """A record: where it comes from, when, how long; opened, its text, its files, and what the agent did."""
    facts = (entry.id, source_of(entry), say_n("{n} character", "{n} characters", len(entry.text)))
    label = plain(" · ".join(facts))
    with st.expander(label, expanded=only, key=f"record-{entry.id}", on_change="rerun") as fold:
        if fold.open:
            draw_record(look, node, entry)


def draw_record(look: Looking, node: Node, entry: Entry) -> None:
    """A record in full."""
    at = duration((entry.created_at - look.live.events[0].at).total_seconds())
    facts = [say("recorded {time} after the beginning", time=at)]
    if tool := entry.metadata.get("tool"):
        facts.append(say("brought by the tool {tool}", tool=tool))
    elif entry.metadata.get("agent"):
        facts.append(say("by the acting agent"))
    st.html(f'<div class="mb-where">{escape(" · ".join(facts))}</div>')
    claims = [(claim.start, claim.end) for claim in node.claims if claim.entry_id == entry.id]
    passage.draw_whole(entry.text, claims, key=f"text-{entry.id}")
    draw_attachments(look, entry, key=f"files-{entry.id}")
    draw_step(look, entry)
    whole = link((entry.id, 0, len(entry.text)))
    st.button(say("Show it at its place"), key=f"place-{entry.id}", on_click=open_passage, args=(look, whole))


def draw_step(look: Looking, entry: Entry) -> None:
    """What the acting agent did in the step that brought a record."""
    step = str(entry.metadata.get("step"))
    taken = look.moment.bank.turns.get(step)
    if not taken:
        return
    label = say_n("What the agent did: {n} turn", "What the agent did: {n} turns", len(taken))
    with st.expander(label, key=f"step-{entry.id}", type="compact", on_change="rerun") as fold:
        if fold.open:
            turns.draw(taken, key=f"turns-{entry.id}")


def source_of(entry: Entry) -> str:
    """Where a record comes from."""
    page = entry.metadata.get("page")
    return place(recorded(str(entry.metadata.get("source", "record"))), page if isinstance(page, int) else None)


def since(look: Looking, event: Event) -> str:
    """When something happened, from the beginning of the session."""
    return duration((event.at - look.live.events[0].at).total_seconds())


# -- the place of a passage


def draw_place(look: Looking, detail: NodeDetail) -> None:
    """The passage that is open, where it stands."""
    if detail.passage is None:
        heading(say("At its place"))
        document_page.draw_words(say("Open a record and show it at its place: its page or image appears here."))
        return
    entry_id, start, end = detail.passage
    heading(say("At its place"), say("record {entry}", entry=entry_id))
    entry = look.moment.bank.trees.entry(entry_id)
    claim = next((one for one in detail.node.claims if (one.entry_id, one.start, one.end) == detail.passage), None)
    page = entry.metadata.get("page") if claim is None else claim.page
    source = str(entry.metadata.get("source", "")) if claim is None else claim.source
    draw_evidence(look, entry_id, (start, end), source, page if isinstance(page, int) else None)


session_page(draw)
