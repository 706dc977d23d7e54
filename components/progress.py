"""How far reading the documents has got, with counts; and each document by name, refused ones with the reason."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.language import later, recorded, say, say_n
from components.look import BLUE, GREEN, GREY, VERMILION, Look, duration, escape, mark, plain
from memory_bank.moment import SourceProgress, SourceState
from memory_bank.source_reader import PagesRead

_STATES: dict[SourceState, Look] = {
    "waiting": Look(later("waiting"), "○", GREY),
    "reading": Look(later("reading"), "●", BLUE),
    "in memory": Look(later("in memory"), "✓", GREEN),
    "kept to check against": Look(later("kept to check against"), "✓", GREEN),
    "refused": Look(later("refused"), "✕", VERMILION),
}


_TELLING, _SOONEST = 0.1, 3.0
"""The share that must be read, and the seconds that must have passed, before the time left can be told."""


def draw_bar(sources: Sequence[SourceProgress], seconds: float, reading: PagesRead | None = None) -> None:
    """Draw one bar over all documents, with counts and, from what the first `seconds` brought, the time left.

    `reading` is how far the file has got whose pages are being read.
    """
    done = sum(source.state not in ("waiting", "reading") for source in sources)
    now = next((source for source in sources if source.state == "reading"), None)
    share = _share(sources)
    words = [say_n("{done} of {n} document read", "{done} of {n} documents read", len(sources), done=done)]
    if reading is not None and reading.of > 1:
        name = next((source.name for source in sources if source.id == reading.source_id), "")
        words.append(say("{file}: page {page} of {last}", file=plain(name), page=reading.done, last=reading.of))
    if now is not None and now.known:
        words.append(
            say_n(
                "{done} of {n} topic of this one in memory",
                "{done} of {n} topics of this one in memory",
                now.known,
                done=now.done,
            )
        )
    if share > _TELLING and seconds > _SOONEST:
        words.append(say("about {time} left", time=duration(seconds * (1 - share) / share)))
    st.progress(share, text=" · ".join(words))


def _share(sources: Sequence[SourceProgress]) -> float:
    """How much of all documents is read, by their size; of the one being read, by its topics."""
    read = 0.0
    for source in sources:
        if source.state == "reading":
            read += source.bytes * min(source.done / source.known, 1.0) if source.known else 0.0
        elif source.state != "waiting":
            read += source.bytes
    return read / max(sum(source.bytes for source in sources), 1)


def draw_list(sources: Sequence[SourceProgress]) -> None:
    """Draw each document with its state."""
    if not sources:
        nothing = say("No documents were given. The task is worked on without any.")
        st.html(f'<div class="mb-empty">{nothing}</div>')
        return
    st.html(f'<ul class="mb-list">{"".join(map(_item, sources))}</ul>')


def _item(source: SourceProgress) -> str:
    look = _STATES[source.state]
    said = look.word
    if source.state == "refused":
        said = say("refused: {reason}", reason=recorded(source.reason))
    elif source.known:
        said = say_n(
            "{state}, {done} of {n} topic", "{state}, {done} of {n} topics", source.known, state=said, done=source.done
        )
    if source.language is not None:
        said = say("{state} · language: {code}", state=said, code=source.language)
    return f"<li>{mark(look)}{escape(source.name)}<small>{escape(said)}</small></li>"
