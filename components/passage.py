"""Draw a passage within its text, with the passage marked."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components.language import say
from components.look import escape, source_label
from components.pager import draw_pager

Span = tuple[int, int]
PassageRef = tuple[str, int, int]
"""A passage: the id of its record, its start and its end."""

_WIDE_CONTEXT = 700
"""Characters shown after a passage that is drawn alone."""
_LEAD, _LEAD_LINES = 240, 5
"""Most characters and lines shown before a passage that is drawn alone: few, so that its box opens with it in view."""
_PART_LENGTH = 4000
"""Most characters of a long text shown at a time."""


def draw_passage(text: str, spans: Iterable[Span], source: str, page: int | None, *, note: str = "") -> None:
    """Draw the source and the note, and below them the text around the spans with each of them marked."""
    title = escape(source_label(source, page)) + (f" · {escape(note)}" if note else "")
    st.html(f'<div class="mb-where">{title}</div><div class="mb-passage" tabindex="0">{mark_spans(text, spans)}</div>')


def draw_whole(text: str, spans: Iterable[Span], *, key: str) -> None:
    """Draw a whole text with the spans marked; a long one in parts."""
    bounds = parts(text)
    number = draw_pager(len(bounds), lambda part: say("Part {n} of {last}", n=part, last=len(bounds)), key=key)
    start, end = bounds[number - 1]
    inside = [(max(first, start) - start, min(last, end) - start) for first, last in _merged(spans)]
    marked = _mark(text[start:end], _merged(inside))
    st.html(f'<div class="mb-passage" tabindex="0">{marked}</div>')


def parts(text: str) -> list[Span]:
    """Split a long text at white space if the second half of a part has any; the bounds of the parts."""
    bounds, start = [], 0
    while len(text) - start > _PART_LENGTH:
        space = max(text.rfind(char, start + _PART_LENGTH // 2, start + _PART_LENGTH) for char in " \n")
        end = space + 1 if space >= 0 else start + _PART_LENGTH
        bounds.append((start, end))
        start = end
    return [*bounds, (start, len(text))]


def mark_spans(text: str, spans: Iterable[Span]) -> str:
    """The text around the spans as escaped markup, with the spans marked; without spans the beginning of the text."""
    merged = _merged(spans)
    if not merged:
        return escape(text[: 2 * _WIDE_CONTEXT]) + ("…" if len(text) > 2 * _WIDE_CONTEXT else "")
    before = text[: merged[0][0]]
    first, last = len(before) - len(_lead(before)), min(len(text), merged[-1][1] + _WIDE_CONTEXT)
    shifted = [(start - first, end - first) for start, end in merged]
    return ("…" if first else "") + _mark(text[first:last], shifted) + ("…" if last < len(text) else "")


def _lead(before: str) -> str:
    """The end of the text before a passage, from the beginning of a line or a word."""
    lead = "\n".join(before[-_LEAD:].split("\n")[-_LEAD_LINES:])
    if before.removesuffix(lead)[-1:].isspace() or len(lead) == len(before):
        return lead
    return lead[lead.find(" ") + 1 :]


def _mark(text: str, spans: Iterable[Span]) -> str:
    pieces, end = [], 0
    for start, stop in spans:
        pieces.append(f"{escape(text[end:start])}<mark>{escape(text[start:stop])}</mark>")
        end = stop
    return "".join(pieces) + escape(text[end:])


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, with overlapping ones joined and empty ones dropped."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
