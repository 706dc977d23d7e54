"""Conflicts: the two statements side by side, the evidence, the verdict, and the node they became."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.difference import marked
from components.language import later, recorded, say
from components.look import GREEN, NODE_STATES, Look, escape, mark, place, plain
from memory_bank.bank.conflict import Conflict, DecidedBy, Evidence, Side, Verdict
from memory_bank.modules.difference import Piece, difference

Status = Literal["open", "disputed", "resolved"]
Bearing = Literal["disputed", "rejected"]
"""How the answer names a conflict: as a dispute, or with a statement that it does not make."""

STATES: dict[Status, Look] = {
    "open": Look(later("open: not settled yet"), NODE_STATES["conflicting"].glyph, NODE_STATES["conflicting"].colour),
    "disputed": Look(
        later("disputed: no evidence settles it"), NODE_STATES["disputed"].glyph, NODE_STATES["disputed"].colour
    ),
    "resolved": Look(later("resolved"), "✓", GREEN),
}
_VERDICTS: dict[Verdict, str] = {
    "first": later("the first statement holds"),
    "second": later("the second statement holds"),
    "both": later("both hold: they are compatible"),
    "neither": later("neither holds"),
    "inconclusive": later("not decided: the evidence is not enough"),
}
_HOLDS: dict[Verdict, tuple[bool, bool]] = {
    "first": (True, False),
    "second": (False, True),
    "both": (True, True),
    "neither": (False, False),
}
_PEOPLE: dict[DecidedBy, str] = {"agent": later("by the agent"), "person": later("by a person")}
_DATED = {
    "title": later("{date}, says its title"),
    "text": later("{date}, says its text"),
    "recorded": later("no date of its own; recorded on {date}"),
}
_BEARINGS: dict[Bearing, str] = {
    "disputed": later("The answer shows both statements as a dispute."),
    "rejected": later("The answer leaves out what was refuted here."),
}
_SIDES: tuple[Side, Side] = ("first", "second")


@dataclass(frozen=True)
class Dated:
    """A date of a statement's document, and what tells it: its title, its text, or only when it was recorded."""

    date: str
    by: Literal["title", "text", "recorded"]


@dataclass(frozen=True)
class Statement:
    """Where a claim stands: the text before and after it, and its document's date."""

    before: str
    after: str
    dated: Dated


@dataclass(frozen=True)
class Past:
    """What was decided once: the verdict (None: it was to be verified again), by whom, with what confidence."""

    verdict: Verdict | None
    by: DecidedBy = "person"
    confidence: float | None = None


@dataclass(frozen=True)
class ConflictDetail:
    """A conflict with all that is told of it. `opened` is the statement, 0 or 1, whose passage is shown.

    Of a statement whose record is not in the session there is None.
    """

    conflict: Conflict
    statements: tuple[Statement | None, Statement | None] = (None, None)
    history: tuple[Past, ...] = ()
    opened: int | None = None


def draw(conflicts: Sequence[Conflict], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw conflicts in little room: statements, verdict, merged node. Those still open first."""
    if not conflicts:
        draw_none()
        return
    for conflict in sorted(conflicts, key=lambda one: one.status != "open"):
        with st.container(border=True):
            draw_head(conflict)
            draw_detail(ConflictDetail(conflict), key=f"{key}-{conflict.id}")
            if conflict.merged_into is not None:
                label = say("Open the merged node {node}", node=conflict.merged_into)
                node = (conflict.merged_into,)
                st.button(label, key=f"{key}-{conflict.id}-open", on_click=on_open_node, args=node)


def draw_none() -> None:
    """What a conflict is, where there is none."""
    what = say(
        "No conflict so far. When two sources contradict each other, both statements appear here side by side. They "
        "are checked against the reference documents, and the evidence, the verdict and the node that they become "
        "stand with them. You can decide yourself, and overturn what was decided."
    )
    st.html(f'<div class="mb-empty">{what}</div>')


def draw_head(conflict: Conflict, bearing: Bearing | None = None) -> None:
    """Which conflict, how it stands, what it is about, and what the answer makes of it."""
    look = STATES[conflict.status]
    answered = "" if bearing is None else f"<div>{escape(say(_BEARINGS[bearing]))}</div>"
    st.html(
        f'<div class="mb-verdict">{mark(look)}<b>{escape(conflict.id)}</b> · {escape(look.word)}'
        f'<div class="mb-quiet">{escape(recorded(conflict.description))}</div>{answered}</div>'
    )


def draw_detail(detail: ConflictDetail, *, key: str, on_open_passage: Callable[[int], None] | None = None) -> None:
    """Draw statements, evidence, verdict and history. Pressing a statement's source brings its number, 0 or 1."""
    said = difference(*(claim.text for claim in detail.conflict.claims))
    for number, column in enumerate(st.columns(2)):
        statement = detail.statements[number]
        with column:
            if statement is not None and on_open_passage is not None:
                _draw_way(detail, number, key, on_open_passage)
            else:
                st.html(f'<div class="mb-where">{escape(_source(detail.conflict, number))}</div>')
            st.html(_side(detail.conflict, number, said[number], statement))
    _draw_verdict(detail.conflict, detail.history)


def _draw_way(detail: ConflictDetail, number: int, key: str, on_open_passage: Callable[[int], None]) -> None:
    """A statement's source, which opens its passage."""
    opened = detail.opened == number
    st.button(
        plain(_source(detail.conflict, number)),
        key=f"{key}-passage-{number}",
        type="primary" if opened else "secondary",
        help=say("Put the passage away") if opened else say("Open the passage in its document"),
        on_click=on_open_passage,
        args=(number,),
    )


def _source(conflict: Conflict, number: int) -> str:
    claim = conflict.claims[number]
    return place(claim.source, claim.page)


def _side(conflict: Conflict, number: int, said: Sequence[Piece], statement: Statement | None) -> str:
    """A statement as markup: its document's date, the text around it, how it stands, the evidence."""
    standing, style = _standing(conflict, number)
    dated, before, after = "", "", ""
    if statement is not None:
        date = say(_DATED[statement.dated.by], date=statement.dated.date)
        dated = f'<div class="mb-where">{escape(date)}</div>'
        before, after = (
            f'<span class="mb-quiet">{escape(text)}</span>' for text in (statement.before, statement.after)
        )
    weighed = _weighed(conflict, _SIDES[number]) if conflict.verdict else ""
    told = f"<p>{before}“{marked(said)}”{after}</p>{_supporters(conflict, number)}"
    return f'<div class="mb-side {style}">{dated}{told}{standing}{weighed}</div>'


def _supporters(conflict: Conflict, number: int) -> str:
    """The other statements that say the same, each with its source."""
    said = "".join(
        f"<div>{escape(place(claim.source, claim.page))}: “{escape(claim.text)}”</div>"
        for claim in conflict.supporters[number]
    )
    return f'<dl class="mb-evidence"><dt>{say("The same is said by")}</dt><dd>{said}</dd></dl>' if said else ""


def _standing(conflict: Conflict, number: int) -> tuple[str, str]:
    """How a side stands after the verdict: a shape and a word for people, a class for the style."""
    if conflict.verdict is None:
        return "", ""
    if conflict.verdict == "inconclusive":
        return f'<div class="mb-standing">{mark(NODE_STATES["disputed"])}{say("in dispute")}</div>', "mb-unsettled"
    holds = _HOLDS[conflict.verdict][number]
    glyph, word = ("✓", say("holds")) if holds else ("✕", say("refuted"))
    shape = f'<span class="mb-glyph" aria-hidden="true">{glyph}</span>'
    return f'<div class="mb-standing">{shape}<b>{word}</b></div>', "mb-holds" if holds else "mb-refuted"


def _weighed(conflict: Conflict, side: Side) -> str:
    """The evidence for a side in full; against it by name, as it stands in full with the side that it supports."""
    for_it = "".join(_passage(found) for found in conflict.evidence if found.supports == side)
    against = dict.fromkeys(_against(found) for found in conflict.evidence if found.supports != side)
    none = f'<span class="mb-quiet">{say("none")}</span>'
    return (
        f'<dl class="mb-evidence"><dt>{say("Evidence for it")}</dt><dd>{for_it or none}</dd>'
        f"<dt>{say('Evidence against it')}</dt><dd>{''.join(against) or none}</dd></dl>"
    )


def _passage(found: Evidence) -> str:
    return f"<div>{escape(place(found.source, found.page))}: “{escape(found.passage)}”</div>"


def _against(found: Evidence) -> str:
    supported = {
        "first": say("supports the first statement"),
        "second": say("supports the second statement"),
        "neither": say("supports neither"),
    }
    return f"<div>{escape(place(found.source, found.page))}: {supported[found.supports]}</div>"


def _draw_verdict(conflict: Conflict, history: Sequence[Past]) -> None:
    """The verdict, who gave it, how sure, and why; what was decided before."""
    if conflict.verdict is None and not history:
        return
    parts = list(_verdict(conflict))
    reason = f'<div class="mb-quiet">{escape(recorded(conflict.reason))}</div>' if conflict.reason else ""
    neither = [_passage(found) for found in conflict.evidence if found.supports == "neither"]
    if neither:
        reason += f'<div class="mb-where">{say("Evidence for neither:")} {"".join(neither)}</div>'
    if len(history) > 1:
        past = " → ".join(_past(one) for one in history)
        reason += f'<div class="mb-quiet">{say("History:")} {escape(past)}</div>'
    st.html(f'<div class="mb-verdict">{" · ".join(parts)}{reason}</div>')


def _verdict(conflict: Conflict) -> Iterator[str]:
    if conflict.verdict is None:
        return
    yield f"<b>{say('Verdict:')}</b> {escape(say(_VERDICTS[conflict.verdict]))}"
    if conflict.decided_by is not None:
        yield escape(say(_PEOPLE[conflict.decided_by]))
    if conflict.confidence is not None and conflict.decided_by == "agent":
        yield escape(say("confidence {confidence}", confidence=f"{conflict.confidence:.2f}"))


def _past(past: Past) -> str:
    """A decision in the history: `agent: second (0.86)`."""
    if past.verdict is None:
        return say("to be verified again")
    verdict = {
        "first": say("first"),
        "second": say("second"),
        "both": say("both"),
        "neither": say("neither"),
        "inconclusive": say("not decided"),
    }[past.verdict]
    if past.by == "person":
        return say("person: {verdict}", verdict=verdict)
    confidence = f"{past.confidence or 0:.2f}"
    return say("agent: {verdict} ({confidence})", verdict=verdict, confidence=confidence)
