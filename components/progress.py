"""Draw how many documents are read, and the state of each; a refused one with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import streamlit as st

from components.language import mark_for_translation, recorded, say, say_n
from components.look import BLUE, GREEN, GREY, VERMILION, StateStyle, draw_note, escape, mark, plain
from memory_bank.documents.source_reader import ReadingProgress
from memory_bank.views.snapshot import SourceProgress, SourceState

_STATES: dict[SourceState, StateStyle] = {
    "waiting": StateStyle(mark_for_translation("waiting"), "○", GREY),
    "reading": StateStyle(mark_for_translation("reading"), "●", BLUE),
    "in memory": StateStyle(mark_for_translation("in memory"), "✓", GREEN),
    "kept to check against": StateStyle(mark_for_translation("kept to check against"), "✓", GREEN),
    "refused": StateStyle(mark_for_translation("refused"), "✕", VERMILION),
}
_MIN_SHARE, _MIN_SECONDS = 0.1, 3.0
"""The share that must be read, and the seconds that must have passed, before the time left can be estimated."""


def draw_bar(
    sources: Sequence[SourceProgress], seconds: float, waited: float = 0.0, reading: ReadingProgress | None = None
) -> None:
    """Draw one bar for all documents, with counts and the minutes left.

    What is in memory took `seconds`; nothing was added in the `waited` seconds since. `reading` is the progress of the
    file whose pages are being read.
    """
    done = sum(source.state not in ("waiting", "reading") for source in sources)
    current = next((source for source in sources if source.state == "reading"), None)
    # weighted by size; a refused one took no time and does not count
    accepted = [source for source in sources if source.state != "refused"]
    shares = {"waiting": 0.0, "in memory": 1.0, "kept to check against": 1.0}
    read = sum(source.bytes * shares.get(source.state, source.share) for source in accepted)
    share = read / max(sum(source.bytes for source in accepted), 1)
    texts = [say_n("{done} of {n} document read", "{done} of {n} documents read", len(sources), done=done)]
    if reading is not None and reading.of > 1:
        name = next((source.name for source in sources if source.id == reading.source_id), "")
        texts.append(say("{file}: page {page} of {last}", file=plain(name), page=reading.done, last=reading.of))
    if current is not None and current.done:
        texts.append(
            say_n("{n} topic of this document in memory", "{n} topics of this document in memory", current.done)
        )
    if share > _MIN_SHARE and seconds > _MIN_SECONDS and (left := seconds * (1 - share) / share - waited) > 0:
        # By the minute, as it would jump. If it has run out it was wrong: nothing is said until the next one.
        minutes = say_n("about {n} minute left", "about {n} minutes left", ceil(left / 60))
        texts.append(say("less than a minute left") if left < 60 else minutes)
    st.progress(share, text=" · ".join(texts))


def draw_documents(sources: Sequence[SourceProgress]) -> None:
    """Draw each document with its state."""
    if not sources:
        draw_note(say("No documents were given. The task runs without any."))
        return
    lines = ""
    for source in sources:
        state, known, done = _STATES[source.state].word, source.known, source.done
        if source.refused is not None:
            state = say("refused: {reason}", reason=recorded(source.refused))
        elif known:
            state = say_n(
                "{state}, {done} of {n} topic", "{state}, {done} of {n} topics", known, state=state, done=done
            )
        if source.language is not None:
            state = say("{state} · language: {code}", state=state, code=source.language)
        lines += f"<li>{mark(_STATES[source.state])}{escape(source.name)}<small>{escape(state)}</small></li>"
    st.html(f'<ul class="mb-list">{lines}</ul>')
