"""Several nodes that became one: before and after, side by side, with the differences marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import streamlit as st

from components.difference import marked
from components.language import say, say_n
from components.look import escape, place
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.modules.difference import Piece, difference
from memory_bank.modules.sentences import sentences

Pieces = tuple[Piece, ...]
Place = tuple[str, int, int]


def draw(parts: Sequence[Node], merged: Node, *, key: str) -> None:
    """Draw the nodes as they were on the left, and on the right the one that they became."""
    said, became = differing([part.summary for part in parts], merged.summary)
    kept = {_place(claim) for claim in merged.claims}
    known = {_place(claim) for part in parts for claim in part.claims}
    before = [_node(part, pieces, kept, say("✕ left out")) for part, pieces in zip(parts, said, strict=True)]
    with st.container(key=f"{key}-merge"):
        for column, title, nodes in zip(
            st.columns(2),
            (say("Before"), say("After")),
            (before, [_node(merged, became, known, say("＋ added"))]),
            strict=True,
        ):
            column.html(f'<div class="mb-merge"><h4>{escape(title)}</h4>{"".join(nodes)}</div>')


def differing(parts: Sequence[str], merged: str) -> tuple[list[Pieces], Pieces]:
    """Each part and the merged text in pieces, a sentence after the other.

    A sentence that stands on both sides is not different: a merge may change their order. The others are compared
    word by word with what is left of the other side.
    """
    ours, theirs = [text for part in parts for text in _sentences(part)], _sentences(merged)
    gone = " ".join(text for text in ours if text not in theirs)
    come = " ".join(text for text in theirs if text not in ours)
    return [_compared(_sentences(part), theirs, come) for part in parts], _compared(theirs, ours, gone)


def _compared(texts: Sequence[str], there: Collection[str], rest: str) -> Pieces:
    pieces: list[Piece] = []
    for text in texts:
        if pieces:
            pieces.append((" ", False))
        pieces += [(text, False)] if text in there else difference(text, rest)[0]
    return tuple(pieces)


def _sentences(text: str) -> list[str]:
    return [" ".join(span.of(text).split()) for span in sentences(text)]


def _place(claim: Claim) -> Place:
    return claim.entry_id, claim.start, claim.end


def _node(node: Node, summary: Pieces, there: Collection[Place], word: str) -> str:
    """A node as markup. A claim that is not `there`, on the other side, stands out, with a word for it."""
    number = say_n("{n} claim", "{n} claims", len(node.claims))
    return (
        f'<div class="mb-side"><b>{escape(node.id)}</b> <span class="mb-quiet">{escape(node.context)}</span>'
        f'<p>{marked(summary)}</p><div class="mb-where">{escape(number)}</div>'
        f"<ul>{''.join(_claims(node.claims, there, word))}</ul></div>"
    )


def _claims(claims: Sequence[Claim], there: Collection[Place], word: str) -> Iterator[str]:
    for claim in claims:
        text = escape(" ".join(claim.text.split()))
        source = f'<span class="mb-quiet">{escape(place(claim.source, claim.page))}</span>'
        if _place(claim) in there:
            yield f"<li>{text} {source}</li>"
        else:
            yield f"<li><b>{escape(word)}:</b> <mark>{text}</mark> {source}</li>"
