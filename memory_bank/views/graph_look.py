"""How the Query Graph looks, on the page and in exports: the states of its nodes, its lines, its labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from unicodedata import east_asian_width

from memory_bank.bank.bank import Bank
from memory_bank.bank.query_graph import Node
from memory_bank.text.wording import mark_for_translation

State = Literal["active", "conflicting", "disputed", "settled"]
Kind = Literal["related", "conflict", "dispute"]

BLUE, SKY, VERMILION, ORANGE, GREY, GREEN = "#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#999999", "#009E73"
"""From the Okabe–Ito palette. Every state has a shape and a word of its own as well."""
COLOURS: dict[State, str] = {"active": BLUE, "conflicting": VERMILION, "disputed": ORANGE, "settled": GREEN}
WORDS: dict[State, str] = {
    "active": mark_for_translation("active"),
    "conflicting": mark_for_translation("in conflict"),
    "disputed": mark_for_translation("disputed"),
    "settled": mark_for_translation("merged by a verdict"),
}
ROW_LENGTH, _MAX_ROWS = 18, 2
"""Most letters of a row of a label, and most rows."""
_WORD = re.compile(r"\s*(?:[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+)")
"""A unit that a row may be broken after: a word, or any Chinese character."""


@dataclass(frozen=True)
class DrawnLine:
    """A line between two nodes. The line for a contradiction names its conflict."""

    ends: tuple[str, str]
    kind: Kind = "related"
    conflict: str | None = None


def state_of(bank: Bank, node: Node) -> State:
    """The state in which a node is shown. A contradiction goes before being the result of a verdict."""
    if node.status != "active":
        return node.status
    return "settled" if any(merge.verdict is not None for merge in bank.trees.merges(node.id)) else "active"


def lines(bank: Bank) -> Iterator[DrawnLine]:
    """A line for every relation, and for each unresolved contradiction between two nodes."""
    for ends in bank.query_graph.edges():
        yield DrawnLine(ends)
    for conflict in bank.conflicts.values():
        if conflict.status != "resolved":
            kind: Kind = "conflict" if conflict.status == "open" else "dispute"
            yield from (DrawnLine(ends, kind, conflict.id) for ends in bank.opposed(conflict))


def label(node_id: str, topic: str) -> list[str]:
    """The label of a node: its id and the last part of its topic, on at most two short rows."""
    # A topic is named by its document and its headings; the last of them tells nodes apart.
    rows = [""]
    for word in _WORD.findall(f"{node_id} {topic.rpartition(': ')[2] or topic}"):
        if width(rows[-1] + word) > ROW_LENGTH and rows[-1]:
            rows.append("")
        rows[-1] += word if rows[-1] else word.lstrip()
    if len(rows) > _MAX_ROWS:
        rows = [*rows[: _MAX_ROWS - 1], rows[_MAX_ROWS - 1] + "…"]
    rows = [row.rstrip() for row in rows]
    for number in range(len(rows)):
        while width(rows[number]) > ROW_LENGTH + 1:
            rows[number] = rows[number][:-2] + "…"
    return rows


def width(text: str) -> int:
    """The width of a text in letters; a Chinese character counts as two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
