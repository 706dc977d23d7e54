"""Draw the Query Graph as a self-contained SVG, readable for screen readers too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape

from memory_bank.bank.bank import Bank
from memory_bank.bank.query_graph import Node
from memory_bank.views.graph_layout import Point
from memory_bank.views.graph_look import COLOURS, WORDS, DrawnLine, Kind, State, label, lines, state_of
from memory_bank.views.i18n import ENGLISH
from memory_bank.views.readable import read_node

Say = Callable[..., str]
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
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without characters that XML forbids even when escaped. The caller still has to escape the text."""
    return _FORBIDDEN.sub("", text)


def svg(bank: Bank, positions: Mapping[str, Point], say: Say = ENGLISH.say) -> str:
    """Draw the graph as SVG. Nodes without a position (in pixels), and lines to them, are left out.

    Text and thin lines take the colour of the page around the picture, or of the reader's theme if it stands alone.
    """
    nodes = [read_node(bank, node) for node in bank.query_graph if node.id in positions]
    shown = [line for line in lines(bank) if all(end in positions for end in line.ends)]
    xs, ys = zip(*([positions[node.id] for node in nodes] or [(0.0, 0.0)]), strict=True)
    left, top = min(xs) - _MARGIN, min(ys) - _MARGIN / 2
    width, height = max(xs) + _MARGIN - left, max(ys) + 0.9 * _MARGIN - top
    kinds = [line.kind for line in shown]
    summary = say(
        "Nodes: {nodes}. Relations: {relations}. Open conflicts: {conflicts}. Disputes: {disputes}.",
        nodes=len(nodes),
        relations=kinds.count("related"),
        conflicts=kinds.count("conflict"),
        disputes=kinds.count("dispute"),
    )
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="graph-title graph-said"'
        f' width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}"'
        f' font-family="system-ui, sans-serif" font-size="{_FONT_SIZE}" text-anchor="middle"'
        f' style="color-scheme: light dark; --width: {width:.0f}px">',
        f'<title id="graph-title">{_text(say("Query Graph"))}</title>',
        f'<desc id="graph-said">{_text(summary)}</desc>',
        *(_line(line, positions, say) for line in shown),
        *(_node(bank, node, positions[node.id], say) for node in nodes),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def shape(state: State, size: float = 6) -> str:
    """The SVG of a state's shape, in its colour, around the origin."""
    svg_shape = _SHAPES[state].format(r=f"{size:.1f}", h=f"{size * 0.8:.1f}")
    return f'<g fill="{COLOURS[state]}">{svg_shape}</g>'


def _text(text: str) -> str:
    return escape(xml_text(text))


def _line(line: DrawnLine, positions: Mapping[str, Point], say: Say) -> str:
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
        f"<g><title>{_text(f'{node.id} · {say(WORDS[state])}: {node.context}')}</title>"
        f'<g transform="translate({x:.1f} {y:.1f})">{shape(state, size)}</g>'
        f"{_text_rows(label(node.id, node.context), x, y + size + 1.1 * _FONT_SIZE)}</g>"
    )


def _text_rows(rows: Iterable[str], x: float, y: float) -> str:
    """Rows of text, outlined in the colour of the page so that lines behind them do not cross the letters."""
    spans = "".join(
        f'<tspan x="{x:.1f}" y="{y + number * 1.2 * _FONT_SIZE:.1f}">{_text(row)}</tspan>'
        for number, row in enumerate(rows)
    )
    outline = 'stroke-width="3" stroke-linejoin="round" paint-order="stroke" style="stroke: var(--page, Canvas)"'
    return f'<text fill="currentColor" {outline}>{spans}</text>'
