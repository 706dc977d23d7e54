"""A record of long-term memory: what it says, of what, since when, how often it was recalled, what it said before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from components.language import later, say, say_n
from components.look import BLUE, GREEN, GREY, NODE_STATES, SKY, Look, escape, mark
from memory_bank.long_term.record import Change, Episode, Fact, RecordType
from memory_bank.long_term.store import AnyRecord

KINDS: dict[RecordType, Look] = {
    "semantic": Look(later("fact"), "●", BLUE),
    "procedural": Look(later("how-to"), "■", GREEN),
    "episode": Look(later("task done before"), "◆", SKY),
    "turn": Look(later("task of a conversation"), "○", GREY),
}


@dataclass(frozen=True)
class RecordRow:
    """A record in a list. `similarity` is there where it was searched for, `origin` says where it comes from."""

    record: AnyRecord
    similarity: float | None = None
    origin: str = ""


def count(kind: RecordType, number: int) -> str:
    """So many records of a kind, in words."""
    return {
        "semantic": say_n("{n} fact", "{n} facts", number),
        "procedural": say_n("{n} how-to", "{n} how-tos", number),
        "episode": say_n("{n} task done before", "{n} tasks done before", number),
        "turn": say_n("{n} task of a conversation", "{n} tasks of conversations", number),
    }[kind]


def draw(row: RecordRow) -> None:
    """Draw the record."""
    facts = "".join(f"<span>{fact}</span>" for fact in _facts(row))
    st.html(f'<div class="mb-row">{_said(row.record)}<div class="mb-facts">{facts}</div></div>')


def draw_history(record: AnyRecord) -> None:
    """What the record said before, and what was said against it and turned down, newest first; folded."""
    if record.history:
        with st.expander(say_n("{n} earlier wording", "{n} earlier wordings", len(record.history))):
            lines = "".join(_past(change) for change in reversed(record.history))
            st.html(f'<ul class="mb-list">{lines}</ul>')


def draw_line(record: AnyRecord) -> None:
    """Draw the record in little room: its kind, and what it says."""
    look = KINDS[record.type]
    st.html(
        f'<div class="mb-recalled"><div class="mb-where">{mark(look)}{escape(look.word)} · {day(record.updated)}</div>'
        f"{_said(record)}</div>"
    )


def day(moment: datetime) -> str:
    """A day as the lists show it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


def _said(record: AnyRecord) -> str:
    """What it says, as markup."""
    if isinstance(record, Fact):
        context = f'<div class="mb-where">{escape(record.context)}</div>' if record.context else ""
        return f"{context}<h3>{escape(record.content)}</h3>"
    if isinstance(record, Episode):
        parts = [(say("Steps"), step) for step in record.steps]
        parts += [(say("Outcome"), record.outcome), *((say("Lesson"), lesson) for lesson in record.lessons)]
        return f"<h3>{escape(record.goal)}</h3>{_parts(parts)}"
    return f"<h3>{escape(record.asked)}</h3>{_parts([(say('Done'), record.done), (say('Result'), record.result)])}"


def _parts(parts: list[tuple[str, str]]) -> str:
    """Named texts; a name that comes again is not repeated."""
    lines, last = [], ""
    for name, text in parts:
        if text:
            title = f"<dt>{escape(name)}</dt>" if name != last else ""
            lines.append(f"{title}<dd>{escape(text)}</dd>")
            last = name
    return f'<dl class="mb-evidence">{"".join(lines)}</dl>' if lines else ""


def _facts(row: RecordRow) -> Iterator[str]:
    """What is told of a record, each as markup."""
    record, look = row.record, KINDS[row.record.type]
    yield f"{mark(look)}<b>{escape(look.word)}</b>"
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


def _past(change: Change) -> str:
    until = say("until {day}", day=day(change.until))
    return f"<li>{escape(change.content)}<small>{escape(until)}</small></li>"
