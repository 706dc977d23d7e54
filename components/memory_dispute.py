"""Draw a disputed fact of long-term memory next to the new statement, with the differing words marked."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components.difference import mark_differences
from components.language import mark_for_translation, say
from components.look import NODE_STATES, escape, mark
from components.memory_record import day
from memory_bank.long_term.record import Dispute, Fact
from memory_bank.long_term.record_type import Verdict
from memory_bank.text.difference import Piece, difference

_VERDICTS: dict[Verdict, str] = {
    "stored": mark_for_translation("Keep the stored fact"),
    "new": mark_for_translation("Use the new statement"),
    "both": mark_for_translation("Keep both"),
}
_HELP: dict[Verdict, str] = {
    "stored": mark_for_translation("The stored fact stays. The new statement goes into its history."),
    "new": mark_for_translation("The new statement replaces the stored one, which goes into the history."),
    "both": mark_for_translation("Both are kept as separate facts."),
}


def draw(fact: Fact, dispute: Dispute, *, origins: tuple[str, str], key: str) -> Verdict | None:
    """Draw both sides and a button for each verdict; the verdict whose button was pressed in this run.

    `origins` say where the stored and the new side come from, as plain text.
    """
    reason = escape(dispute.reason) if dispute.reason else escape(say("They cannot both be true."))
    st.html(
        f'<div class="mb-verdict">{mark(NODE_STATES["disputed"])}<b>{escape(say("disputed"))}</b>'
        f'<div class="mb-quiet">{reason}</div></div>'
    )
    stored, new = difference(fact.content, dispute.content)
    left, right = st.columns(2)
    left.html(_side(say("Stored on {day}", day=day(fact.updated)), fact.context, stored, origins[0]))
    right.html(_side(say("New, said on {day}", day=day(dispute.said)), dispute.context, new, origins[1]))
    with st.container(horizontal=True, gap="small"):
        pressed = [
            verdict
            for verdict in _VERDICTS
            if st.button(say(_VERDICTS[verdict]), key=f"{key}-{verdict}", help=say(_HELP[verdict]))
        ]
    return pressed[0] if pressed else None


def _side(title: str, context: str, content: Iterable[Piece], origin: str) -> str:
    about = f'<div class="mb-where">{escape(context)}</div>' if context else ""
    return (
        f'<div class="mb-side mb-unsettled"><div class="mb-where">{escape(title)}</div>{about}'
        f'<p>“{mark_differences(content)}”</p><div class="mb-where">{escape(origin)}</div></div>'
    )
