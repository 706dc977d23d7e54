"""One node: what it says, claim by claim with sources, what it is related to, and what is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from components import linked_text, pager, passage
from components.language import listed, recorded, say, say_n
from components.linked_text import Block, Segment
from components.look import NODE_STATES, NodeState, escape, mark, place
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Claim, Node

T = TypeVar("T")

_AT_ONCE = 30
"""Claims or neighbours shown at a time."""

Place = tuple[str, int, int]
"""A passage: its record, where it begins, where it ends."""


@dataclass(frozen=True)
class NodeDetail:
    """A node with everything around it. `passage` is the part of an entry that a claim opened."""

    node: Node
    state: NodeState
    neighbours: Sequence[Node]
    entries: Sequence[Entry]
    merges: Sequence[Merge]
    passage: Place | None = None


def draw(
    detail: NodeDetail,
    *,
    key: str,
    on_open_node: Callable[[str], None],
    on_open_passage: Callable[[str], None],
    on_open_tree: Callable[[], None],
) -> None:
    """Draw the node. Pressing a claim's source opens its passage (`entry:start:end`), a neighbour its node."""
    draw_head(detail.node, detail.state)
    draw_claims(detail, key=key, on_open_passage=on_open_passage, inline=True)
    draw_neighbours(detail.neighbours, key=key, on_open_node=on_open_node)
    _draw_behind(detail)
    st.button(
        say("Open in Interaction Tree"),
        key=f"{key}-tree",
        on_click=on_open_tree,
        help=say("Its records, their documents page by page, and the merges that led to it"),
    )


def draw_head(node: Node, state: NodeState) -> None:
    """A node's topic, state, summary and keywords."""
    look = NODE_STATES[state]
    keywords = "".join(f"<span>{escape(word)}</span>" for word in node.keywords)
    st.html(
        f'<div class="mb-node"><h3>{escape(node.context)}</h3>'
        f'<div class="mb-where">{mark(look)}{escape(node.id)} · {escape(look.word)}</div>'
        f'<div class="mb-text">{escape(node.summary)}</div><div class="mb-words">{keywords}</div></div>'
    )


def draw_claims(detail: NodeDetail, *, key: str, on_open_passage: Callable[[str], None], inline: bool = False) -> None:
    """Draw a node's claims, each with a way to its passage, which stands below the claim if it is to be `inline`."""
    claims = detail.node.claims
    if not claims:
        return
    _draw_title(say_n("{n} claim", "{n} claims", len(claims)))
    shown = _part(claims, key=f"{key}-claims")
    texts = {entry.id: entry.text for entry in detail.entries} if inline else {}
    opened = link(detail.passage) if detail.passage else None
    blocks = [block for claim in shown for block in _claim(claim, detail.passage, texts.get(claim.entry_id))]
    linked_text.draw(blocks, key=f"{key}-claims", pressed=opened, on_press=on_open_passage)


def draw_neighbours(neighbours: Sequence[Node], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the nodes that a node is related to, each a way to it."""
    if not neighbours:
        return
    _draw_title(say("Related to"))
    blocks = [_neighbour(node) for node in _part(neighbours, key=f"{key}-neighbours")]
    linked_text.draw(blocks, key=f"{key}-neighbours", pressed=None, on_press=on_open_node)


def link(where: Place) -> str:
    """A passage as a link brings it: `entry:start:end`."""
    return ":".join(map(str, where))


def place_of(link: str) -> Place:
    """The passage that a link brings."""
    entry_id, start, end = link.rsplit(":", 2)
    return entry_id, int(start), int(end)


def _draw_title(text: str) -> None:
    st.html(f'<div class="mb-where">{escape(text)}</div>')


def _part(found: Sequence[T], *, key: str) -> Sequence[T]:
    """The part of a long list that is shown."""
    last = -(-len(found) // _AT_ONCE)
    number = pager.draw(last, lambda part: say("Part {n} of {last}", n=part, last=last), key=f"{key}-part")
    return found[(number - 1) * _AT_ONCE : number * _AT_ONCE]


def _claim(claim: Claim, opened: Place | None, text: str | None) -> Iterator[Block]:
    """A claim with its source, and below the one that was pressed its passage in the record's text."""
    where = (claim.entry_id, claim.start, claim.end)
    source = place(claim.source, claim.page)
    said = Segment(f"{' '.join(claim.text.split())}  ")
    way = Segment(source, link=link(where), label=say("Open the passage in {source}", source=source))
    yield Block((said, way), kind="item")
    if where == opened and text is not None:
        before, passed, after = passage.around(text, where[1:])
        yield Block((Segment(before), Segment(passed, marked=True), Segment(after)), kind="passage")


def _neighbour(node: Node) -> Block:
    label = say("Open node {node}", node=node.id)
    return Block((Segment(node.id, link=node.id, label=label), Segment(f"  {node.context}")), kind="item")


def _draw_behind(detail: NodeDetail) -> None:
    records = say_n("{n} record", "{n} records", len(detail.entries))
    _draw_title(say("Interaction Tree: {records}", records=records))
    for merge in detail.merges[-3:]:
        st.html(f'<div class="mb-side">{escape(told(merge))}</div>')


def told(merge: Merge) -> str:
    """A merge in words."""
    return say("{nodes} were merged. {reason}", nodes=listed(merge.node_ids), reason=recorded(merge.description))
