"""Draw how the memory differs between two moments: nodes, relations and conflicts, and the tasks in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from components.language import listed, mark_for_translation, recorded, say, say_n, visitor_words
from components.linked_text import Block, Segment, conflict_link, draw_linked_text, item, node_link
from components.look import GREEN, GREY, NODE_STATES, ORANGE, VERMILION, StateStyle, escape, mark
from components.merge import diff_merge
from memory_bank.bank.bank import Bank
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.query_graph import Node
from memory_bank.text.difference import Piece, difference
from memory_bank.views.changes import Changes, compare_moments
from memory_bank.views.conflict_text import conflict_heading
from memory_bank.views.readable import read_conflict, read_node
from memory_bank.views.snapshot import Moment

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


def draw_changes(earlier: Moment, later: Moment, *, key: str, on_open: Callable[[str], None]) -> None:
    """Draw the differences between two moments of a session. Pressing an id sends `node:n4` or `conflict:x1`."""
    changes = compare_moments(earlier, later)
    with st.container(key=f"{key}-compared", gap="xsmall"):
        summed_up = summarise_changes(changes, earlier.bank, later.bank)
        st.html(f'<div class="mb-compared" role="status">{escape(summed_up)}</div>')
        for number, (style, blocks) in enumerate(_sections(changes, earlier.bank, later.bank)):
            st.html(f'<div class="mb-part">{mark(style)}{escape(style.word)}</div>')
            draw_linked_text(blocks, key=f"{key}-{number}", pressed=None, on_press=on_open)


def summarise_changes(changes: Changes, before: Bank, after: Bank) -> str:
    """The number of differences of each kind, in one line."""
    numbers = (
        (n := len(changes.added), say_n("{n} node added", "{n} nodes added", n)),
        (n := len(changes.merged), say_n("{n} node merged", "{n} nodes merged", n)),
        (n := len(changes.changed), say_n("{n} node changed", "{n} nodes changed", n)),
        (n := len(changes.separated), say_n("{n} node separated again", "{n} nodes separated again", n)),
        (n := changes.edges_added, say_n("{n} relation added", "{n} relations added", n)),
        (n := changes.edges_removed, say_n("{n} relation removed", "{n} relations removed", n)),
        (n := len(changes.conflicts_opened), say_n("{n} conflict opened", "{n} conflicts opened", n)),
        (n := len(changes.conflicts_settled), say_n("{n} conflict settled", "{n} conflicts settled", n)),
        (n := len(changes.tasks), say_n("{n} task done", "{n} tasks done", n)),
    )
    counts = [words for number, words in numbers if number]
    if changes.answer_changed and before.answer is None:
        counts.append(say("the answer was given"))
    elif changes.answer_changed:
        counts.append(say("the answer was removed") if after.answer is None else say("the answer changed"))
    return " · ".join(counts) or say("The memory did not change between these two moments.")


def _sections(changes: Changes, before: Bank, after: Bank) -> Iterator[tuple[StateStyle, list[Block]]]:
    """The list of each kind of difference that there is, with the kind's style."""
    gone = before.query_graph
    merged: dict[str, list[str]] = {}  # by merged node: the nodes it was made of
    for node_id, became in changes.merged.items():
        merged.setdefault(became, []).append(node_id)

    def then(node_id: str) -> Node:
        return read_node(before, gone[node_id])

    def records(node_id: str) -> tuple[int, int]:
        return len(before.trees.entries(node_id)), len(after.trees.entries(node_id))

    def now(node_id: str) -> Node:
        return read_node(after, after.query_graph[node_id])

    sections = (
        (_ADDED, _limited(changes.added, lambda id_: [_node(now(id_))])),
        (_MERGED, _limited([*merged], lambda id_: _merged([then(part) for part in merged[id_]], now(id_)))),
        (_CHANGED, _limited(changes.changed, lambda id_: _changed(then(id_), now(id_), records(id_)))),
        (_SEPARATED, _limited(changes.separated, lambda id_: [_node(now(id_))])),
        (_DISSOLVED, _limited(changes.dissolved, lambda id_: [item(Segment(f"{id_} {then(id_).context}"))])),
        (_OPENED, _limited(changes.conflicts_opened, lambda id_: [_conflict(after, id_)])),
        (_SETTLED, _limited(changes.conflicts_settled, lambda id_: [_conflict(after, id_)])),
        (_DONE, _limited(changes.tasks, lambda task: [_task(task)])),
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
    return item(node_link(node.id), Segment(f" {node.context}"))


def _merged(parts: Sequence[Node], node: Node) -> Iterator[Block]:
    """The summaries of the merged nodes and of the node they became, with the differing words marked."""
    names = listed(part.id for part in parts)
    yield item(Segment(say("{nodes} became", nodes=names)), Segment(" "), node_link(node.id))
    before, after = diff_merge([part.summary for part in parts], node.summary)
    for part, pieces in zip(parts, before, strict=True):
        yield _passage(say("Before, {node}: ", node=part.id), pieces)
    yield _passage(say("After, {node}: ", node=node.id), after)


def _changed(before: Node, after: Node, records: tuple[int, int]) -> Iterator[Block]:
    """Only what changed about a node."""
    then_state, now_state = NODE_STATES[before.status].word, NODE_STATES[after.status].word
    facts = [
        *([say("was {then}, now {now}", then=then_state, now=now_state)] if before.status != after.status else []),
        *_count_change(len(before.claims), len(after.claims), lambda n: say_n("{n} claim", "{n} claims", n)),
        *_count_change(*records, lambda n: say_n("{n} record", "{n} records", n)),
    ]
    text = " · ".join([after.context, *facts])
    yield item(node_link(after.id), Segment(f" {text}"))
    for then, now in (
        (before.context, after.context),
        (", ".join(before.keywords), ", ".join(after.keywords)),
        (before.summary, after.summary),
    ):
        if then != now:
            left, right = difference(then, now)
            yield _passage(say("Before: "), left)
            yield _passage(say("After: "), right)


def _count_change(before: int, after: int, words: Callable[[int], str]) -> Iterator[str]:
    if before != after:
        yield say("{then} before, {now} now", then=words(before), now=words(after))


def _passage(title: str, pieces: Iterable[Piece]) -> Block:
    marked = (Segment(text, marked=differs) for text, differs in pieces)
    return Block((Segment(title), *marked), kind="passage")


def _conflict(bank: Bank, conflict_id: str) -> Block:
    conflict = read_conflict(bank, bank.conflicts[conflict_id])
    return item(conflict_link(conflict.id), Segment(f" {conflict_heading(conflict, visitor_words())}"))


def _task(task: CompletedTask) -> Block:
    failed = f"{_FAILED.glyph} {_FAILED.word} · " if task.status == "failed" else ""
    return item(Segment(f"{failed}{recorded(task.description)}"))
