"""A session as one HTML file to send to somebody: no script, and nothing is asked of any host.

Every text of the session is content: the template escapes it, and no link leads out of the file. The session's id is
left out, for it is the address that opens the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.spoken import said_by
from memory_bank.events import Event
from memory_bank.exports.graph_picture import COLOURS, State, lines, shape, state_of, state_word, svg
from memory_bank.exports.xml_text import xml_text
from memory_bank.graph_layout import GraphLayout
from memory_bank.modules.answer_lines import sides, statements
from memory_bank.modules.difference import Piece, difference
from memory_bank.moment import Moment
from memory_bank.timeline import Timeline
from memory_bank.verifying import Verified
from memory_bank.words import Language, Words

_AROUND = 320
"""Characters of text shown before and after a passage."""
_REFUTED: Mapping[Verdict, tuple[bool, bool]] = {
    "first": (False, True),
    "second": (True, False),
    "both": (False, False),
    "neither": (True, True),
}
_SIDES: tuple[Side, Side] = ("first", "second")
_LANGUAGE_TAGS: Mapping[Language, str] = {"en": "en", "zh": "zh-Hans"}


@dataclass(frozen=True)
class _Passage:
    """A cited passage in its place. `text` is empty where the session does not hold its record.

    `said_by` tells who said it and when, in a chat.
    """

    citation: Citation
    before: str
    text: str
    after: str
    node: str | None
    said_by: str = ""


@dataclass(frozen=True)
class _Statement:
    """One side of a conflict: its claim in pieces, what became of it (None: nothing yet), and what speaks for it."""

    claim: Claim
    supporters: tuple[Claim, ...]
    pieces: tuple[Piece, ...]
    refuted: bool | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class _Topic:
    """A node with the ids of those related to it."""

    node: Node
    state: State
    records: int
    related: tuple[str, ...]


def report(events: Sequence[Event], words: Words, verified: Verified | None = None) -> str:
    """The session that these events are as one HTML document, at any moment of its life.

    `verified` is what came out when its answer was read again.

    `CorruptLogError` if the events do not add up.
    """
    moment, timeline = Moment(), Timeline()
    moment.follow(events)
    timeline.follow(events)
    bank, answer = moment.bank, moment.bank.answer
    return (
        _environment(words)
        .get_template("report.html.j2")
        .render(
            language=_LANGUAGE_TAGS[words.language],
            bank=bank,
            verified=verified,
            until=events[-1].at,
            seconds=moment.seconds(),
            engines=dict.fromkeys(f"{choice.provider} · {choice.model}" for choice in bank.engine.values()),
            tasks=timeline.tasks(),
            statements=statements(answer) if answer else (),
            disputes=[(dispute, sides(dispute, answer)) for dispute in answer.disputed] if answer else (),
            passages=[_passage(bank, citation) for citation in answer.citations] if answer else (),
            conflicts=[(conflict, _statements(conflict)) for conflict in bank.conflicts.values()],
            topics=[_topic(bank, node) for node in bank.query_graph],
            picture=_picture(bank, words),
            states=tuple(COLOURS),
            anchors=_anchors(bank),
        )
    )


def _environment(words: Words) -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalize,
    )
    made.globals.update(say=words.say, say_n=words.say_n, recorded=words.recorded, place=partial(_place, words))
    made.filters.update(
        time=_time,
        clock=_clock,
        duration=_duration,
        money=partial(_money, words),
        size=_size,
        icon=_icon,
        state_word=partial(state_word, say=words.say),
    )
    return made


def _finalize(value: object) -> object:
    """Whatever the template shows, before it is escaped; markup is only what this package made."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _clock(at: datetime, beginning: datetime) -> str:
    """The time of day where the day is the one on which the session began."""
    at = at.astimezone(UTC)
    return f"{at:%H:%M:%S}" if at.date() == beginning.astimezone(UTC).date() else _time(at)


def _duration(seconds: float) -> str:
    """Seconds as `0.4 s`, `4:05` or `1:02:03`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _money(words: Words, usd: float | None) -> str:
    if usd is None:
        return words.say("cost unknown")
    return f"{usd:.4f} $" if 0 < usd < 0.1 else f"{usd:.2f} $"


def _size(number: int) -> str:
    """Bytes as a person reads them: `48 kB`."""
    if number < 1_000:
        return f"{number} B"
    return f"{number / 1_000:,.0f} kB" if number < 999_500 else f"{number / 1_000_000:,.1f} MB"


def _place(words: Words, found: Citation | Claim | Evidence) -> str:
    """Where a passage stands: `brochure.pdf, p. 2`."""
    if found.page is None:
        return found.source
    return words.say("{source}, p. {page}", source=found.source, page=found.page)


def _icon(state: State) -> Markup:
    """A state's shape in a line of text; the word must stand beside it."""
    return Markup('<svg class="icon" viewBox="-8 -8 16 16" aria-hidden="true">{}</svg>').format(Markup(shape(state)))  # noqa: S704 - all ours


def _picture(bank: Bank, words: Words) -> Markup:
    drawn = [line.ends for line in lines(bank)]
    places = GraphLayout().place([node.id for node in bank.query_graph], drawn, {})
    return Markup(svg(bank, places, words.say))  # noqa: S704 - escaped where it was made


def _anchors(bank: Bank) -> dict[str, str]:
    """A name inside the document for each node, conflict and cited passage; an id from outside could be anything."""
    found = {node.id: f"node-{number}" for number, node in enumerate(bank.query_graph, start=1)}
    found |= {conflict_id: f"conflict-{number}" for number, conflict_id in enumerate(bank.conflicts, start=1)}
    return found


def _passage(bank: Bank, citation: Citation) -> _Passage:
    if citation.entry_id not in bank.trees:
        return _Passage(citation, "", "", "", None)
    entry = bank.trees.entry(citation.entry_id)
    text = entry.text
    start = min(max(citation.start, 0), len(text))
    end = min(max(citation.end, start), len(text))
    before = ("…" if start > _AROUND else "") + text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND] + ("…" if end + _AROUND < len(text) else "")
    node = bank.trees.node_of(citation.entry_id)
    return _Passage(citation, before, text[start:end], after, node, said_by(entry, start, end))


def _statements(conflict: Conflict) -> list[_Statement]:
    pieces = difference(*(claim.text for claim in conflict.claims))
    refuted = _REFUTED.get(conflict.verdict, (None, None)) if conflict.verdict else (None, None)
    return [
        _Statement(
            claim, tuple(supporters), said, fate, tuple(one for one in conflict.evidence if one.supports == side)
        )
        for (claim, *supporters), said, fate, side in zip(conflict.sides, pieces, refuted, _SIDES, strict=True)
    ]


def _topic(bank: Bank, node: Node) -> _Topic:
    return _Topic(
        node=node,
        state=state_of(bank, node),
        records=len(bank.trees.entries(node.id)),
        related=bank.query_graph.neighbours(node.id),
    )
