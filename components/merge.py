"""Draw a merge of nodes: before and after, side by side, with the differences marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from components.language import say, say_n
from components.look import escape, mark_differences, source_label
from components.passage import PassageRef
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.text.difference import Piece, difference
from memory_bank.text.sentences import sentences

Pieces = tuple[Piece, ...]


def draw_merge(parts: Sequence[Node], merged: Node, *, key: str) -> None:
    """Draw the nodes before the merge on the left, and the merged node on the right."""
    before, after = diff_merge([part.summary for part in parts], merged.summary)
    claims_before = {_passage(claim) for part in parts for claim in part.claims}
    claims_after = {_passage(claim) for claim in merged.claims}
    left_out, added = say("✕ left out"), say("＋ added")
    old = "".join(_node(part, text, claims_after, left_out) for part, text in zip(parts, before, strict=True))
    sides = ((say("Before"), old), (say("After"), _node(merged, after, claims_before, added)))
    with st.container(key=f"{key}-merge"):
        for column, (title, nodes) in zip(st.columns(2), sides, strict=True):
            column.html(f'<div class="mb-merge"><h4>{escape(title)}</h4>{nodes}</div>')


def diff_merge(parts: Sequence[str], merged: str) -> tuple[list[Pieces], Pieces]:
    """The parts and the merged text as pieces, marked as differing or not, sentence by sentence.

    A sentence that is on both sides does not differ, as a merge may change the order. The other sentences are compared
    word by word with the sentences that only the other side has.
    """
    before, after = [text for part in parts for text in _sentences(part)], _sentences(merged)
    only_before = " ".join(text for text in before if text not in after)
    only_after = " ".join(text for text in after if text not in before)
    return [_diff(_sentences(part), after, only_after) for part in parts], _diff(after, before, only_before)


def _diff(texts: Sequence[str], other_side: Collection[str], only_other_side: str) -> Pieces:
    pieces: list[Piece] = []
    for text in texts:
        if pieces:
            pieces.append((" ", False))
        pieces += [(text, False)] if text in other_side else difference(text, only_other_side)[0]
    return tuple(pieces)


def _sentences(text: str) -> list[str]:
    return [" ".join(span.of(text).split()) for span in sentences(text)]


def _passage(claim: Claim) -> PassageRef:
    return claim.entry_id, claim.start, claim.end


def _node(node: Node, summary: Pieces, other_side: Collection[PassageRef], label: str) -> str:
    """A node as markup. A claim that is not on the other side is marked and gets the label."""
    number = say_n("{n} claim", "{n} claims", len(node.claims))
    claims = ""
    for claim in node.claims:
        text = escape(" ".join(claim.text.split()))
        source = f'<span class="mb-quiet">{escape(source_label(claim.source, claim.page))}</span>'
        if _passage(claim) not in other_side:
            text = f"<b>{escape(label)}:</b> <mark>{text}</mark>"
        claims += f"<li>{text} {source}</li>"
    return (
        f'<div class="mb-side"><b>{escape(node.id)}</b> <span class="mb-quiet">{escape(node.context)}</span>'
        f'<p>{mark_differences(summary)}</p><div class="mb-where">{escape(number)}</div>'
        f"<ul>{claims}</ul></div>"
    )
