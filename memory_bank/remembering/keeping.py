"""What of a session is kept for later ones: facts that the person told, and the task with what came of it (section 5).

Facts are extracted from what the person said and from nothing else: not from documents, nor from what the agent found,
which is kept with the task it was found for.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memory_bank.agents.agent import Engine, language_of
from memory_bank.agents.remember import (
    REMEMBER,
    REMEMBER_EXTRACTION,
    ExtractedFact,
    Extraction,
    ExtractionGiven,
    Kind,
    Utterance,
)
from memory_bank.bank.answer import Answer
from memory_bank.bank.conflict import Conflict
from memory_bank.engines.offline.remembering.sameness import same_words
from memory_bank.errors import AgentError, BudgetError, LongTermError, NotKeptError, RunStoppedError
from memory_bank.events import MemoryKept, Notice, PersonDecided
from memory_bank.long_term.gate import check_agents_word
from memory_bank.long_term.memory import Remembered
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import AGENTS_IMPORTANCE, LONGEST_TEXT, Episode, Fact, Turn
from memory_bank.one_line import one_line
from memory_bank.pipeline import Events
from memory_bank.recorder import Beside
from memory_bank.remembering.continuity import Continuity

EVERY = 10
"""Things said after which facts are extracted without waiting for the end."""
BEFORE = 3
"""Things said before them that are shown along, so that they are understood."""
MOST_STEPS = 20
STEP_CHARACTERS = 200
_PERSON = "person"
_MARKED = re.compile(r"(.+?) ((?:\[\d+\])+)(?:\n|\Z)", re.DOTALL)
"""A sentence of the answer with its marks, which stand at the end of a line."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class _Extracting:
    """Facts being extracted from the first `said` things said."""

    given: ExtractionGiven
    said: int
    beside: Beside[Extraction]


class Keeping:
    """Gives to long-term memory in the name of a session's owner."""

    def __init__(self, continuity: Continuity, embedded: Engine) -> None:
        """`embedded` extracts what a model could not."""
        self._continuity, self._embedded = continuity, embedded
        self._recorder, self._bank = continuity.recorder, continuity.recorder.bank
        self._extracting: _Extracting | None = None
        self._stored: deque[Remembered] = deque()

    def between_steps(self) -> Events:
        """Record what was kept since; have facts extracted when enough was said, by a model beside the run."""
        if self._continuity.owner is None:
            return
        yield from self._note_stored()
        if self._extracting is not None and self._extracting.beside.done:
            yield from self._take(self._extracting)
        if self._extracting is None and len(self._said()) - self._gone_through >= EVERY:
            yield from self._extract(wait=False)

    def end(self) -> Events:
        """Extract from what is left, and keep the task as an episode and as one of its conversation."""
        owner, answer = self._continuity.owner, self._bank.answer
        if owner is None:
            return
        yield from self._note_stored()
        if self._extracting is not None:
            yield from self._take(self._extracting)
        if len(self._said()) > self._gone_through:
            yield from self._extract(wait=True)
        if answer is not None and not self._bank.answer_kept:
            yield from self._close(owner, answer)

    def stop(self) -> None:
        """Record what was stored, and what is being asked of a model: it is paid for, and used when the run goes on."""
        extracting, self._extracting = self._extracting, None
        try:
            for _event in self._note_stored():
                pass
            if extracting is not None:
                for _event in self._recorder.settle(extracting.beside):
                    pass
        except (AgentError, RunStoppedError):
            return  # recorded; it is tried once more when the run goes on

    def store(self, content: str, context: str, kind: Kind) -> Remembered | None:
        """Keep a fact for the agent; None if it was recalled, or is known. From any thread.

        `UsageError` for what no agent has kept, `LongTermError` when it cannot be kept.
        """
        owner, now = self._continuity.owner, self._recorder.clock.now()
        check_agents_word(content, context)
        if owner is None:
            return None
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
        done = self._continuity.memory.remember(fact)
        self._continuity.known += [content, fact.text]
        self._stored.append(done)
        return done

    # -- facts -----------------------------------------------------------------------------------------------

    @property
    def _gone_through(self) -> int:
        return max((kept.said for kept in self._bank.kept), default=0)

    def _said(self) -> list[Utterance]:
        """What the person said: the task, and why they decided conflicts as they did."""
        decided = [event for event in self._recorder.log.events if isinstance(event, PersonDecided) and event.reason]
        return [
            Utterance(id="task", speaker=_PERSON, text=self._bank.insight_doc.task_goal, at=self._bank.created_at),
            *(Utterance(id=f"d{one.seq}", speaker=_PERSON, text=one.reason, at=one.at) for one in decided),
        ]

    def _extract(self, *, wait: bool) -> Events:
        """Have facts extracted from what was not gone through yet, and keep them; by a model only if not to `wait`."""
        said, start = self._said(), self._gone_through
        asked = f"{REMEMBER}/{start + 1}-"
        # A run that ended before it could keep them may have asked already.
        paid = next((key for key in self._bank.judgements if key.startswith(asked)), None)
        count = len(said) if paid is None else int(paid.removeprefix(asked))
        key = f"{asked}{count}"
        given = ExtractionGiven(
            about=self._bank.insight_doc.task_goal,
            utterances=tuple(said[start:count]),
            before=tuple(said[max(start - BEFORE, 0) : start]),
            known=tuple(self._continuity.known),
        )
        try:
            if wait or paid or not self._recorder.engines[REMEMBER].remote:
                extraction = yield from self._recorder.judge(REMEMBER_EXTRACTION, key, given)
                yield from self._keep(extraction.facts, count)
            else:
                self._extracting = _Extracting(given, count, self._recorder.beside(REMEMBER_EXTRACTION, key, given))
        except (AgentError, BudgetError):  # recorded; no run may fail because of it
            yield from self._keep(self._without_model(given), count)

    def _take(self, extracting: _Extracting) -> Events:
        """Keep the facts that were extracted beside the run."""
        self._extracting = None
        try:
            extraction = yield from self._recorder.settle(extracting.beside)
            facts = extraction.facts
        except AgentError:
            facts = self._without_model(extracting.given)
        yield from self._keep(facts, extracting.said)

    def _without_model(self, given: ExtractionGiven) -> tuple[ExtractedFact, ...]:
        return self._embedded.judge(REMEMBER_EXTRACTION, given, language_of(given.about)).output.facts

    def _keep(self, facts: Iterable[ExtractedFact], said: int) -> Events:
        """Store extracted facts, and record what became of them, also where the store failed in between."""
        owner = self._continuity.owner
        if owner is None:
            return
        now, done = self._recorder.clock.now(), list[Remembered]()
        times = {utterance.id: utterance.at for utterance in self._said()}
        try:
            for fact in facts:
                told = max((at for name in fact.evidence if (at := times.get(name)) is not None), default=now)
                record = Fact(
                    **self._common(owner),
                    created=told,
                    updated=told,
                    type=fact.type,
                    content=fact.content,
                    context=fact.context,
                    importance=fact.importance,
                )
                try:
                    done.append(self._continuity.memory.remember(record))
                except NotKeptError as error:  # the others can be
                    yield self._recorder.record(Notice(message=f"A fact was not kept: {error}"))
                self._continuity.known.append(record.text)
        except LongTermError as error:
            yield from self._continuity.tell(error)
        yield self._recorder.record(_kept(done, said=said))

    def _note_stored(self) -> Events:
        """Record what the agent had kept."""
        done: list[Remembered] = []
        while self._stored:
            done.append(self._stored.popleft())
        if done:
            yield self._recorder.record(_kept(done, said=self._gone_through))

    # -- the task --------------------------------------------------------------------------------------------

    def _close(self, owner: Owner, answer: Answer) -> Events:
        """Keep the task; one that is answered again is the same task."""
        now = self._recorder.clock.now()
        begun = self._bank.created_at or now
        common = {**self._common(owner), "created": begun, "updated": now}
        goal, steps = self._bank.insight_doc.task_goal.strip()[:LONGEST_TEXT], self._steps()
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
            lessons=tuple(_lesson(conflict) for conflict in self._settled())[:MOST_STEPS],
        )
        try:
            memory = self._continuity.memory
            memory.create(turn)
            known = memory.get(owner.user, episode.id) is not None
            corrected = memory.correct(episode, episode.id) if known else None
            done = Remembered("created", episode) if corrected else memory.remember(episode)
        except LongTermError as error:
            yield from self._continuity.tell(error)
        else:
            yield self._recorder.record(_kept([done], said=self._gone_through, closed=True))

    def _steps(self) -> list[str]:
        """What was done, the last of it where it is much; what came of it is the outcome, without what was recalled."""
        done = self._bank.insight_doc.completed_tasks[-MOST_STEPS:]
        return [one_line(task.description)[:STEP_CHARACTERS] for task in done]

    def _outcome(self, answer: Answer) -> str:
        """What was found in this session: not what is written without a passage, nor what was recalled."""
        recalled = {
            str(citation.number)
            for citation in answer.citations
            if "record_id" in self._bank.trees.entry(citation.entry_id).metadata
        }
        found = [
            match[1] for match in _MARKED.finditer(answer.affirmed) if not set(_NUMBER.findall(match[2])) <= recalled
        ]
        return " ".join(" ".join(found).split())

    def _settled(self) -> list[Conflict]:
        return [conflict for conflict in self._bank.conflicts.values() if conflict.verdict is not None]

    def _common(self, owner: Owner) -> dict[str, Any]:
        return {"user_id": owner.user, "project_id": owner.project, "source_session": self._bank.session_id[:100]}

    def _own_id(self, what: str) -> str:
        """The id of the one record of its kind that a session has."""
        return hashlib.sha256(f"{what} of {self._bank.session_id}".encode()).hexdigest()[:32]


def _kept(done: Iterable[Remembered], *, said: int, closed: bool = False) -> MemoryKept:
    became: dict[str, list[str]] = {"created": [], "updated": [], "conflict": []}
    for one in done:
        became[one.outcome].append((one.against or one.record).id)
    return MemoryKept(
        said=said,
        created=tuple(became["created"]),
        updated=tuple(became["updated"]),
        disputed=tuple(became["conflict"]),
        closed=closed,
    )


def _lesson(conflict: Conflict) -> str:
    return one_line(f"{conflict.description}: {conflict.verdict}. {conflict.reason or ''}")[:LONGEST_TEXT]
