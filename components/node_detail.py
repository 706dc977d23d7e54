"""One node: what it says, claim by claim with sources, what it is related to, and the raw records behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from components import linked_text, passage
from components.linked_text import Block, Segment
from components.look import NODE_STATES, NodeState, count, escape, mark, place, plain
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node

_ENTRIES = 20
"""Entries shown at first; a node of a large session may have hundreds."""


@dataclass(frozen=True)
class NodeDetail:
    """A node with everything around it. `passage` is the part of an entry that a claim opened."""

    node: Node
    state: NodeState
    neighbours: Sequence[Node]
    entries: Sequence[Entry]
    merges: Sequence[Merge]
    passage: tuple[str, int, int] | None = None


def draw(
    detail: NodeDetail,
    *,
    key: str,
    on_open_node: Callable[[str], None],
    on_open_passage: Callable[[str], None],
) -> None:
    """Draw the node. Pressing a claim's source opens its passage (`entry:start:end`), a neighbour its node."""
    _draw_head(detail)
    if detail.node.claims:
        st.html(f'<div class="mb-where">{count(len(detail.node.claims), "claim")}</div>')
        opened = _link(detail.passage) if detail.passage else None
        linked_text.draw(list(_claims(detail)), key=f"{key}-claims", pressed=opened, on_press=on_open_passage)
    if detail.neighbours:
        st.html('<div class="mb-where">Related to</div>')
        neighbours = [_neighbour(node) for node in detail.neighbours]
        linked_text.draw(neighbours, key=f"{key}-neighbours", pressed=None, on_press=on_open_node)
    _draw_trees(detail, key)


def _draw_head(detail: NodeDetail) -> None:
    node, look = detail.node, NODE_STATES[detail.state]
    keywords = "".join(f"<span>{escape(word)}</span>" for word in node.keywords)
    st.html(
        f'<div class="mb-node"><h3>{escape(node.context)}</h3>'
        f'<div class="mb-where">{mark(look)}{escape(node.id)} · {look.word}</div>'
        f'<div class="mb-text">{escape(node.summary)}</div><div class="mb-words">{keywords}</div></div>'
    )


def _claims(detail: NodeDetail) -> Iterator[Block]:
    """Each claim with its source, and below the one that was pressed its passage."""
    texts = {entry.id: entry.text for entry in detail.entries}
    for claim in detail.node.claims:
        where = (claim.entry_id, claim.start, claim.end)
        source = place(claim.source, claim.page)
        said = Segment(f"{' '.join(claim.text.split())}  ")
        link = Segment(source, link=_link(where), label=f"Open the passage in {source}")
        yield Block((said, link), kind="item")
        if where == detail.passage and claim.entry_id in texts:
            before, passed, after = passage.around(texts[claim.entry_id], where[1:])
            yield Block((Segment(before), Segment(passed, marked=True), Segment(after)), kind="passage")


def _link(where: tuple[str, int, int]) -> str:
    return ":".join(map(str, where))


def _neighbour(node: Node) -> Block:
    return Block(
        (Segment(node.id, link=node.id, label=f"Open node {node.id}"), Segment(f"  {node.context}")), kind="item"
    )


def _draw_trees(detail: NodeDetail, key: str) -> None:
    entries = count(len(detail.entries), "record", "records")
    st.html(f'<div class="mb-where">Interaction Tree: {entries}</div>')
    for merge in detail.merges:
        merged = " and ".join(merge.node_ids)
        st.html(f'<div class="mb-side">{escape(merged)} were merged. {escape(merge.description)}</div>')
    shown = detail.entries
    if len(shown) > _ENTRIES and not st.checkbox(f"Show all {entries}", key=f"{key}-all"):
        shown = shown[:_ENTRIES]
    for entry in shown:
        with st.expander(plain(f"{entry.id} · {_origin(entry)}"), key=f"{key}-{entry.id}"):
            passage.draw_whole(
                entry.text,
                [(claim.start, claim.end) for claim in detail.node.claims if claim.entry_id == entry.id],
            )


def _origin(entry: Entry) -> str:
    page = entry.metadata.get("page")
    return place(str(entry.metadata.get("source", "record")), page if isinstance(page, int) else None)
