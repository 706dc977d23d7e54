"""Draw a record of long-term memory: content, context, dates, use, and earlier wordings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import streamlit as st

from components.language import mark_for_translation, say, say_n
from components.look import BLUE, GREEN, GREY, NODE_STATES, SKY, StateStyle, escape, mark, mark_differences
from memory_bank.long_term.record import Episode, Fact, FactDispute
from memory_bank.long_term.record_type import RecordType, Verdict
from memory_bank.long_term.store import AnyRecord
from memory_bank.text.difference import Piece, difference

KINDS: dict[RecordType, StateStyle] = {
    "semantic": StateStyle(mark_for_translation("fact"), "●", BLUE),
    "procedural": StateStyle(mark_for_translation("how-to"), "■", GREEN),
    "episode": StateStyle(mark_for_translation("past task"), "◆", SKY),
    "turn": StateStyle(mark_for_translation("conversation turn"), "○", GREY),
}


def count(kind: RecordType, number: int) -> str:
    """A number of records of a kind, in words."""
    return {
        "semantic": say_n("{n} fact", "{n} facts", number),
        "procedural": say_n("{n} how-to", "{n} how-tos", number),
        "episode": say_n("{n} past task", "{n} past tasks", number),
        "turn": say_n("{n} conversation turn", "{n} conversation turns", number),
    }[kind]


def draw_memory_record(record: AnyRecord, similarity: float | None, origin: str) -> None:
    """Draw the record, with its similarity if it was searched for. `origin` says where it comes from."""
    facts = "".join(f"<span>{fact}</span>" for fact in _facts(record, similarity, origin))
    st.html(f'<div class="mb-row">{_content(record)}<div class="mb-facts">{facts}</div></div>')


def draw_history(record: AnyRecord) -> None:
    """Draw the record's earlier wordings and the statements rejected against it, newest first, in an expander."""
    if record.history:
        with st.expander(say_n("{n} earlier wording", "{n} earlier wordings", len(record.history))):
            lines = ""
            for change in reversed(record.history):
                until = say("until {day}", day=day(change.until))
                lines += f"<li>{escape(change.content)}<small>{escape(until)}</small></li>"
            st.html(f'<ul class="mb-list">{lines}</ul>')


def draw_compact(record: AnyRecord) -> None:
    """Draw only the record's kind, day and content."""
    kind = KINDS[record.type]
    st.html(
        f'<div class="mb-recalled"><div class="mb-where">{mark(kind)}{escape(kind.word)} · {day(record.updated)}</div>'
        f"{_content(record)}</div>"
    )


def day(moment: datetime) -> str:
    """Format the day of a moment, in UTC: `2024-05-01`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


def _content(record: AnyRecord) -> str:
    """The record's content as markup."""
    if isinstance(record, Fact):
        context = f'<div class="mb-where">{escape(record.context)}</div>' if record.context else ""
        return f"{context}<h3>{escape(record.content)}</h3>"
    if isinstance(record, Episode):
        parts = [(say("Steps"), step) for step in record.steps]
        parts += [(say("Outcome"), record.outcome), *((say("Lesson"), lesson) for lesson in record.lessons)]
        return f"<h3>{escape(record.goal)}</h3>{_parts(parts)}"
    return f"<h3>{escape(record.asked)}</h3>{_parts([(say('Done'), record.done), (say('Result'), record.result)])}"


def _parts(parts: list[tuple[str, str]]) -> str:
    """Named texts as a list; a name that equals the one before is not repeated."""
    lines, last = [], ""
    for name, text in parts:
        if text:
            title = f"<dt>{escape(name)}</dt>" if name != last else ""
            lines.append(f"{title}<dd>{escape(text)}</dd>")
            last = name
    return f'<dl class="mb-evidence">{"".join(lines)}</dl>' if lines else ""


def _facts(record: AnyRecord, similarity: float | None, origin: str) -> Iterator[str]:
    """The record's kind, state, dates and use, each as markup."""
    kind = KINDS[record.type]
    yield f"{mark(kind)}<b>{escape(kind.word)}</b>"
    if isinstance(record, Fact) and record.disputes:
        yield f"{mark(NODE_STATES['disputed'])}<b>{escape(say('disputed'))}</b>"
    if similarity is not None:
        yield escape(say("similarity {number}", number=f"{similarity:.2f}"))
    if record.project_id is not None:
        yield escape(say("project {project}", project=record.project_id))
    yield escape(say("since {day}", day=day(record.created)))
    if day(record.updated) != day(record.created):
        yield escape(say("updated {day}", day=day(record.updated)))
    yield escape(say_n("recalled {n} time", "recalled {n} times", record.access_count))
    yield escape(say("importance {number}", number=f"{record.importance:.1f}"))
    if record.expires is not None:
        yield escape(say("until {day}", day=day(record.expires)))
    yield escape(origin)


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


def draw_dispute(fact: Fact, dispute: FactDispute, *, origins: tuple[str, str], key: str) -> Verdict | None:
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
