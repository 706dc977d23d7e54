"""Writes to long-term memory: facts that the person told, and the task with its outcome.

Facts are extracted only from what the person said, not from documents or from what the agent found; the latter is
stored with its task.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from typing import Any

from memory_bank.agents.agent import Engine, prompt_language
from memory_bank.agents.remember import (
    REMEMBER,
    REMEMBER_EXTRACTION,
    ExtractedFact,
    ExtractionInput,
    Kind,
    Utterance,
)
from memory_bank.bank.answer import Answer
from memory_bank.bank.errors import AgentError, BudgetError, LongTermError, NotKeptError
from memory_bank.bank.events import Event, MemoryKept, Notice, PersonDecided
from memory_bank.judgement.utterances.same_fact import same_words
from memory_bank.long_term.memory import Recalled, Remembered
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.policy import check_storable
from memory_bank.long_term.record import AGENTS_IMPORTANCE, Episode, Fact, Turn
from memory_bank.long_term.record_type import LONGEST_TEXT
from memory_bank.long_term.store import AnyRecord
from memory_bank.session.answer_lines import affirmed_statements
from memory_bank.session.long_term_link import LongTermLink
from memory_bank.session.recorder import Events
from memory_bank.text.one_line import one_line
from memory_bank.text.wording import Wording

EVERY = 10
"""Facts are extracted between two steps once there are so many new utterances."""
BEFORE = 3
"""Earlier utterances shown with them, for context."""
MOST_STEPS = 20
STEP_CHARACTERS = 200
_PERSON = "person"
LONG_TERM_TOOLS = frozenset({"retrieve_facts", "recall_episodes", "store_fact"})
"""The names by which a model calls the tools of `LongTermToolbox`."""


class MemoryWriter:
    """Writes to the long-term memory of a session's owner."""

    def __init__(self, continuity: LongTermLink, embedded: Engine) -> None:
        """`embedded` extracts facts if the model fails."""
        self._continuity, self._embedded = continuity, embedded
        self._recorder, self._bank = continuity.recorder, continuity.recorder.bank
        self._stored: deque[Remembered] = deque()  # by the agent, not recorded yet

    def between_steps(self) -> Events:
        """Record what the agent stored; extract facts if there are enough new utterances."""
        owner = self._continuity.owner
        if owner is None:
            return
        yield from self.record_stored()
        if len(self._utterances()) - self._processed >= EVERY:
            yield from self._extract(owner)

    def end(self) -> Events:
        """Extract facts from the rest, and store the task as an episode and as a turn of its conversation."""
        owner, answer = self._continuity.owner, self._bank.answer
        if owner is None:
            return
        yield from self.record_stored()
        if len(self._utterances()) > self._processed:
            yield from self._extract(owner)
        if answer is not None and not self._bank.answer_kept:
            yield from self._store_task(owner, answer)

    def store(self, owner: Owner, content: str, context: str, kind: Kind) -> Remembered | None:
        """Store a fact of the owner for the agent, from any thread; None if it was recalled or is known.

        `UsageError` for a text that an agent may not store, `LongTermError` if the store fails.
        """
        now = self._recorder.clock.now()
        check_storable(content, context)
        fact = Fact(
            **self._common(owner),
            created=now,
            updated=now,
            type=kind,
            content=content,
            context=context,
            told_by="agent",
            importance=AGENTS_IMPORTANCE,
        )
        if any(same_words(text, known) for known in self._continuity.known for text in (content, fact.text)):
            return None
        remembered = self._continuity.memory.remember(fact)
        self._continuity.known += [content, fact.text]
        self._stored.append(remembered)
        return remembered

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

    def _extract(self, owner: Owner) -> Events:
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
            known=tuple(self._continuity.known),
        )
        try:
            extraction = yield from self._recorder.judge(REMEMBER_EXTRACTION, key, agent_input)
        except (AgentError, BudgetError):  # recorded; the run must not fail because of it
            language = prompt_language(agent_input.about)
            extraction = self._embedded.judge(REMEMBER_EXTRACTION, agent_input, language).output
        yield from self._store_facts(owner, extraction.facts, count)

    def _store_facts(self, owner: Owner, facts: Iterable[ExtractedFact], said: int) -> Events:
        """Store extracted facts and record what became of them, also if the store failed in between."""
        now, stored = self._recorder.clock.now(), list[Remembered]()
        times = {utterance.id: utterance.at for utterance in self._utterances()}
        try:
            for fact in facts:
                told_at = max((at for name in fact.evidence if (at := times.get(name)) is not None), default=now)
                record = Fact(
                    **self._common(owner),
                    created=told_at,
                    updated=told_at,
                    type=fact.type,
                    content=fact.content,
                    context=fact.context,
                    importance=fact.importance,
                )
                try:
                    stored.append(self._continuity.memory.remember(record))
                except NotKeptError as error:  # the other facts may still be stored
                    yield self._recorder.record(Notice(message=Wording("A fact was not kept: {reason}", reason=error)))
                self._continuity.known.append(record.text)
        except LongTermError as error:
            yield from self._continuity.tell(error)
        yield self._recorder.record(_memory_kept(stored, said=said))

    def record_stored(self) -> list[Event]:
        """Record the facts that the agent stored."""
        stored: list[Remembered] = []
        while self._stored:
            stored.append(self._stored.popleft())
        return [self._recorder.record(_memory_kept(stored, said=self._processed))] if stored else []

    # -- the task --------------------------------------------------------------------------------------------

    def _store_task(self, owner: Owner, answer: Answer) -> Events:
        """Store the task as a turn and an episode; a task that is answered again replaces its records."""
        now = self._recorder.clock.now()
        begun = self._bank.created_at or now
        common = {**self._common(owner), "created": begun, "updated": now}
        goal = self._bank.insight_doc.task_goal.strip()[:LONGEST_TEXT]
        completed = self._bank.insight_doc.completed_tasks[-MOST_STEPS:]  # their results are in the outcome
        steps = [one_line(task.description)[:STEP_CHARACTERS] for task in completed]
        decided = [conflict for conflict in self._bank.conflicts.values() if conflict.verdict is not None]
        turn = Turn(
            **common,
            id=self._own_id("turn"),
            conversation_id=owner.conversation_id,
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
            memory = self._continuity.memory
            memory.create(turn)
            exists = memory.get(owner.user, episode.id) is not None
            corrected = memory.correct(episode, episode.id) if exists else None
            stored = Remembered("created", episode) if corrected else memory.remember(episode)
        except LongTermError as error:
            yield from self._continuity.tell(error)
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

    def _common(self, owner: Owner) -> dict[str, Any]:
        return {"user_id": owner.user, "project_id": owner.project, "source_session": self._bank.session_id[:100]}

    def _own_id(self, kind: str) -> str:
        """The id of the session's only record of a kind."""
        return hashlib.sha256(f"{kind} of {self._bank.session_id}".encode()).hexdigest()[:32]


class LongTermToolbox:
    """The tools, on behalf of a session's owner; safe from any thread. `LongTermError` if the store is unavailable."""

    def __init__(self, owner: Owner, continuity: LongTermLink, keeping: MemoryWriter) -> None:
        self._owner, self._continuity, self._keeping = owner, continuity, keeping

    def facts(self, query: str) -> tuple[str, ...]:
        """The facts relevant to a query, best first, each with its date and its disputes."""
        return tuple(_as_text(hit.record) for hit in self._recall(query).facts)

    def episodes(self, goal: str) -> tuple[str, ...]:
        """Earlier tasks similar to a goal, best first: what was done, and the outcome."""
        return tuple(_as_text(hit.record) for hit in self._recall(goal).episodes)

    def store(self, content: str, context: str, kind: Kind) -> str:
        """Store a fact; returns in words what became of it."""
        stored = self._keeping.store(self._owner, content, context, kind)
        if stored is None:
            return "This is known already."
        if stored.outcome == "conflict":
            return f"It contradicts what is stored ({stored.reason}). Both are kept; a person has to say which holds."
        return "Kept." if stored.outcome == "created" else "This was known already; it is up to date."

    def _recall(self, query: str) -> Recalled:
        recalled = self._continuity.memory.recall(self._owner.scope, query)
        self._continuity.known.extend(hit.record.content for hit in recalled.facts)
        return recalled


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
