"""Forms to add a fact to long-term memory and to correct one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.language import say
from memory_bank.long_term.record_type import LONGEST_TEXT

FactType = Literal["semantic", "procedural"]


@dataclass(frozen=True)
class FactFields:
    """The submitted form. Only a new fact has fields for `type` and `project`."""

    content: str
    context: str = ""
    type: FactType = "semantic"
    project: str = ""


def draw_new(project: str, *, version: int) -> FactFields | None:
    """Draw the form of a new fact; its content when it is submitted. A new `version` empties the fields."""
    with st.form("add-fact", border=False):
        content = _content(say("What to remember"), key=f"add-content {version}")
        context = _context(say("What it is about (optional)"), key=f"add-context {version}")
        kinds: list[FactType] = ["semantic", "procedural"]
        labels = {"semantic": say("A fact"), "procedural": say("How to do something")}
        kind = st.radio(say("Kind"), kinds, format_func=labels.__getitem__, key=f"add-kind {version}")
        named_project = st.text_input(
            say("Project (optional)"), value=project, max_chars=200, key=f"add-project {version} {project}"
        )
        submitted = st.form_submit_button(say("Add"), key=f"add {version}")
    return FactFields(content.strip(), context.strip(), kind, named_project.strip()) if submitted else None


def draw_correction_form(content: str, context: str, *, key: str) -> FactFields | Literal["leave"] | None:
    """Draw the form to correct a fact; its content when it is saved, `leave` when the fact is to stay as it is."""
    with st.form(f"{key}-form", border=True):
        new_content = _content(say("Corrected text"), content, key=f"{key}-content")
        new_context = _context(say("What it is about, corrected (optional)"), context, key=f"{key}-context")
        with st.container(horizontal=True, gap="small"):
            saved = st.form_submit_button(say("Save the correction"), type="primary", key=f"{key}-save")
            unchanged = st.form_submit_button(say("Leave it as it is"), key=f"{key}-leave")
    if unchanged:
        return "leave"
    return FactFields(new_content.strip(), new_context.strip()) if saved else None


def _content(label: str, value: str = "", *, key: str) -> str:
    return st.text_area(label, value=value, max_chars=LONGEST_TEXT, height=80, key=key)


def _context(label: str, value: str = "", *, key: str) -> str:
    return st.text_input(
        label,
        value=value,
        max_chars=LONGEST_TEXT,
        key=key,
        help=say("For example a trip, a client or a device."),
    )
