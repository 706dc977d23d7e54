"""Conflicts: the two statements side by side, the evidence, the verdict, and the node they became."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Literal

import streamlit as st

from components.look import GREEN, NODE_STATES, Look, escape, mark, place
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict
from memory_bank.bank.query_graph import Claim

_STATES: dict[str, Look] = {
    "open": Look("open: not settled yet", NODE_STATES["conflicting"].glyph, NODE_STATES["conflicting"].colour),
    "disputed": Look("disputed: no evidence settles it", NODE_STATES["disputed"].glyph, NODE_STATES["disputed"].colour),
    "resolved": Look("resolved", "✓", GREEN),
}
_VERDICTS: dict[Verdict, str] = {
    "first": "the first statement holds",
    "second": "the second statement holds",
    "both": "both hold: they are compatible",
    "neither": "neither holds",
    "inconclusive": "not decided: the evidence is not enough",
}
_HOLDS: dict[Verdict, tuple[bool, bool]] = {
    "first": (True, False),
    "second": (False, True),
    "both": (True, True),
    "neither": (False, False),
}
_WORD = re.compile(r"\s+|\d+(?:[.,]\d+)*|\w+|[^\w\s]")


def draw(conflicts: Sequence[Conflict], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the conflicts, those still open first."""
    if not conflicts:
        st.html(
            '<div class="mb-empty">No conflict so far. When two sources contradict each other, both statements '
            "appear here side by side, with the evidence and the verdict.</div>"
        )
        return
    for conflict in sorted(conflicts, key=lambda one: one.status != "open"):
        with st.container(border=True):
            _draw_one(conflict, key=f"{key}-{conflict.id}", on_open_node=on_open_node)


def _draw_one(conflict: Conflict, *, key: str, on_open_node: Callable[[str], None]) -> None:
    look = _STATES[conflict.status]
    st.html(
        f'<div class="mb-verdict">{mark(look)}<b>{escape(conflict.id)}</b> · {look.word}'
        f'<div class="mb-quiet">{escape(conflict.description)}</div></div>'
    )
    sides = difference(*(claim.text for claim in conflict.claims))
    columns = st.columns(2)
    for number, (column, claim, said) in enumerate(zip(columns, conflict.claims, sides, strict=True)):
        with column:
            _draw_side(conflict, number, claim, said)
    if conflict.verdict is not None:
        _draw_verdict(conflict)
    if conflict.merged_into is not None:
        label = f"Open the merged node {conflict.merged_into}"
        st.button(label, key=f"{key}-open", on_click=on_open_node, args=(conflict.merged_into,))


def _draw_side(conflict: Conflict, number: int, claim: Claim, said: str) -> None:
    word, style = _standing(conflict, number)
    side: Side = "first" if number == 0 else "second"
    evidence = [_passage(found) for found in conflict.evidence if found.supports == side]
    found = "".join(evidence) or '<span class="mb-quiet">none</span>'
    st.html(
        f'<div class="mb-side {style}"><div class="mb-where">{escape(place(claim.source, claim.page))}{word}</div>'
        f"<p>“{said}”</p>"
        + (f'<div class="mb-where">Evidence for it: {found}</div>' if conflict.verdict else "")
        + "</div>"
    )


def _standing(conflict: Conflict, number: int) -> tuple[str, str]:
    """How a side stands after the verdict: a word for people, a class for the style."""
    if conflict.verdict is None or conflict.verdict == "inconclusive":
        return "", "mb-unsettled" if conflict.verdict else ""
    holds = _HOLDS[conflict.verdict][number]
    return (" · <b>holds</b>", "mb-holds") if holds else (" · <b>refuted</b>", "mb-refuted")


def _passage(found: Evidence) -> str:
    return f"<div>{escape(place(found.source, found.page))}: “{escape(found.passage)}”</div>"


def _draw_verdict(conflict: Conflict) -> None:
    if conflict.verdict is None:
        return
    parts = [f"<b>Verdict:</b> {_VERDICTS[conflict.verdict]}", f"by the {conflict.decided_by}"]
    if conflict.confidence is not None and conflict.decided_by == "agent":
        parts.append(f"confidence {conflict.confidence:.2f}")
    reason = f'<div class="mb-quiet">{escape(conflict.reason)}</div>' if conflict.reason else ""
    neither = [_passage(found) for found in conflict.evidence if found.supports == "neither"]
    weighed = f'<div class="mb-where">Evidence for neither: {"".join(neither)}</div>' if neither else ""
    st.html(f'<div class="mb-verdict">{" · ".join(parts)}{reason}{weighed}</div>')


def difference(first: str, second: str) -> tuple[str, str]:
    """Both texts as markup, escaped, with the words in which they differ marked."""
    a, b = _WORD.findall(first), _WORD.findall(second)
    marked: dict[Literal["a", "b"], list[str]] = {"a": [], "b": []}
    for kind, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for side, words in (("a", a[a0:a1]), ("b", b[b0:b1])):
            text = escape("".join(words))
            marked[side].append(f"<mark>{text}</mark>" if kind != "equal" and text.strip() else text)  # type: ignore[index]
    return "".join(marked["a"]), "".join(marked["b"])
