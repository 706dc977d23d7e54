"""Recalls from long-term memory what a session needs: facts, similar tasks, and the conversation so far.

Facts and the outcomes of earlier tasks enter the session's memory like any other text: they can be cited, and a
document can contradict them. The log holds the ids of the records; a record that was forgotten is not recalled again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_bank.agents.agent import Engine, prompt_language
from memory_bank.agents.remember import REMEMBER, REMEMBER_QUERY, PastTask, Query, QueryInput, QueryMode
from memory_bank.bank.errors import AgentError, BudgetError, LongTermError
from memory_bank.bank.events import Event, MemoryRecalled
from memory_bank.judgement.coreference.question import with_context
from memory_bank.long_term.memory import Recalled
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.prefilter import skipped
from memory_bank.long_term.record import Episode, Fact, Teller, Turn
from memory_bank.long_term.store import AnyRecord
from memory_bank.session.long_term_link import UNAVAILABLE, LongTermLink
from memory_bank.session.material import Material
from memory_bank.session.pipeline import Pipeline
from memory_bank.session.recorder import Events

UNIT = "m"
"""The first letter of the unit names of recalled texts; a number follows."""
_CJK_START = "\u3000"
"""From this character on a text ends with the Chinese full stop."""


@dataclass(frozen=True)
class RecalledRecords:
    """The records recalled for a session; `turns` are the earlier tasks of the conversation, oldest first."""

    facts: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    turns: tuple[Turn, ...] = ()

    @classmethod
    def of(cls, records: Iterable[AnyRecord | None]) -> RecalledRecords:
        """The records by their kinds; None stands for one that was forgotten."""
        kept = list(records)
        return cls(
            tuple(record for record in kept if isinstance(record, Fact)),
            tuple(record for record in kept if isinstance(record, Episode)),
            tuple(record for record in kept if isinstance(record, Turn)),
        )

    @property
    def conversation(self) -> tuple[PastTask, ...]:
        """The earlier tasks of the conversation, each with its result."""
        return tuple(PastTask(asked=turn.asked, found=turn.result) for turn in self.turns)


class MemoryReader:
    """Recalls what is relevant to a session's task, once, and puts it into memory."""

    def __init__(self, continuity: LongTermLink, pipeline: Pipeline, embedded: Engine, mode: QueryMode) -> None:
        """`mode` is how the query is built; `embedded` builds it if the model fails."""
        self._continuity, self._pipeline = continuity, pipeline
        self._recorder, self._bank = continuity.recorder, continuity.recorder.bank
        self._embedded, self._mode = embedded, mode
        self._recalled: RecalledRecords | None = None
        self._done = False

    @property
    def recalled(self) -> RecalledRecords:
        """The recalled records; empty before `begin`, or without an owner."""
        return self._recalled or RecalledRecords()

    @property
    def node_ids(self) -> list[str]:
        """The nodes made of recalled texts, after merges."""
        return [self._bank.living(node_id) for unit, node_id in self._bank.units.items() if unit.startswith(UNIT)]

    def begin(self) -> Events:
        """Recall, unless an earlier run did, and put into memory what is not there yet."""
        owner = self._continuity.owner
        if owner is None or self._done:
            return
        if self._recalled is None:
            yield from self._find(owner)
        recalled = self._bank.recalled or MemoryRecalled()
        facts = [text for fact in self.recalled.facts for text in (fact.text, *(each.text for each in fact.disputes))]
        texts = [*facts, *(episode.outcome for episode in self.recalled.episodes if episode.outcome)]
        self._continuity.known += [text for text in texts if text not in self._continuity.known]
        for material in _materials(self.recalled, recalled):
            yield from self._pipeline.remember(material)
        self._done = True  # not set if the run is paused before: the next one does the rest

    def _find(self, owner: Owner) -> Events:
        """Search for what is relevant to the task, or get the records that an earlier run found."""
        try:
            if self._bank.recalled is None:
                yield from self._recall(owner)
            else:  # without those forgotten since
                earlier = self._bank.recalled
                ids = (*earlier.fact_ids, *earlier.episode_ids, *earlier.turn_ids)
                self._recalled = RecalledRecords.of(self._continuity.memory.get(owner.user, each) for each in ids)
        except LongTermError as error:
            yield from self._continuity.tell(error)
            if self._bank.recalled is None:
                yield self._recorder.record(MemoryRecalled(skipped=UNAVAILABLE))
            self._recalled = RecalledRecords()

    def _recall(self, owner: Owner) -> Events:
        memory, task = self._continuity.memory, self._bank.insight_doc.task_goal
        turns = tuple(memory.conversation(owner.scope, owner.conversation_id))
        skip_reason, recalled = skipped(task), Recalled((), ())
        if skip_reason is None:
            query = yield from self._query(task, RecalledRecords(turns=turns).conversation)
            recalled = memory.recall(owner.scope, query)
        given = RecalledRecords.of([*(hit.record for hit in (*recalled.facts, *recalled.episodes)), *turns])
        event = self._recorder.record(
            MemoryRecalled(
                skipped=skip_reason or "",
                fact_ids=_ids(given.facts),
                episode_ids=_ids(given.episodes),
                turn_ids=_ids(turns),
            )
        )
        self._recalled = given  # only after it is recorded: if that fails, the next run searches again
        yield event

    def _query(self, task: str, conversation: Sequence[PastTask]) -> Generator[Event, None, str]:
        """The query for long-term memory: the task, with the conversation where it does not stand alone."""
        if self._mode == "context" or (self._mode == "rewrite" and not conversation):
            return with_context(task, conversation)
        query_input = QueryInput(question=task, conversation=tuple(conversation), mode=self._mode)
        try:
            query: Query = yield from self._recorder.judge(REMEMBER_QUERY, f"{REMEMBER}/query", query_input)
        except (AgentError, BudgetError):  # recorded; the session must start anyway
            query = self._embedded.judge(REMEMBER_QUERY, query_input, prompt_language(task)).output
        return query.text


def _materials(given: RecalledRecords, recalled: MemoryRecalled) -> Iterator[Material]:
    """Facts, their disputes, and the outcomes of earlier tasks, each as a source of its own.

    Units are numbered by the order in the log, and disputes have their ids, so that a record that was forgotten or
    decided since does not change the names of the others.
    """
    record_ids = (*recalled.fact_ids, *recalled.episode_ids)
    numbers = {record_id: number for number, record_id in enumerate(record_ids, start=1)}
    for fact in given.facts:
        unit = f"{UNIT}{numbers[fact.id]}"
        yield _material(unit, fact, _origin(fact.told_by, fact.updated), fact.content, fact.context)
        for dispute in fact.disputes:
            origin = _origin(dispute.told_by, dispute.said)
            yield _material(f"{unit}-{dispute.id[:8]}", fact, origin, dispute.content, dispute.context)
    for episode in given.episodes:
        if episode.outcome:
            origin = f"found on {episode.updated:%Y-%m-%d}"
            yield _material(f"{UNIT}{numbers[episode.id]}", episode, origin, episode.outcome)


def _origin(by: Teller, at: datetime) -> str:
    return f"{'kept by an agent' if by == 'agent' else 'told'} on {at:%Y-%m-%d}"


def _material(unit: str, record: AnyRecord, origin: str, text: str, topic: str = "") -> Material:
    # The unit is one word with a letter: by numbers, dated sources are taken for a series, like minutes of meetings.
    source = f"long-term memory, {origin} ({unit.replace('-', 'd')})"
    metadata = {"record_id": record.id}
    last = text.rstrip()[-1:]
    if last.isalnum():  # without a full stop it would be taken for a heading
        text = f"{text.rstrip()}{'。' if last >= _CJK_START else '.'}"
    return Material(unit=unit, text=text, source=source, title=topic or None, metadata=metadata)


def _ids(records: Iterable[AnyRecord]) -> tuple[str, ...]:
    return tuple(record.id for record in records)
