"""Export a session as one self-contained HTML file, without scripts and without requests to any host.

Every text of the session is content: the template escapes it, and no link leads out of the file. The session's id is
left out, because whoever knows it can open the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import NOT_ALL_FOUND, SIDES, Conflict
from memory_bank.bank.events import Event
from memory_bank.bank.spoken import said_by
from memory_bank.session.answer_check import VerificationReport
from memory_bank.session.answer_lines import answer_statements, comparison_table, sides
from memory_bank.text.difference import difference
from memory_bank.text.wording import Wording
from memory_bank.views.conflict_text import certainty, conflict_heading, refuted_pieces
from memory_bank.views.exports.graph_picture import shape, svg, xml_text
from memory_bank.views.graph_layout import GraphLayout
from memory_bank.views.graph_look import COLOURS, WORDS, State, lines, state_of
from memory_bank.views.i18n import Language, Translator, size
from memory_bank.views.readable import read_answer, read_conflict, read_conflicts, read_node, read_record, read_tasks
from memory_bank.views.snapshot import Moment

_CONTEXT = 320
"""Characters of text shown before and after a passage."""
_LANGUAGE_TAGS: Mapping[Language, str] = {"en": "en", "zh": "zh-Hans"}


def report(events: Sequence[Event], words: Translator, verified: VerificationReport | None = None) -> str:
    """Write the session with these events as an HTML document. The session need not be finished.

    `verified` is the result of checking its answer again. Raises `CorruptLogError` if the events are not consistent.
    """
    moment = Moment()
    moment.follow(events)
    bank = moment.bank
    answer = bank.answer and read_answer(bank, bank.answer)
    statements = answer_statements(answer) if answer else []
    edges = [line.ends for line in lines(bank)]
    places = GraphLayout().place([node.id for node in bank.query_graph], edges, {})
    return (
        _environment(words)
        .get_template("report.html.j2")
        .render(
            language=_LANGUAGE_TAGS[words.language],
            bank=bank,
            verified=verified,
            until=events[-1].at,
            seconds=moment.timeline.seconds(),
            engines=dict.fromkeys(f"{choice.provider} · {choice.model}" for choice in bank.engine.values()),
            tasks=read_tasks(bank, moment.timeline.tasks()),
            rejected=answer.rejected if answer else (),
            told=read_conflicts(bank, answer) if answer else {},
            statements=statements,
            table=comparison_table(statements),
            disputes=[(dispute, sides(dispute, answer)) for dispute in answer.disputed] if answer else (),
            passages=[_passage(bank, citation) for citation in answer.citations] if answer else (),
            conflicts=[
                (each, _statements(each)) for each in (read_conflict(bank, each) for each in bank.conflicts.values())
            ],
            nodes=[(read_node(bank, node), state_of(bank, node)) for node in bank.query_graph],
            picture=Markup(svg(bank, places, words.say)),  # noqa: S704 - escaped where it was made
            states=tuple(COLOURS),
            anchors=_anchors(bank),
        )
    )


def _environment(words: Translator) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalize,
    )
    environment.globals.update(
        say=words.say,
        say_n=words.say_n,
        recorded=words.recorded,
        place=lambda passage: words.source_label(passage.source, passage.page),
        heading=partial(conflict_heading, words=words),
        certainty=partial(certainty, words=words),
        refuted_pieces=refuted_pieces,
        not_all_found=NOT_ALL_FOUND,
    )
    environment.tests["wording"] = lambda text: isinstance(text, Wording)
    environment.filters.update(
        time=_time,
        clock=_clock,
        duration=_duration,
        money=words.money,
        size=size,
        icon=_icon,
        state_word=lambda state: words.say(WORDS[state]),
    )
    return environment


def _finalize(value: object) -> object:
    """Clean every value that the template shows, before it is escaped. `Markup` values come from this package only."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _clock(at: datetime, beginning: datetime) -> str:
    """The time of day; with the date if it is not the day on which the session began."""
    at = at.astimezone(UTC)
    return f"{at:%H:%M:%S}" if at.date() == beginning.astimezone(UTC).date() else _time(at)


def _duration(seconds: float) -> str:
    """Format seconds as `0.4 s`, `4:05` or `1:02:03`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _icon(state: State) -> Markup:
    """A state's shape as an icon in a line of text. Screen readers skip it, so the state must be named beside it."""
    return Markup('<svg class="icon" viewBox="-8 -8 16 16" aria-hidden="true">{}</svg>').format(Markup(shape(state)))  # noqa: S704 - all ours


def _anchors(bank: Bank) -> dict[str, str]:
    """The HTML anchor of each node and conflict. Their ids are not used, since an imported id could be any text."""
    nodes = {node.id: f"node-{number}" for number, node in enumerate(bank.query_graph, start=1)}
    conflicts = {conflict_id: f"conflict-{number}" for number, conflict_id in enumerate(bank.conflicts, start=1)}
    return nodes | conflicts


def _passage(bank: Bank, citation: Citation) -> dict[str, object]:
    """A cited passage in its text, and who said it; without its text and its node if its record is missing."""
    if citation.entry_id not in bank.trees:
        return {"citation": citation, "node": None, "said_by": ""}
    entry, place = bank.trees.entry(citation.entry_id), (citation.start, citation.end)
    before, text, after = read_record(bank, entry).around(*place, _CONTEXT)
    node, speaker = bank.trees.node_of(entry.id), said_by(entry, *place)
    return {"citation": citation, "before": before, "text": text, "after": after, "node": node, "said_by": speaker}


def _statements(conflict: Conflict) -> list[dict[str, object]]:
    """The sides of a conflict: `pieces` of the claim mark what differs; `refuted` is None while undecided."""
    pieces = difference(*(claim.text for claim in conflict.claims))
    return [
        {
            "claim": claim,
            "supporters": supporters,
            "pieces": side_pieces,
            "refuted": None if conflict.undecided else claim in conflict.refuted,
            "evidence": [evidence for evidence in conflict.evidence if evidence.supports in (side, "both")],
        }
        for (claim, *supporters), side_pieces, side in zip(conflict.sides, pieces, SIDES, strict=True)
    ]
