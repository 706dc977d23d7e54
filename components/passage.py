"""A passage in its place: the text around it, with the passage marked."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components import pager
from components.language import say
from components.look import escape, place

Span = tuple[int, int]

_AROUND, _NEAR = 700, 200
"""Characters of text shown before and after a passage: where there is room, and where there is little."""
_PART = 4000
"""Characters of a long text shown at a time."""


def draw(text: str, spans: Iterable[Span], source: str, page: int | None, *, note: str = "") -> None:
    """Draw the text around the spans with each of them marked, and above it where it stands."""
    where = escape(place(source, page)) + (f" · {escape(note)}" if note else "")
    st.html(f'<div class="mb-where">{where}</div><div class="mb-passage" tabindex="0">{marked(text, spans)}</div>')


def draw_whole(text: str, spans: Iterable[Span], *, key: str) -> None:
    """Draw all of a text with the spans marked: a long one part by part."""
    cut = parts(text)
    number = pager.draw(len(cut), lambda part: say("Part {n} of {last}", n=part, last=len(cut)), key=key)
    start, end = cut[number - 1]
    inside = [(max(first, start) - start, min(last, end) - start) for first, last in _merged(spans)]
    shown = _mark(text[start:end], _merged(inside))
    st.html(f'<div class="mb-passage" tabindex="0">{shown}</div>')


def parts(text: str) -> list[Span]:
    """Where the parts of a long text begin and end: at white space, unless there is none for long."""
    found, start = [], 0
    while len(text) - start > _PART:
        cut = max(text.rfind(space, start + _PART // 2, start + _PART) for space in " \n")
        end = cut + 1 if cut >= 0 else start + _PART
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]


def around(text: str, span: Span) -> tuple[str, str, str]:
    """A passage with some of the text before and after it."""
    start, end = span
    before = ("…" if start > _NEAR else "") + text[max(0, start - _NEAR) : start]
    after = text[end : end + _NEAR] + ("…" if end + _NEAR < len(text) else "")
    return before, text[start:end], after


def marked(text: str, spans: Iterable[Span]) -> str:
    """The text around the spans as markup, escaped, cut to what is near them."""
    merged = _merged(spans)
    if not merged:
        return escape(text[: 2 * _AROUND]) + ("…" if len(text) > 2 * _AROUND else "")
    first, last = max(0, merged[0][0] - _AROUND), min(len(text), merged[-1][1] + _AROUND)
    shifted = [(start - first, end - first) for start, end in merged]
    return ("…" if first else "") + _mark(text[first:last], shifted) + ("…" if last < len(text) else "")


def _mark(text: str, spans: Iterable[Span]) -> str:
    shown, end = [], 0
    for start, stop in spans:
        shown.append(f"{escape(text[end:start])}<mark>{escape(text[start:stop])}</mark>")
        end = stop
    return "".join(shown) + escape(text[end:])


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping ones as one."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
