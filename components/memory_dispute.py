"""A fact of long-term memory and what was said against it, side by side, with the differing words marked."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components.difference import marked
from components.language import later, recorded, say
from components.look import NODE_STATES, escape, mark
from components.memory_record import day
from memory_bank.long_term.record import Dispute, Fact, Verdict
from memory_bank.modules.difference import Piece, difference

_VERDICTS: dict[Verdict, str] = {
    "stored": later("The stored one holds"),
    "new": later("The new one holds"),
    "both": later("Both hold"),
}
_HELP: dict[Verdict, str] = {
    "stored": later("The stored fact stays; what was said against it goes into its history."),
    "new": later("The new words take the place of the stored ones, which go into the history."),
    "both": later("Both are kept, each as a fact of its own."),
}


def draw(fact: Fact, dispute: Dispute, *, origins: tuple[str, str], key: str) -> Verdict | None:
    """Draw both sides, and a button for each way to decide; the verdict, at the moment it is given.

    `origins` say where each side comes from, as plain text.
    """
    reason = escape(recorded(dispute.reason)) if dispute.reason else escape(say("They cannot both hold."))
    st.html(
        f'<div class="mb-verdict">{mark(NODE_STATES["disputed"])}<b>{escape(say("disputed"))}</b>'
        f'<div class="mb-quiet">{reason}</div></div>'
    )
    stored, new = difference(fact.content, dispute.content)
    left, right = st.columns(2)
    since, said = day(fact.updated), day(dispute.said)
    left.html(_side(say("Stored, of {day}", day=since), fact.context, stored, origins[0]))
    right.html(_side(say("New, of {day}", day=said), dispute.context, new, origins[1]))
    with st.container(horizontal=True, gap="small"):
        given = [verdict for verdict in _VERDICTS if _draw_button(verdict, key)]
    return given[0] if given else None


def _draw_button(verdict: Verdict, key: str) -> bool:
    label, helps = say(_VERDICTS[verdict]), _HELP[verdict]
    return st.button(label, key=f"{key}-{verdict}", help=say(helps))


def _side(title: str, context: str, said: Iterable[Piece], origin: str) -> str:
    of = f'<div class="mb-where">{escape(context)}</div>' if context else ""
    return (
        f'<div class="mb-side mb-unsettled"><div class="mb-where">{escape(title)}</div>{of}'
        f'<p>“{marked(said)}”</p><div class="mb-where">{escape(origin)}</div></div>'
    )
