"""A session's long-term memory: recalls facts, similar tasks and the conversation so far; keeps what is told and found.

Facts and the outcomes of earlier tasks enter the session's memory like any other text: they can be cited, and a
document can contradict them. The log holds the ids of the records; a record that was forgotten is not recalled again.

Facts are extracted only from what the person said, not from documents or from what the agent found; the latter is
stored with its task.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_bank.agents.agent import Engine, prompt_language
from memory_bank.agents.remember import (
    REMEMBER,
    REMEMBER_EXTRACTION,
    REMEMBER_QUERY,
    ExtractedFact,
    ExtractionInput,
    Kind,
    PastTask,
    Query,
    QueryInput,
    QueryMode,
    Utterance,
)
from memory_bank.bank.answer import Answer
from memory_bank.bank.errors import AgentError, BudgetError, LongTermError, NotKeptError
from memory_bank.bank.events import Event, MemoryKept, MemoryRecalled, Notice, PersonDecided
from memory_bank.judgement.coreference.question import with_context
from memory_bank.judgement.utterances.same_fact import same_words
from memory_bank.long_term.memory import LongTermMemory, Recalled, Remembered
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.policy import check_storable
from memory_bank.long_term.prefilter import skipped
from memory_bank.long_term.record import AGENTS_IMPORTANCE, Episode, Fact, Teller, Turn
from memory_bank.long_term.record_type import LONGEST_TEXT
from memory_bank.long_term.store import AnyRecord
from memory_bank.session.answer_lines import affirmed_statements
from memory_bank.session.pipeline import Material, Pipeline
from memory_bank.session.recorder import Events, Recorder
from memory_bank.text.wording import Wording, mark_for_translation, one_line

UNAVAILABLE = Wording("long-term memory could not be used")
_WITHOUT = mark_for_translation("The work goes on without long-term memory, which could not be used: {reason}")
UNIT = "m"
"""The first letter of the unit names of recalled texts; a number follows."""
_CJK_START = "\u3000"
"""From this character on a text ends with the Chinese full stop."""
EVERY = 10
"""Facts are extracted between two steps once there are so many new utterances."""
BEFORE = 3
"""Earlier utterances shown with them, for context."""
MOST_STEPS = 20
STEP_CHARACTERS = 200
_PERSON = "person"
LONG_TERM_TOOLS = frozenset({"retrieve_facts", "recall_episodes", "store_fact"})
"""The names by which a model calls the tools of long-term memory."""


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


class SessionMemory:
    """The long-term memory of a session's owner; without one it recalls and keeps nothing, and has no tools to call.

    It is also the tools of a step (`LongTermTools`): `facts`, `episodes` and `store`, safe from any thread, raise
    `LongTermError` if the store is unavailable. Any other failure is reported once in a run, and the session goes on.
    """

    def __init__(
        self,
        recorder: Recorder,
        pipeline: Pipeline,
        owner: Owner | None,
        memory: Callable[[], LongTermMemory],
        embedded: Engine,
        mode: QueryMode,
    ) -> None:
        """`memory` opens the store when it is needed; `mode` is how the query is built.

        `embedded` builds the query and extracts facts if the model fails.
        """
        self._recorder, self._bank, self._pipeline = recorder, recorder.bank, pipeline
        self._owner, self._memory = owner, memory
        self._embedded, self._mode = embedded, mode
        self._recalled: RecalledRecords | None = None
        self._done = self._told = False
        self._known: list[str] = []  # recalled or stored texts, which are not stored again
        self._stored: deque[Remembered] = deque()  # by the agent, not recorded yet

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
        if self._owner is None or self._done:
            return
        if self._recalled is None:
            yield from self._find()
        recalled = self._bank.recalled or MemoryRecalled()
        facts = [text for fact in self.recalled.facts for text in (fact.text, *(each.text for each in fact.disputes))]
        texts = [*facts, *(episode.outcome for episode in self.recalled.episodes if episode.outcome)]
        self._known += [text for text in texts if text not in self._known]
        for material in _materials(self.recalled, recalled):
            yield from self._pipeline.remember(material)
        self._done = True  # not set if the run is paused before: the next one does the rest

    def _find(self) -> Events:
        """Search for what is relevant to the task, or get the records that an earlier run found."""
        try:
            if self._bank.recalled is None:
                yield from self._recall()
            else:  # without those forgotten since
                earlier = self._bank.recalled
                ids = (*earlier.fact_ids, *earlier.episode_ids, *earlier.turn_ids)
                self._recalled = RecalledRecords.of(self._memory().get(self._present_owner.user, each) for each in ids)
        except LongTermError as error:
            yield from self._tell(error)
            if self._bank.recalled is None:
                yield self._recorder.record(MemoryRecalled(skipped=UNAVAILABLE))
            self._recalled = RecalledRecords()

    def _recall(self) -> Events:
        owner, memory, task = self._present_owner, self._memory(), self._bank.insight_doc.task_goal
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

    def between_steps(self) -> Events:
        """Record what the agent stored; extract facts if there are enough new utterances."""
        if self._owner is None:
            return
        yield from self.record_stored()
        if len(self._utterances()) - self._processed >= EVERY:
            yield from self._extract()

    def end(self) -> Events:
        """Extract facts from the rest, and store the task as an episode and as a turn of its conversation."""
        answer = self._bank.answer
        if self._owner is None:
            return
        yield from self.record_stored()
        if len(self._utterances()) > self._processed:
            yield from self._extract()
        if answer is not None and not self._bank.answer_kept:
            yield from self._store_task(answer)

    # -- the tools -------------------------------------------------------------------------------------------

    def facts(self, query: str) -> tuple[str, ...]:
        """The facts relevant to a query, best first, each with its date and its disputes."""
        return tuple(_as_text(hit.record) for hit in self._search(query).facts)

    def episodes(self, goal: str) -> tuple[str, ...]:
        """Earlier tasks similar to a goal, best first: what was done, and the outcome."""
        return tuple(_as_text(hit.record) for hit in self._search(goal).episodes)

    def store(self, content: str, context: str, kind: Kind) -> str:
        """Store a fact for the agent, unless it was recalled or is known; returns in words what became of it.

        `UsageError` for a text that an agent may not store, `LongTermError` if the store fails.
        """
        now = self._recorder.clock.now()
        check_storable(content, context)
        fact = Fact(
            **self._common(),
            created=now,
            updated=now,
            type=kind,
            content=content,
            context=context,
            told_by="agent",
            importance=AGENTS_IMPORTANCE,
        )
        if any(same_words(text, known) for known in self._known for text in (content, fact.text)):
            return "This is known already."
        stored = self._memory().remember(fact)
        self._known += [content, fact.text]
        self._stored.append(stored)
        if stored.outcome == "conflict":
            return f"It contradicts what is stored ({stored.reason}). Both are kept; a person has to say which holds."
        return "Kept." if stored.outcome == "created" else "This was known already; it is up to date."

    def _search(self, query: str) -> Recalled:
        recalled = self._memory().recall(self._present_owner.scope, query)
        self._known.extend(hit.record.content for hit in recalled.facts)
        return recalled

    # -- facts -----------------------------------------------------------------------------------------------

    @property
    def _processed(self) -> int:
        """From how many utterances facts were extracted already."""
        return max((kept.said for kept in self._bank.kept), default=0)

    def _utterances(self) -> list[Utterance]:
        """What the person said: the task, and the reasons of their decisions."""
        decided = [event for event in self._recorder.log.events if isinstance(event, PersonDecided) and event.reason]
        return [
            Utterance(id="task", speaker=_PERSON, text=self._bank.insight_doc.task_goal, at=self._bank.created_at),
            *(Utterance(id=f"d{event.seq}", speaker=_PERSON, text=event.reason, at=event.at) for event in decided),
        ]

    def _extract(self) -> Events:
        """Extract facts from the new utterances and store them; if the model fails, the embedded engine extracts."""
        utterances, start = self._utterances(), self._processed
        prefix = f"{REMEMBER}/{start + 1}-"
        # An earlier run may have extracted the facts and ended before it stored them.
        paid = next((key for key in self._bank.judgements if key.startswith(prefix)), None)
        count = len(utterances) if paid is None else int(paid.removeprefix(prefix))
        key = f"{prefix}{count}"
        agent_input = ExtractionInput(
            about=self._bank.insight_doc.task_goal,
            utterances=tuple(utterances[start:count]),
            before=tuple(utterances[max(start - BEFORE, 0) : start]),
            known=tuple(self._known),
        )
        try:
            extraction = yield from self._recorder.judge(REMEMBER_EXTRACTION, key, agent_input)
        except (AgentError, BudgetError):  # recorded; the run must not fail because of it
            language = prompt_language(agent_input.about)
            extraction = self._embedded.judge(REMEMBER_EXTRACTION, agent_input, language).output
        yield from self._store_facts(extraction.facts, count)

    def _store_facts(self, facts: Iterable[ExtractedFact], said: int) -> Events:
        """Store extracted facts and record what became of them, also if the store failed in between."""
        now, stored = self._recorder.clock.now(), list[Remembered]()
        times = {utterance.id: utterance.at for utterance in self._utterances()}
        try:
            for fact in facts:
                told_at = max((at for name in fact.evidence if (at := times.get(name)) is not None), default=now)
                record = Fact(
                    **self._common(),
                    created=told_at,
                    updated=told_at,
                    type=fact.type,
                    content=fact.content,
                    context=fact.context,
                    importance=fact.importance,
                )
                try:
                    stored.append(self._memory().remember(record))
                except NotKeptError as error:  # the other facts may still be stored
                    yield self._recorder.record(Notice(message=Wording("A fact was not kept: {reason}", reason=error)))
                self._known.append(record.text)
        except LongTermError as error:
            yield from self._tell(error)
        yield self._recorder.record(_memory_kept(stored, said=said))

    def record_stored(self) -> list[Event]:
        """Record the facts that the agent stored."""
        stored: list[Remembered] = []
        while self._stored:
            stored.append(self._stored.popleft())
        return [self._recorder.record(_memory_kept(stored, said=self._processed))] if stored else []

    # -- the task --------------------------------------------------------------------------------------------

    def _store_task(self, answer: Answer) -> Events:
        """Store the task as a turn and an episode; a task that is answered again replaces its records."""
        now = self._recorder.clock.now()
        begun = self._bank.created_at or now
        common = {**self._common(), "created": begun, "updated": now}
        goal = self._bank.insight_doc.task_goal.strip()[:LONGEST_TEXT]
        completed = self._bank.insight_doc.completed_tasks[-MOST_STEPS:]  # their results are in the outcome
        steps = [one_line(task.description)[:STEP_CHARACTERS] for task in completed]
        decided = [conflict for conflict in self._bank.conflicts.values() if conflict.verdict is not None]
        turn = Turn(
            **common,
            id=self._own_id("turn"),
            conversation_id=self._present_owner.conversation_id,
            asked=goal,
            done="; ".join(steps)[:LONGEST_TEXT],
            result=answer.text[:LONGEST_TEXT],
        )
        episode = Episode(
            **common,
            id=self._own_id("episode"),
            goal=goal,
            steps=tuple(steps),
            outcome=self._outcome(answer)[:LONGEST_TEXT],
            lessons=tuple(
                one_line(f"{each.description}: {each.verdict}. {each.reason or ''}")[:LONGEST_TEXT]
                for each in decided[:MOST_STEPS]
            ),
        )
        try:
            memory = self._memory()
            memory.create(turn)
            exists = memory.get(episode.user_id, episode.id) is not None
            corrected = memory.correct(episode, episode.id) if exists else None
            stored = Remembered("created", episode) if corrected else memory.remember(episode)
        except LongTermError as error:
            yield from self._tell(error)
        else:
            yield self._recorder.record(_memory_kept([stored], said=self._processed, closed=True))

    def _outcome(self, answer: Answer) -> str:
        """The cited sentences of the answer, without those that rest only on recalled texts."""
        trees = self._bank.trees
        return " ".join(
            line.text
            for line in affirmed_statements(answer)
            if any("record_id" not in trees.entry(citation.entry_id).metadata for citation in line.citations)
        )

    def _common(self) -> dict[str, Any]:
        owner = self._present_owner
        return {"user_id": owner.user, "project_id": owner.project, "source_session": self._bank.session_id[:100]}

    def _own_id(self, kind: str) -> str:
        """The id of the session's only record of a kind."""
        return hashlib.sha256(f"{kind} of {self._bank.session_id}".encode()).hexdigest()[:32]

    @property
    def _present_owner(self) -> Owner:
        """The owner. `ValueError` for a session without one."""
        if self._owner is None:
            raise ValueError("a session without an owner has no long-term memory")
        return self._owner

    def _tell(self, error: LongTermError) -> Events:
        """Record a notice that memory could not be used, and why; once in a run."""
        if not self._told:
            self._told = True
            yield self._recorder.record(Notice(message=Wording(_WITHOUT, reason=error)))


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


def _as_text(record: AnyRecord) -> str:
    text = record.text if isinstance(record, Fact) else record.content
    disputes = record.disputes if isinstance(record, Fact) else ()
    disputed = "".join(f" (disputed: {one_line(dispute.text)})" for dispute in disputes)
    return f"{record.updated:%Y-%m-%d}: {one_line(text)}{disputed}"


def _memory_kept(stored: Iterable[Remembered], *, said: int, closed: bool = False) -> MemoryKept:
    by_outcome: dict[str, list[str]] = {"created": [], "updated": [], "conflict": []}
    for each in stored:
        by_outcome[each.outcome].append((each.against or each.record).id)
    return MemoryKept(
        said=said,
        created=tuple(by_outcome["created"]),
        updated=tuple(by_outcome["updated"]),
        disputed=tuple(by_outcome["conflict"]),
        closed=closed,
    )


def is_unavailable_notice(event: Event) -> bool:
    """Whether an event says that memory could not be used."""
    return isinstance(event, Notice) and isinstance(event.message, Wording) and event.message.template == _WITHOUT
