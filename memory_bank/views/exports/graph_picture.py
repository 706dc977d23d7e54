"""Draw the Query Graph as a self-contained SVG, readable for screen readers too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Literal
from unicodedata import east_asian_width

from memory_bank.bank.bank import Bank
from memory_bank.bank.query_graph import Node
from memory_bank.views.exports.xml_text import xml_text
from memory_bank.views.graph_layout import Point
from memory_bank.views.i18n import ENGLISH

Say = Callable[..., str]
State = Literal["active", "conflicting", "disputed", "settled"]
Kind = Literal["related", "conflict", "dispute"]

COLOURS: dict[State, str] = {
    "active": "#0072B2",
    "conflicting": "#D55E00",
    "disputed": "#E69F00",
    "settled": "#009E73",
}
"""From the Okabe–Ito palette. Every state has a shape of its own as well."""

_SHAPES: dict[State, str] = {
    "active": '<circle r="{r}"/>',
    "conflicting": '<path d="M0-{r}L{r} 0 0 {r}-{r} 0Z"/>',
    "disputed": '<path d="M0-{r}L{r} {h}H-{r}Z"/>',
    "settled": '<path d="M-{h}-{h}H{h}V{h}H-{h}Z"/>',
}
_STROKES: dict[Kind, str] = {
    "related": 'stroke="#8a8a8a" stroke-width="1"',
    "conflict": f'stroke="{COLOURS["conflicting"]}" stroke-width="4" stroke-dasharray="10 7"',
    "dispute": f'stroke="{COLOURS["disputed"]}" stroke-width="3" stroke-dasharray="2 6" stroke-linecap="round"',
}
_MARGIN, _FONT_SIZE = 80, 13
_MAX_ROW_LENGTH, _MAX_ROWS = 18, 2
_WORD = re.compile(r"\s*(?:[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+)")
"""A unit that a row may be broken after: a word, or any Chinese character."""


@dataclass(frozen=True)
class Line:
    """A line between two nodes. The line for a contradiction names its conflict."""

    ends: tuple[str, str]
    kind: Kind = "related"
    conflict: str | None = None


@dataclass(frozen=True)
class _Frame:
    """The part of the plane that is shown, in pixels."""

    left: float
    top: float
    width: float
    height: float


def state_of(bank: Bank, node: Node) -> State:
    """The state in which a node is shown. A contradiction goes before being the result of a verdict."""
    if node.status != "active":
        return node.status
    return "settled" if any(merge.verdict is not None for merge in bank.trees.merges(node.id)) else "active"


def lines(bank: Bank) -> Iterator[Line]:
    """A line for every relation, and for each unresolved contradiction between two nodes."""
    for ends in bank.query_graph.edges():
        yield Line(ends)
    for conflict in bank.conflicts.values():
        if conflict.status != "resolved":
            kind: Kind = "conflict" if conflict.status == "open" else "dispute"
            yield from (Line(ends, kind, conflict.id) for ends in bank.opposed(conflict))


def svg(bank: Bank, positions: Mapping[str, Point], say: Say = ENGLISH.say) -> str:
    """Draw the graph as SVG. Nodes without a position (in pixels), and lines to them, are left out.

    Text and thin lines take the colour of the page around the picture, or of the reader's theme if it stands alone.
    """
    nodes = [node for node in bank.query_graph if node.id in positions]
    shown = [line for line in lines(bank) if all(end in positions for end in line.ends)]
    frame = _frame([positions[node.id] for node in nodes])
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="graph-title graph-said"'
        f' width="{frame.width:.0f}" height="{frame.height:.0f}"'
        f' viewBox="{frame.left:.0f} {frame.top:.0f} {frame.width:.0f} {frame.height:.0f}"'
        f' font-family="system-ui, sans-serif" font-size="{_FONT_SIZE}" text-anchor="middle"'
        f' style="color-scheme: light dark; --width: {frame.width:.0f}px">',
        f'<title id="graph-title">{_text(say("Query Graph"))}</title>',
        f'<desc id="graph-said">{_text(_summary(len(nodes), shown, say))}</desc>',
        *(_line(line, positions, say) for line in shown),
        *(_node(bank, node, positions[node.id], say) for node in nodes),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def state_word(state: State, say: Say) -> str:
    """The name of a state, in the interface language."""
    names = {
        "active": say("active"),
        "conflicting": say("in conflict"),
        "disputed": say("disputed"),
        "settled": say("merged by a verdict"),
    }
    return names[state]


def shape(state: State, size: float = 6) -> str:
    """The SVG of a state's shape, in its colour, around the origin."""
    svg_shape = _SHAPES[state].format(r=f"{size:.1f}", h=f"{size * 0.8:.1f}")
    return f'<g fill="{COLOURS[state]}">{svg_shape}</g>'


def _text(text: str) -> str:
    return escape(xml_text(text))


def _frame(positions: Iterable[Point]) -> _Frame:
    xs, ys = zip(*(positions or [(0.0, 0.0)]), strict=True)
    left, top = min(xs) - _MARGIN, min(ys) - _MARGIN / 2
    return _Frame(left, top, max(xs) + _MARGIN - left, max(ys) + 0.9 * _MARGIN - top)


def _summary(nodes: int, shown: list[Line], say: Say) -> str:
    kinds = [line.kind for line in shown]
    return say(
        "Nodes: {nodes}. Relations: {relations}. Open conflicts: {conflicts}. Disputes: {disputes}.",
        nodes=nodes,
        relations=kinds.count("related"),
        conflicts=kinds.count("conflict"),
        disputes=kinds.count("dispute"),
    )


def _line(line: Line, positions: Mapping[str, Point], say: Say) -> str:
    (x1, y1), (x2, y2) = (positions[end] for end in line.ends)
    element = f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {_STROKES[line.kind]}/>'
    if line.kind == "related":
        return element
    word = say("conflict") if line.kind == "conflict" else say("disputed")
    return element + _text_rows([word], (x1 + x2) / 2, (y1 + y2) / 2 + _FONT_SIZE / 3)


def _node(bank: Bank, node: Node, position: Point, say: Say) -> str:
    state = state_of(bank, node)
    size = min(11 + 3 * len(bank.trees.entries(node.id)), 34)
    x, y = position
    return (
        f"<g><title>{_text(f'{node.id} · {state_word(state, say)}: {node.context}')}</title>"
        f'<g transform="translate({x:.1f} {y:.1f})">{shape(state, size)}</g>'
        f"{_text_rows(label(node), x, y + size + 1.1 * _FONT_SIZE)}</g>"
    )


def _text_rows(rows: Iterable[str], x: float, y: float) -> str:
    """Rows of text, outlined in the colour of the page so that lines behind them do not cross the letters."""
    spans = "".join(
        f'<tspan x="{x:.1f}" y="{y + number * 1.2 * _FONT_SIZE:.1f}">{_text(row)}</tspan>'
        for number, row in enumerate(rows)
    )
    outline = 'stroke-width="3" stroke-linejoin="round" paint-order="stroke" style="stroke: var(--page, Canvas)"'
    return f'<text fill="currentColor" {outline}>{spans}</text>'


def label(node: Node) -> list[str]:
    """The label below a node: its id and the last part of its topic, on at most two short rows."""
    # A topic is named by its document and its headings; the last of them tells nodes apart.
    name = node.context.rpartition(": ")[2] or node.context
    rows = [""]
    for word in _WORD.findall(f"{node.id} {name}"):
        if _width(rows[-1] + word) > _MAX_ROW_LENGTH and rows[-1]:
            rows.append("")
        rows[-1] += word if rows[-1] else word.lstrip()
    if len(rows) > _MAX_ROWS:
        rows = [*rows[: _MAX_ROWS - 1], rows[_MAX_ROWS - 1] + "…"]
    return [_truncated(row.rstrip()) for row in rows]


def _truncated(row: str) -> str:
    while _width(row) > _MAX_ROW_LENGTH + 1:
        row = row[:-2] + "…"
    return row


def _width(text: str) -> int:
    """The width of a text in letters; a Chinese character counts as two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
