"""The fields of a fact: to add one by hand, or to correct one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.language import say
from memory_bank.long_term.record import LONGEST_TEXT

FactType = Literal["semantic", "procedural"]


@dataclass(frozen=True)
class FactFields:
    """What is filled in. `type` and `project` are asked only for a new one."""

    content: str
    context: str = ""
    type: FactType = "semantic"
    project: str = ""


def draw_new(project: str, *, version: int) -> FactFields | None:
    """Draw the fields of a new fact; what was filled in when it is sent. With each `version` they are empty."""
    with st.form("add-fact", border=False):
        content = _content(say("What is so"), key=f"add-content {version}")
        context = _context(say("Of what it holds (optional)"), key=f"add-context {version}")
        kinds: list[FactType] = ["semantic", "procedural"]
        said = {"semantic": say("Something that is so"), "procedural": say("How something is done")}
        kind = st.radio(say("Kind"), kinds, format_func=said.__getitem__, key=f"add-kind {version}")
        named = st.text_input(
            say("Project (optional)"), value=project, max_chars=200, key=f"add-project {version} {project}"
        )
        sent = st.form_submit_button(say("Add"), key=f"add {version}")
    return FactFields(content.strip(), context.strip(), kind, named.strip()) if sent else None


def draw_correction(content: str, context: str, *, key: str) -> FactFields | Literal["leave"] | None:
    """Draw the fields of a stored fact; what was filled in when it is saved, `leave` when it is to stay as it is."""
    with st.form(f"{key}-form", border=True):
        new = _content(say("What is so, corrected"), content, key=f"{key}-content")
        of = _context(say("Of what it holds, corrected (optional)"), context, key=f"{key}-context")
        with st.container(horizontal=True, gap="small"):
            saved = st.form_submit_button(say("Save the correction"), type="primary", key=f"{key}-save")
            left = st.form_submit_button(say("Leave it as it is"), key=f"{key}-leave")
    if left:
        return "leave"
    return FactFields(new.strip(), of.strip()) if saved else None


def _content(label: str, value: str = "", *, key: str) -> str:
    return st.text_area(label, value=value, max_chars=LONGEST_TEXT, height=80, key=key)


def _context(label: str, value: str = "", *, key: str) -> str:
    return st.text_input(
        label,
        value=value,
        max_chars=LONGEST_TEXT,
        key=key,
        help=say("For example the trip, the client or the device that it is about."),
    )
