"""Draw how the memory differs between two moments: nodes, relations and conflicts, and the tasks in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from components import linked_text
from components.language import listed, mark_for_translation, recorded, say, say_n, visitor_words
from components.linked_text import Block, Segment, conflict_link, item, node_link
from components.look import GREEN, GREY, NODE_STATES, ORANGE, VERMILION, StateStyle, escape, mark
from components.merge import diff_merge
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.query_graph import Node
from memory_bank.text.difference import Piece, difference
from memory_bank.views.changes import Changes, compare_moments
from memory_bank.views.conflict_text import heading
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


def draw(earlier: Moment, later: Moment, *, key: str, on_open: Callable[[str], None]) -> None:
    """Draw the differences between two moments of a session. Pressing an id sends `node:n4` or `conflict:x1`."""
    changes = compare_moments(earlier, later)
    with st.container(key=f"{key}-compared", gap="xsmall"):
        summed_up = summary(changes, earlier.bank, later.bank)
        st.html(f'<div class="mb-compared" role="status">{escape(summed_up)}</div>')
        for number, (style, blocks) in enumerate(_sections(changes, earlier.bank, later.bank)):
            st.html(f'<div class="mb-part">{mark(style)}{escape(style.word)}</div>')
            linked_text.draw(blocks, key=f"{key}-{number}", pressed=None, on_press=on_open)


def summary(changes: Changes, before: Bank, after: Bank) -> str:
    """The number of differences of each kind, in one line."""
    opened, settled = len(changes.conflicts_opened), len(changes.conflicts_settled)
    separated = len(changes.separated)
    counts = [
        *_counted(len(changes.added), lambda n: say_n("{n} node added", "{n} nodes added", n)),
        *_counted(len(changes.merged), lambda n: say_n("{n} node merged", "{n} nodes merged", n)),
        *_counted(len(changes.changed), lambda n: say_n("{n} node changed", "{n} nodes changed", n)),
        *_counted(separated, lambda n: say_n("{n} node separated again", "{n} nodes separated again", n)),
        *_counted(changes.edges_added, lambda n: say_n("{n} relation added", "{n} relations added", n)),
        *_counted(changes.edges_removed, lambda n: say_n("{n} relation removed", "{n} relations removed", n)),
        *_counted(opened, lambda n: say_n("{n} conflict opened", "{n} conflicts opened", n)),
        *_counted(settled, lambda n: say_n("{n} conflict settled", "{n} conflicts settled", n)),
        *_counted(len(changes.tasks), lambda n: say_n("{n} task done", "{n} tasks done", n)),
    ]
    if changes.answer_changed and before.answer is None:
        counts.append(say("the answer was given"))
    elif changes.answer_changed:
        counts.append(say("the answer was removed") if after.answer is None else say("the answer changed"))
    return " · ".join(counts) or say("The memory did not change between these two moments.")


def _counted(number: int, words: Callable[[int], str]) -> Iterator[str]:
    if number:
        yield words(number)


def _sections(changes: Changes, before: Bank, after: Bank) -> Iterator[tuple[StateStyle, list[Block]]]:
    """The list of each kind of difference that there is, with the kind's style."""
    nodes, conflicts, gone = after.query_graph, after.conflicts, before.query_graph
    merged: dict[str, list[str]] = {}  # by merged node: the nodes it was made of
    for node_id, became in changes.merged.items():
        merged.setdefault(became, []).append(node_id)
    sections = (
        (_ADDED, _limited(changes.added, lambda id_: [_node(nodes[id_])])),
        (_MERGED, _limited([*merged], lambda id_: _merged([gone[part] for part in merged[id_]], nodes[id_]))),
        (_CHANGED, _limited(changes.changed, lambda id_: _changed(id_, before, after))),
        (_SEPARATED, _limited(changes.separated, lambda id_: [_node(nodes[id_])])),
        (_DISSOLVED, _limited(changes.dissolved, lambda id_: [item(Segment(f"{id_} {gone[id_].context}"))])),
        (_OPENED, _limited(changes.conflicts_opened, lambda id_: [_conflict(conflicts[id_])])),
        (_SETTLED, _limited(changes.conflicts_settled, lambda id_: [_conflict(conflicts[id_])])),
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
    return item(node_link(node.id, prefix="node:"), Segment(f" {node.context}"))


def _merged(parts: Sequence[Node], node: Node) -> Iterator[Block]:
    """The summaries of the merged nodes and of the node they became, with the differing words marked."""
    names = listed(part.id for part in parts)
    yield item(Segment(say("{nodes} became", nodes=names)), Segment(" "), node_link(node.id, prefix="node:"))
    before, after = diff_merge([part.summary for part in parts], node.summary)
    for part, pieces in zip(parts, before, strict=True):
        yield _passage(say("Before, {node}: ", node=part.id), pieces)
    yield _passage(say("After, {node}: ", node=node.id), after)


def _changed(node_id: str, then_bank: Bank, now_bank: Bank) -> Iterator[Block]:
    """Only what changed about a node."""
    before, after = then_bank.query_graph[node_id], now_bank.query_graph[node_id]
    records_before, records = (len(bank.trees.entries(node_id)) for bank in (then_bank, now_bank))
    facts = [
        *_status(before, after),
        *_count_change(len(before.claims), len(after.claims), lambda n: say_n("{n} claim", "{n} claims", n)),
        *_count_change(records_before, records, lambda n: say_n("{n} record", "{n} records", n)),
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
    return item(conflict_link(conflict.id), Segment(f" {heading(conflict, visitor_words())}"))


def _task(task: CompletedTask) -> Block:
    failed = f"{_FAILED.glyph} {_FAILED.word} · " if task.status == "failed" else ""
    return item(Segment(f"{failed}{recorded(task.description)}"))
