"""Draw conflicts: the two statements side by side, the evidence, the verdict and the merged node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from components.language import mark_for_translation, recorded, say, visitor_words
from components.look import (
    GREEN,
    NODE_STATES,
    StateStyle,
    draw_note,
    escape,
    mark,
    mark_differences,
    plain,
    source_label,
)
from memory_bank.bank.conflict import SIDES, Conflict, DecidedBy, Evidence, Side, Status, Verdict
from memory_bank.text.difference import Piece, difference
from memory_bank.text.wording import Wording
from memory_bank.views.conflict_text import certainty, conflict_heading

AnswerStatus = Literal["disputed", "rejected"]
"""How the answer treats a conflict: it shows the dispute, or it rejects a refuted statement."""

STATES: dict[Status, StateStyle] = {
    "open": replace(NODE_STATES["conflicting"], english=mark_for_translation("open: not settled yet")),
    "disputed": replace(NODE_STATES["disputed"], english=mark_for_translation("disputed: no evidence settles it")),
    "resolved": StateStyle(mark_for_translation("resolved"), "✓", GREEN),
}
_VERDICTS: dict[Verdict, str] = {
    "first": mark_for_translation("the first statement holds"),
    "second": mark_for_translation("the second statement holds"),
    "both": mark_for_translation("both hold: they are compatible"),
    "neither": mark_for_translation("neither holds"),
    "inconclusive": mark_for_translation("not decided: not enough evidence"),
}
_DECIDED_BY: dict[DecidedBy, str] = {
    "agent": mark_for_translation("by the agent"),
    "person": mark_for_translation("by a person"),
}
_ANSWER_NOTES: dict[AnswerStatus, str] = {
    "disputed": mark_for_translation("The answer shows both statements as a dispute."),
    "rejected": mark_for_translation("The answer leaves out what was refuted here."),
}


@dataclass(frozen=True)
class ClaimContext:
    """The text before and after a claim, and the date its document states; if not `dated`, when it was recorded."""

    before: str
    after: str
    date: str
    dated: bool


@dataclass(frozen=True)
class PastDecision:
    """An earlier decision. A `verdict` of None means that the conflict was to be verified again."""

    verdict: Verdict | None
    decided_by: DecidedBy = "person"
    confidence: float | None = None


def draw_conflicts(conflicts: Sequence[Conflict], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw conflicts in short form, in the order given: statements, verdict, merged node."""
    if not conflicts:
        draw_no_conflicts()
        return
    for conflict in conflicts:
        with st.container(border=True):
            draw_conflict_head(conflict)
            draw_detail(conflict, key=f"{key}-{conflict.id}")
            if conflict.merged_into is not None:
                label = say("Open the merged node {node}", node=conflict.merged_into)
                args = (conflict.merged_into,)
                st.button(label, key=f"{key}-{conflict.id}-open", on_click=on_open_node, args=args)


def draw_no_conflicts() -> None:
    """Explain what a conflict is, where there is none yet."""
    draw_note(
        say(
            "No conflicts yet. When two sources contradict each other, both statements appear here side by side. They "
            "are checked against the reference documents, and you see the evidence, the verdict and the merged node. "
            "You can decide yourself, and overturn a decision."
        )
    )


def draw_conflict_head(conflict: Conflict, answer_status: AnswerStatus | None = None) -> None:
    """Draw what the conflict is about, its id and state, what a model said of it, and how the answer treats it."""
    style = STATES[conflict.status]
    note = "" if answer_status is None else f"<div>{escape(say(_ANSWER_NOTES[answer_status]))}</div>"
    words = visitor_words()
    state = " · ".join(filter(None, (conflict.id, style.word, certainty(conflict, words))))
    # What we describe ourselves only quotes both statements, which stand below.
    description = "" if isinstance(conflict.description, Wording) else f"<div>{escape(conflict.description)}</div>"
    st.html(
        f'<div class="mb-verdict"><h3>{mark(style)}{escape(conflict_heading(conflict, words))}</h3>'
        f'<div class="mb-quiet">{escape(state)}</div>{description}{note}</div>'
    )


def draw_detail(
    conflict: Conflict,
    statements: Sequence[ClaimContext | None] = (None, None),
    history: Sequence[PastDecision] = (),
    *,
    key: str,
    opened: int | None = None,
    on_open_passage: Callable[[int], None] | None = None,
) -> None:
    """Draw statements, evidence, verdict and history. Pressing a statement's source sends its number, 0 or 1.

    A statement is None where its record is not in the session. `opened`: whose passage is shown.
    """
    texts = difference(*(claim.text for claim in conflict.claims))
    for number, column in enumerate(st.columns(2)):
        statement = statements[number]
        with column:
            if statement is not None and on_open_passage is not None:
                st.button(
                    plain(_source(conflict, number)),
                    key=f"{key}-passage-{number}",
                    type="primary" if opened == number else "secondary",
                    help=say("Hide the passage") if opened == number else say("Open the passage in its document"),
                    on_click=on_open_passage,
                    args=(number,),
                )
            else:
                st.html(f'<div class="mb-where">{escape(_source(conflict, number))}</div>')
            st.html(_side(conflict, number, texts[number], statement))
    _draw_verdict(conflict, history)


def _source(conflict: Conflict, number: int) -> str:
    claim = conflict.claims[number]
    return source_label(claim.source, claim.page)


def _side(conflict: Conflict, number: int, text: Sequence[Piece], statement: ClaimContext | None) -> str:
    """A statement as markup: its document's date, the text around it, the outcome for it, the evidence."""
    outcome, css_class = _outcome(conflict, number)
    date, before, after = "", "", ""
    if statement is not None:
        day = statement.date
        dated = say("dated {date}", date=day) if statement.dated else say("undated; recorded on {date}", date=day)
        date = f'<div class="mb-where">{escape(dated)}</div>'
        before, after = (
            f'<span class="mb-quiet">{escape(context)}</span>' for context in (statement.before, statement.after)
        )
    evidence = _evidence(conflict, SIDES[number]) if conflict.verdict else ""
    claims = "".join(_quotation(claim.source, claim.page, claim.text) for claim in conflict.supporters[number])
    also = f'<dl class="mb-evidence"><dt>{say("Also stated by")}</dt><dd>{claims}</dd></dl>' if claims else ""
    quotation = f"<p>{before}“{mark_differences(text)}”{after}</p>{also}"
    return f'<div class="mb-side {css_class}">{date}{quotation}{outcome}{evidence}</div>'


def _outcome(conflict: Conflict, number: int) -> tuple[str, str]:
    """What the verdict says of a side: as markup with a shape and a word, and as a CSS class."""
    if conflict.verdict is None:
        return "", ""
    if conflict.verdict == "inconclusive":
        return f'<div class="mb-standing">{mark(NODE_STATES["disputed"])}{say("in dispute")}</div>', "mb-unsettled"
    holds = conflict.claims[number] not in conflict.refuted
    glyph, word = ("✓", say("holds")) if holds else ("✕", say("refuted"))
    shape = f'<span class="mb-glyph" aria-hidden="true">{glyph}</span>'
    return f'<div class="mb-standing">{shape}<b>{word}</b></div>', "mb-holds" if holds else "mb-refuted"


def _evidence(conflict: Conflict, side: Side) -> str:
    """The evidence for a side in full; against it only the sources, as that evidence is in full elsewhere."""
    for_it = "".join(_passage(evidence) for evidence in conflict.evidence if evidence.supports in (side, "both"))
    supported = {
        "first": say("supports the first statement"),
        "second": say("supports the second statement"),
        "neither": say("refutes both statements"),
    }
    against = dict.fromkeys(
        f"<div>{escape(source_label(evidence.source, evidence.page))}: {supported[evidence.supports]}</div>"
        for evidence in conflict.evidence
        if evidence.supports not in (side, "both")
    )
    none = f'<span class="mb-quiet">{say("none")}</span>'
    return (
        f'<dl class="mb-evidence"><dt>{say("Evidence for it")}</dt><dd>{for_it or none}</dd>'
        f"<dt>{say('Evidence against it')}</dt><dd>{''.join(against) or none}</dd></dl>"
    )


def _passage(evidence: Evidence) -> str:
    return _quotation(evidence.source, evidence.page, evidence.passage)


def _quotation(source: str, page: int | None, text: str) -> str:
    return f"<div>{escape(source_label(source, page))}: “{escape(text)}”</div>"


def _draw_verdict(conflict: Conflict, history: Sequence[PastDecision]) -> None:
    """Draw the verdict with who decided, the confidence and the reason, and the earlier decisions."""
    if conflict.verdict is None and not history:
        return
    parts = []
    if conflict.verdict is not None:
        parts.append(f"<b>{say('Verdict:')}</b> {escape(say(_VERDICTS[conflict.verdict]))}")
        if conflict.decided_by is not None:
            parts.append(escape(say(_DECIDED_BY[conflict.decided_by])))
        if conflict.confidence is not None and conflict.decided_by == "agent":
            parts.append(escape(say("confidence {confidence}", confidence=f"{conflict.confidence:.2f}")))
    reason = f'<div class="mb-quiet">{escape(recorded(conflict.reason))}</div>' if conflict.reason else ""
    neither = [_passage(evidence) for evidence in conflict.evidence if evidence.supports == "neither"]
    if neither:
        reason += f'<div class="mb-where">{say("Evidence against both:")} {"".join(neither)}</div>'
    if len(history) > 1:
        past = " → ".join(_past_decision(decision) for decision in history)
        reason += f'<div class="mb-quiet">{say("History:")} {escape(past)}</div>'
    st.html(f'<div class="mb-verdict">{" · ".join(parts)}{reason}</div>')


def _past_decision(decision: PastDecision) -> str:
    """A decision in the history: `agent: second (0.86)`."""
    if decision.verdict is None:
        return say("to be verified again")
    verdict = say("not decided") if decision.verdict == "inconclusive" else say(decision.verdict)
    if decision.decided_by == "person":
        return say("person: {verdict}", verdict=verdict)
    confidence = f"{decision.confidence or 0:.2f}"
    return say("agent: {verdict} ({confidence})", verdict=verdict, confidence=confidence)
