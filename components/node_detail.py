"""Draw one node: its summary, its claims with sources, the related nodes and the latest merges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from components import pager
from components.language import listed, recorded, say, say_n
from components.linked_text import Block, Segment, draw_linked_text, item, node_link
from components.look import NODE_STATES, NodeState, draw_text, escape, mark, source_label
from components.passage import PassageRef
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node
from memory_bank.views.markdown import Readable

_PAGE_SIZE = 30
"""Claims or neighbours shown at a time."""
_CONTEXT = 200
"""Characters shown before and after the open passage."""


@dataclass(frozen=True)
class NodeDetail:
    """A node with its neighbours, records and merges. `passage` is the one that is shown, in the text of `record`."""

    node: Node
    state: NodeState
    neighbours: Sequence[Node]
    entries: Sequence[Entry]
    merges: Sequence[Merge]
    passage: PassageRef | None = None
    record: Readable | None = None


def draw_node_detail(
    detail: NodeDetail,
    *,
    key: str,
    on_open: Callable[[str], None],
    on_open_passage: Callable[[str], None],
    on_open_tree: Callable[[], None],
) -> None:
    """Draw the node. Pressing a claim's source sends its passage (`entry:start:end`), a neighbour `node:n4`."""
    draw_node_head(detail.node, detail.state)
    draw_claims(detail, key=key, on_open_passage=on_open_passage, inline=True)
    draw_neighbours(detail.neighbours, key=key, on_open=on_open)
    records = say_n("{n} record", "{n} records", len(detail.entries))
    draw_text(say("Interaction Tree: {records}", records=records), "mb-where")
    for merge in detail.merges[-3:]:
        nodes, reason = listed(merge.node_ids), recorded(merge.description)
        draw_text(say("{nodes} were merged. {reason}", nodes=nodes, reason=reason), "mb-side")
    st.button(
        say("Open in Interaction Tree"),
        key=f"{key}-tree",
        on_click=on_open_tree,
        help=say("Its records, their documents page by page, and the merges that led to it"),
    )


def draw_node_head(node: Node, state: NodeState) -> None:
    """Draw a node's topic, state, summary and keywords."""
    style = NODE_STATES[state]
    keywords = "".join(f"<span>{escape(word)}</span>" for word in node.keywords)
    st.html(
        f'<div class="mb-node"><h3>{escape(node.context)}</h3>'
        f'<div class="mb-where">{mark(style)}{escape(node.id)} · {escape(style.word)}</div>'
        f'<div class="mb-text">{escape(node.summary)}</div><div class="mb-words">{keywords}</div></div>'
    )


def draw_claims(detail: NodeDetail, *, key: str, on_open_passage: Callable[[str], None], inline: bool = False) -> None:
    """Draw a node's claims, each with a link to its passage; `inline` shows the open passage below its claim."""
    claims = detail.node.claims
    if not claims:
        return
    draw_text(say_n("{n} claim", "{n} claims", len(claims)), "mb-where")
    shown = pager.page_of(claims, _PAGE_SIZE, key=f"{key}-claims-part")
    opened = passage_link(detail.passage) if detail.passage else None
    blocks = []
    for claim in shown:
        ref, source = (claim.entry_id, claim.start, claim.end), source_label(claim.source, claim.page)
        label = say("Open the passage in {source}", source=source)
        link = Segment(source, link=passage_link(ref), label=label)
        blocks.append(item(Segment(f"{' '.join(claim.text.split())}  "), link))
        if inline and ref == detail.passage and detail.record is not None:
            before, text, after = detail.record.around(*ref[1:], _CONTEXT)
            blocks.append(Block((Segment(before), Segment(text, marked=True), Segment(after)), kind="passage"))
    draw_linked_text(blocks, key=f"{key}-claims", pressed=opened, on_press=on_open_passage)


def draw_neighbours(neighbours: Sequence[Node], *, key: str, on_open: Callable[[str], None]) -> None:
    """Draw the related nodes. Pressing one sends `node:n4`."""
    if not neighbours:
        return
    draw_text(say("Related to"), "mb-where")
    shown = pager.page_of(neighbours, _PAGE_SIZE, key=f"{key}-neighbours-part")
    blocks = [item(node_link(node.id), Segment(f"  {node.context}")) for node in shown]
    draw_linked_text(blocks, key=f"{key}-neighbours", pressed=None, on_press=on_open)


def passage_link(ref: PassageRef) -> str:
    """A passage as a link: `entry:start:end`."""
    return ":".join(map(str, ref))


def parse_passage_link(link: str) -> PassageRef:
    """The passage that a link names."""
    entry_id, start, end = link.rsplit(":", 2)
    return entry_id, int(start), int(end)
