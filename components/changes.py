"""What became of the memory between two moments: added, merged, changed, separated, and what was done in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st

from components import linked_text
from components.language import later, listed, recorded, say, say_n
from components.linked_text import Block, Segment
from components.look import GREEN, GREY, NODE_STATES, ORANGE, VERMILION, Look, escape, mark
from components.merge import differing
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.query_graph import Node
from memory_bank.modules.difference import Piece, difference

T = TypeVar("T")

_MOST = 25
"""Of each kind so many are listed; the others are counted."""
_ADDED = replace(NODE_STATES["added"], key=later("Added"))
_MERGED = replace(NODE_STATES["merged"], key=later("Merged"))
_CHANGED = replace(NODE_STATES["changed"], key=later("Changed"))
_SEPARATED = Look(later("Separated again"), "◇", ORANGE)
_DISSOLVED = Look(later("No more, as a merge was taken back"), "◌", GREY)
_OPENED = Look(later("Conflicts opened"), "◆", VERMILION)
_SETTLED = Look(later("Conflicts settled"), "✓", GREEN)
_DONE = Look(later("Tasks done"), "✓", GREEN)
_FAILED = Look(later("failed"), "✕", VERMILION)


@dataclass(frozen=True)
class ChangedNode:
    """A node then and now, each with the number of its records."""

    before: Node
    after: Node
    records_before: int
    records_after: int


@dataclass(frozen=True)
class Compared:
    """Two moments compared: nodes as they were, and as they are. `merged` has the parts, then what they became."""

    added: Sequence[Node] = ()
    merged: Sequence[tuple[tuple[Node, ...], Node]] = ()
    changed: Sequence[ChangedNode] = ()
    separated: Sequence[Node] = ()
    dissolved: Sequence[Node] = ()
    opened: Sequence[Conflict] = ()
    settled: Sequence[Conflict] = ()
    tasks: Sequence[CompletedTask] = ()
    edges_added: int = 0
    edges_removed: int = 0
    answer: str = ""


def draw(
    compared: Compared, *, key: str, on_open_node: Callable[[str], None], on_open_conflict: Callable[[str], None]
) -> None:
    """Draw the list. Pressing a node's or a conflict's id opens it."""

    def open_it(link: str) -> None:
        kind, _, found = link.partition(":")
        (on_open_node if kind == "node" else on_open_conflict)(found)

    with st.container(key=f"{key}-compared", gap="xsmall"):
        st.html(f'<div class="mb-compared" role="status">{escape(summary(compared))}</div>')
        for number, (look, blocks) in enumerate(_sections(compared)):
            st.html(f'<div class="mb-part">{mark(look)}{escape(look.word)}</div>')
            linked_text.draw(blocks, key=f"{key}-{number}", pressed=None, on_press=open_it)


def summary(compared: Compared) -> str:
    """In one line, how much is different."""
    gone = sum(len(parts) for parts, _node in compared.merged)
    said = [
        *_counted(len(compared.added), lambda n: say_n("{n} node added", "{n} nodes added", n)),
        *_counted(gone, lambda n: say_n("{n} node merged", "{n} nodes merged", n)),
        *_counted(len(compared.changed), lambda n: say_n("{n} node changed", "{n} nodes changed", n)),
        *_counted(len(compared.separated), lambda n: say_n("{n} node separated again", "{n} nodes separated again", n)),
        *_counted(compared.edges_added, lambda n: say_n("{n} relation more", "{n} relations more", n)),
        *_counted(compared.edges_removed, lambda n: say_n("{n} relation less", "{n} relations less", n)),
        *_counted(len(compared.opened), lambda n: say_n("{n} conflict opened", "{n} conflicts opened", n)),
        *_counted(len(compared.settled), lambda n: say_n("{n} conflict settled", "{n} conflicts settled", n)),
        *_counted(len(compared.tasks), lambda n: say_n("{n} task done", "{n} tasks done", n)),
        *([compared.answer] if compared.answer else []),
    ]
    return " · ".join(said) or say("Nothing in the memory is different between these two moments.")


def _counted(number: int, words: Callable[[int], str]) -> Iterator[str]:
    if number:
        yield words(number)


def _sections(compared: Compared) -> Iterator[tuple[Look, list[Block]]]:
    """What there is of each kind, with how it looks."""
    sections = (
        (_ADDED, _drawn(compared.added, lambda node: [_line(node)])),
        (_MERGED, _drawn(compared.merged, lambda found: _merged(*found))),
        (_CHANGED, _drawn(compared.changed, _changed)),
        (_SEPARATED, _drawn(compared.separated, lambda node: [_line(node)])),
        (_DISSOLVED, _drawn(compared.dissolved, lambda node: [_gone(node)])),
        (_OPENED, _drawn(compared.opened, lambda conflict: [_conflict(conflict)])),
        (_SETTLED, _drawn(compared.settled, lambda conflict: [_conflict(conflict)])),
        (_DONE, _drawn(compared.tasks, lambda task: [_task(task)])),
    )
    yield from ((look, blocks) for look, blocks in sections if blocks)


def _drawn(found: Sequence[T], blocks: Callable[[T], Iterable[Block]]) -> list[Block]:
    """What is drawn of each, and how many there are more."""
    drawn = [block for one in found[:_MOST] for block in blocks(one)]
    rest = len(found) - _MOST
    if rest > 0:
        drawn.append(Block((Segment(say_n("and {n} more", "and {n} more", rest)),), kind="item"))
    return drawn


def _way(node: Node) -> Segment:
    return Segment(node.id, link=f"node:{node.id}", label=say("Open node {node}", node=node.id))


def _line(node: Node) -> Block:
    return Block((_way(node), Segment(f" {node.context}")), kind="item")


def _gone(node: Node) -> Block:
    return Block((Segment(f"{node.id} {node.context}"),), kind="item")


def _merged(parts: tuple[Node, ...], node: Node) -> Iterator[Block]:
    """What each part said, and what the node says that they became, with the differing words marked."""
    names = listed(part.id for part in parts)
    yield Block((Segment(say("{nodes} became", nodes=names)), Segment(" "), _way(node)), kind="item")
    said, became = differing([part.summary for part in parts], node.summary)
    for part, pieces in zip(parts, said, strict=True):
        yield _passage(say("Before, {node}: ", node=part.id), pieces)
    yield _passage(say("After, {node}: ", node=node.id), became)


def _changed(change: ChangedNode) -> Iterator[Block]:
    """What is different about a node, and nothing else of it."""
    before, after = change.before, change.after
    facts = [
        *_status(before, after),
        *_moved(len(before.claims), len(after.claims), lambda n: say_n("{n} claim", "{n} claims", n)),
        *_moved(change.records_before, change.records_after, lambda n: say_n("{n} record", "{n} records", n)),
    ]
    said = " · ".join([after.context, *facts])
    yield Block((_way(after), Segment(f" {said}")), kind="item")
    for then, now in (
        (before.context, after.context),
        (", ".join(before.keywords), ", ".join(after.keywords)),
        (before.summary, after.summary),
    ):
        if then != now:
            left, right = difference(then, now)
            yield _passage(say("Before: "), left)
            yield _passage(say("After: "), right)


def _status(before: Node, after: Node) -> Iterator[str]:
    if before.status != after.status:
        then, now = NODE_STATES[before.status].word, NODE_STATES[after.status].word
        yield say("was {then}, is {now}", then=then, now=now)


def _moved(before: int, after: int, words: Callable[[int], str]) -> Iterator[str]:
    if before != after:
        yield say("{then} before, {now} now", then=words(before), now=words(after))


def _passage(title: str, pieces: Iterable[Piece]) -> Block:
    marked = (Segment(text, marked=differs) for text, differs in pieces)
    return Block((Segment(title), *marked), kind="passage")


def _conflict(conflict: Conflict) -> Block:
    label = say("Open conflict {conflict}", conflict=conflict.id)
    way = Segment(conflict.id, link=f"conflict:{conflict.id}", label=label)
    return Block((way, Segment(f" {recorded(conflict.description)}")), kind="item")


def _task(task: CompletedTask) -> Block:
    failed = f"{_FAILED.glyph} {_FAILED.word} · " if task.status == "failed" else ""
    return Block((Segment(f"{failed}{recorded(task.description)}"),), kind="item")
