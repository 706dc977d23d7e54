"""The Insight Doc as a timeline: what was done, how it ended, what it found, and what is being done now."""

from __future__ import annotations

import streamlit as st

from components.look import BLUE, GREEN, VERMILION, escape
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask, InsightDoc


def draw(doc: InsightDoc, *, working: bool) -> None:
    """Draw the timeline, oldest first. `working` tells whether the current task is being done."""
    items = [_completed(task) for task in doc.completed_tasks]
    if doc.current_task is not None:
        items.append(_current(doc.current_task, working=working))
    if not items:
        st.html('<div class="mb-empty">Nothing is done yet. Each finished step appears here.</div>')
        return
    st.html(f'<ol class="mb-list mb-timeline" tabindex="0" aria-label="Steps">{"".join(items)}</ol>')


def _completed(task: CompletedTask) -> str:
    done = task.status == "success"
    glyph, colour, word = ("✓", GREEN, "done") if done else ("✕", VERMILION, "failed")
    context = f"<small>{escape(task.context)}</small>" if task.context else ""
    shape = f'<span class="mb-glyph" style="color:{colour}" role="img" aria-label="{word}">{glyph}</span>'
    failed = "" if done else "<b>failed</b> · "
    return f"<li>{shape}{failed}{escape(task.description)}{context}</li>"


def _current(task: CurrentTask, *, working: bool) -> str:
    shape = f'<span class="mb-glyph" style="color:{BLUE}" aria-hidden="true">●</span>'
    said = "being done now" if working else "next"
    return f'<li class="mb-now">{shape}{escape(task.description)}<small>{said}</small></li>'
