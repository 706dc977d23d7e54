"""Draw how the memory differs between two moments: nodes, relations and conflicts, and the tasks in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st

from components import linked_text
from components.language import listed, mark_for_translation, recorded, say, say_n
from components.linked_text import Block, Segment, conflict_link, item, node_link
from components.look import GREEN, GREY, NODE_STATES, ORANGE, VERMILION, StateStyle, escape, mark
from components.merge import diff_merge
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.query_graph import Node
from memory_bank.text.difference import Piece, difference

T = TypeVar("T")

_MAX_LISTED = 25
"""Most entries that a section lists; the others are counted."""
_ADDED = replace(NODE_STATES["added"], english=mark_for_translation("Added"))
_MERGED = replace(NODE_STATES["merged"], english=mark_for_translation("Merged"))
_CHANGED = replace(NODE_STATES["changed"], english=mark_for_translation("Changed"))
_SEPARATED = StateStyle(mark_for_translation("Separated again"), "◇", ORANGE)
_DISSOLVED = StateStyle(mark_for_translation("Removed: the merge was taken back"), "◌", GREY)
_OPENED = StateStyle(mark_for_translation("Conflicts opened"), "◆", VERMILION)
_SETTLED = StateStyle(mark_for_translation("Conflicts settled"), "✓", GREEN)
_DONE = StateStyle(mark_for_translation("Tasks done"), "✓", GREEN)
_FAILED = StateStyle(mark_for_translation("failed"), "✕", VERMILION)


@dataclass(frozen=True)
class ChangedNode:
    """A node at both moments, each with the number of its records."""

    before: Node
    after: Node
    records_before: int
    records_after: int


@dataclass(frozen=True)
class MemoryDiff:
    """The differences between two moments.

    `merged` holds tuples of the merged nodes and the node they became, `dissolved` nodes whose merge was taken back.
    `answer` says how the answer changed, "" if it did not.
    """

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
    diff: MemoryDiff, *, key: str, on_open_node: Callable[[str], None], on_open_conflict: Callable[[str], None]
) -> None:
    """Draw the differences. Pressing a node's or a conflict's id opens it."""

    def open_link(link: str) -> None:
        kind, _, pressed_id = link.partition(":")
        (on_open_node if kind == "node" else on_open_conflict)(pressed_id)

    with st.container(key=f"{key}-compared", gap="xsmall"):
        st.html(f'<div class="mb-compared" role="status">{escape(summary(diff))}</div>')
        for number, (style, blocks) in enumerate(_sections(diff)):
            st.html(f'<div class="mb-part">{mark(style)}{escape(style.word)}</div>')
            linked_text.draw(blocks, key=f"{key}-{number}", pressed=None, on_press=open_link)


def summary(diff: MemoryDiff) -> str:
    """The number of differences of each kind, in one line."""
    merged = sum(len(parts) for parts, _node in diff.merged)
    counts = [
        *_counted(len(diff.added), lambda n: say_n("{n} node added", "{n} nodes added", n)),
        *_counted(merged, lambda n: say_n("{n} node merged", "{n} nodes merged", n)),
        *_counted(len(diff.changed), lambda n: say_n("{n} node changed", "{n} nodes changed", n)),
        *_counted(len(diff.separated), lambda n: say_n("{n} node separated again", "{n} nodes separated again", n)),
        *_counted(diff.edges_added, lambda n: say_n("{n} relation added", "{n} relations added", n)),
        *_counted(diff.edges_removed, lambda n: say_n("{n} relation removed", "{n} relations removed", n)),
        *_counted(len(diff.opened), lambda n: say_n("{n} conflict opened", "{n} conflicts opened", n)),
        *_counted(len(diff.settled), lambda n: say_n("{n} conflict settled", "{n} conflicts settled", n)),
        *_counted(len(diff.tasks), lambda n: say_n("{n} task done", "{n} tasks done", n)),
        *([diff.answer] if diff.answer else []),
    ]
    return " · ".join(counts) or say("The memory did not change between these two moments.")


def _counted(number: int, words: Callable[[int], str]) -> Iterator[str]:
    if number:
        yield words(number)


def _sections(diff: MemoryDiff) -> Iterator[tuple[StateStyle, list[Block]]]:
    """The list of each kind of difference that there is, with the kind's style."""
    sections = (
        (_ADDED, _limited(diff.added, lambda node: [_node(node)])),
        (_MERGED, _limited(diff.merged, lambda merge: _merged(*merge))),
        (_CHANGED, _limited(diff.changed, _changed)),
        (_SEPARATED, _limited(diff.separated, lambda node: [_node(node)])),
        (_DISSOLVED, _limited(diff.dissolved, lambda node: [item(Segment(f"{node.id} {node.context}"))])),
        (_OPENED, _limited(diff.opened, lambda conflict: [_conflict(conflict)])),
        (_SETTLED, _limited(diff.settled, lambda conflict: [_conflict(conflict)])),
        (_DONE, _limited(diff.tasks, lambda task: [_task(task)])),
    )
    yield from ((style, blocks) for style, blocks in sections if blocks)


def _limited(entries: Sequence[T], draw_entry: Callable[[T], Iterable[Block]]) -> list[Block]:
    """The blocks of the first entries, and the number of the others."""
    blocks = [block for entry in entries[:_MAX_LISTED] for block in draw_entry(entry)]
    rest = len(entries) - _MAX_LISTED
    if rest > 0:
        blocks.append(item(Segment(say_n("and {n} more", "and {n} more", rest))))
    return blocks


def _node(node: Node) -> Block:
    return item(node_link(node.id, prefix="node:"), Segment(f" {node.context}"))


def _merged(parts: tuple[Node, ...], node: Node) -> Iterator[Block]:
    """The summaries of the merged nodes and of the node they became, with the differing words marked."""
    names = listed(part.id for part in parts)
    yield item(Segment(say("{nodes} became", nodes=names)), Segment(" "), node_link(node.id, prefix="node:"))
    before, after = diff_merge([part.summary for part in parts], node.summary)
    for part, pieces in zip(parts, before, strict=True):
        yield _passage(say("Before, {node}: ", node=part.id), pieces)
    yield _passage(say("After, {node}: ", node=node.id), after)


def _changed(change: ChangedNode) -> Iterator[Block]:
    """Only what changed about a node."""
    before, after = change.before, change.after
    facts = [
        *_status(before, after),
        *_count_change(len(before.claims), len(after.claims), lambda n: say_n("{n} claim", "{n} claims", n)),
        *_count_change(change.records_before, change.records_after, lambda n: say_n("{n} record", "{n} records", n)),
    ]
    text = " · ".join([after.context, *facts])
    yield item(node_link(after.id, prefix="node:"), Segment(f" {text}"))
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
        yield say("was {then}, now {now}", then=then, now=now)


def _count_change(before: int, after: int, words: Callable[[int], str]) -> Iterator[str]:
    if before != after:
        yield say("{then} before, {now} now", then=words(before), now=words(after))


def _passage(title: str, pieces: Iterable[Piece]) -> Block:
    marked = (Segment(text, marked=differs) for text, differs in pieces)
    return Block((Segment(title), *marked), kind="passage")


def _conflict(conflict: Conflict) -> Block:
    return item(conflict_link(conflict.id), Segment(f" {recorded(conflict.description)}"))


def _task(task: CompletedTask) -> Block:
    failed = f"{_FAILED.glyph} {_FAILED.word} · " if task.status == "failed" else ""
    return item(Segment(f"{failed}{recorded(task.description)}"))
