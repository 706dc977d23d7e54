"""Draw a record of long-term memory: content, context, dates, use, and earlier wordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from components.language import mark_for_translation, say, say_n
from components.look import BLUE, GREEN, GREY, NODE_STATES, SKY, StateStyle, escape, mark
from memory_bank.long_term.record import Change, Episode, Fact
from memory_bank.long_term.record_type import RecordType
from memory_bank.long_term.store import AnyRecord

KINDS: dict[RecordType, StateStyle] = {
    "semantic": StateStyle(mark_for_translation("fact"), "●", BLUE),
    "procedural": StateStyle(mark_for_translation("how-to"), "■", GREEN),
    "episode": StateStyle(mark_for_translation("past task"), "◆", SKY),
    "turn": StateStyle(mark_for_translation("conversation turn"), "○", GREY),
}


@dataclass(frozen=True)
class RecordRow:
    """A record in a list. `similarity` is set by a search; `origin` says where the record comes from."""

    record: AnyRecord
    similarity: float | None = None
    origin: str = ""


def count(kind: RecordType, number: int) -> str:
    """A number of records of a kind, in words."""
    return {
        "semantic": say_n("{n} fact", "{n} facts", number),
        "procedural": say_n("{n} how-to", "{n} how-tos", number),
        "episode": say_n("{n} past task", "{n} past tasks", number),
        "turn": say_n("{n} conversation turn", "{n} conversation turns", number),
    }[kind]


def draw(row: RecordRow) -> None:
    """Draw the record."""
    facts = "".join(f"<span>{fact}</span>" for fact in _facts(row))
    st.html(f'<div class="mb-row">{_content(row.record)}<div class="mb-facts">{facts}</div></div>')


def draw_history(record: AnyRecord) -> None:
    """Draw the record's earlier wordings and the statements rejected against it, newest first, in an expander."""
    if record.history:
        with st.expander(say_n("{n} earlier wording", "{n} earlier wordings", len(record.history))):
            lines = "".join(_earlier(change) for change in reversed(record.history))
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


def _facts(row: RecordRow) -> Iterator[str]:
    """The record's kind, state, dates and use, each as markup."""
    record, kind = row.record, KINDS[row.record.type]
    yield f"{mark(kind)}<b>{escape(kind.word)}</b>"
    if isinstance(record, Fact) and record.disputes:
        yield f"{mark(NODE_STATES['disputed'])}<b>{escape(say('disputed'))}</b>"
    if row.similarity is not None:
        yield escape(say("similarity {number}", number=f"{row.similarity:.2f}"))
    if record.project_id is not None:
        yield escape(say("project {project}", project=record.project_id))
    yield escape(say("since {day}", day=day(record.created)))
    if day(record.updated) != day(record.created):
        yield escape(say("updated {day}", day=day(record.updated)))
    yield escape(say_n("recalled {n} time", "recalled {n} times", record.access_count))
    yield escape(say("importance {number}", number=f"{record.importance:.1f}"))
    if record.expires is not None:
        yield escape(say("until {day}", day=day(record.expires)))
    if row.origin:
        yield escape(row.origin)


def _earlier(change: Change) -> str:
    until = say("until {day}", day=day(change.until))
    return f"<li>{escape(change.content)}<small>{escape(until)}</small></li>"
