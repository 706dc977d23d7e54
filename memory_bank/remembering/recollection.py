"""What a session is given of earlier ones: facts, tasks like its own, and the conversation so far (section 5).

Facts, and what earlier tasks came to, enter the session's memory as anything else does: they can be cited, and
contradicted by a document. The log has the ids of the records; what was forgotten is not given again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_bank.agents.agent import Engine, language_of
from memory_bank.agents.remember import REMEMBER, REMEMBER_QUERY, PastTask, Query, QueryGiven, QueryMode
from memory_bank.engines.offline.following.question import with_context
from memory_bank.errors import AgentError, BudgetError, LongTermError
from memory_bank.events import Event, MemoryRecalled
from memory_bank.long_term.memory import Recalled
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.prefilter import skipped
from memory_bank.long_term.record import Episode, Fact, Teller, Turn
from memory_bank.long_term.store import AnyRecord
from memory_bank.pipeline import Events, Material, Pipeline
from memory_bank.remembering.continuity import AWAY, Continuity

UNIT = "m"
"""Before the number of what was recalled, in the names of its texts."""
_SIGNS = "\u3000"
"""From here on letters are signs: a sentence of them ends with one too."""


@dataclass(frozen=True)
class Given:
    """The records that a session was given: `turns` are the tasks before it in the conversation, oldest first."""

    facts: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    turns: tuple[Turn, ...] = ()

    @property
    def conversation(self) -> tuple[PastTask, ...]:
        """What was asked before, and what was found."""
        return tuple(PastTask(asked=turn.asked, found=turn.result) for turn in self.turns)


class Recollection:
    """Looks for what bears on a session's task, once, and takes it in."""

    def __init__(self, continuity: Continuity, pipeline: Pipeline, embedded: Engine, mode: QueryMode) -> None:
        """`mode` is how the query is built; `embedded` builds it where a model could not."""
        self._continuity, self._pipeline = continuity, pipeline
        self._recorder, self._bank = continuity.recorder, continuity.recorder.bank
        self._embedded, self._mode = embedded, mode
        self._given: Given | None = None
        self._taken_in = False

    @property
    def given(self) -> Given:
        """What the session was given; nothing before it was, or where memory is off."""
        return self._given or Given()

    @property
    def node_ids(self) -> list[str]:
        """The nodes that stand for what was recalled, as they live now."""
        return [self._bank.living(node_id) for unit, node_id in self._bank.units.items() if unit.startswith(UNIT)]

    def begin(self) -> Events:
        """Look, unless an earlier run did, and take in what is not in memory yet."""
        owner = self._continuity.owner
        if owner is None or self._taken_in:
            return
        if self._given is None:
            yield from self._look(owner)
        recalled = self._bank.recalled or MemoryRecalled()
        self._continuity.known += [text for text in _known(self.given) if text not in self._continuity.known]
        for material in _recalled(self.given, recalled):
            yield from self._pipeline.remember(material)
        self._taken_in = True  # a run that was paused before goes on with the rest

    def _look(self, owner: Owner) -> Events:
        """Look for what bears on the task, or for what an earlier run found."""
        try:
            if self._bank.recalled is None:
                yield from self._recall(owner)
            else:
                self._given = self._again(owner, self._bank.recalled)
        except LongTermError as error:
            yield from self._continuity.tell(error)
            if self._bank.recalled is None:
                yield self._recorder.record(MemoryRecalled(skipped=AWAY))
            self._given = Given()

    def _recall(self, owner: Owner) -> Events:
        memory, task = self._continuity.memory, self._bank.insight_doc.task_goal
        turns = tuple(memory.conversation(owner.scope, owner.conversation_id))
        why, found = skipped(task), Recalled((), ())
        if why is None:
            query = yield from self._query(task, Given(turns=turns).conversation)
            found = memory.recall(owner.scope, query)
        given = Given(
            tuple(hit.record for hit in found.facts if isinstance(hit.record, Fact)),
            tuple(hit.record for hit in found.episodes if isinstance(hit.record, Episode)),
            turns,
        )
        event = self._recorder.record(
            MemoryRecalled(
                skipped=why or "",
                fact_ids=_ids(given.facts),
                episode_ids=_ids(given.episodes),
                turn_ids=_ids(turns),
            )
        )
        self._given = given  # now that the log has it: a run that could not write looks again
        yield event

    def _query(self, task: str, conversation: Sequence[PastTask]) -> Generator[Event, None, str]:
        """What is looked for; of a question that does not stand alone with what was asked before."""
        if self._mode == "context" or (self._mode == "rewrite" and not conversation):
            return with_context(task, conversation)
        given = QueryGiven(question=task, conversation=tuple(conversation), mode=self._mode)
        try:
            query: Query = yield from self._recorder.judge(REMEMBER_QUERY, f"{REMEMBER}/query", given)
        except (AgentError, BudgetError):  # recorded; no start may fail because of it
            query = self._embedded.judge(REMEMBER_QUERY, given, language_of(task)).output
        return query.text

    def _again(self, owner: Owner, recalled: MemoryRecalled) -> Given:
        """What an earlier run was given, without what was forgotten since."""
        memory = self._continuity.memory

        def there(ids: Iterable[str]) -> list[AnyRecord]:
            found = (memory.get(owner.user, record_id) for record_id in ids)
            return [record for record in found if record is not None]

        return Given(
            tuple(record for record in there(recalled.fact_ids) if isinstance(record, Fact)),
            tuple(record for record in there(recalled.episode_ids) if isinstance(record, Episode)),
            tuple(record for record in there(recalled.turn_ids) if isinstance(record, Turn)),
        )


def _recalled(given: Given, recalled: MemoryRecalled) -> Iterator[Material]:
    """Facts, what is said against them, and what earlier tasks came to, each as a source of its own.

    They are numbered as the log has them, and disputes go by their ids: what was forgotten or decided since leaves the
    others their names.
    """
    numbers = {found: number for number, found in enumerate((*recalled.fact_ids, *recalled.episode_ids), start=1)}
    for fact in given.facts:
        unit = f"{UNIT}{numbers[fact.id]}"
        yield _material(unit, fact, _told(fact.told_by, fact.updated), fact.content, fact.context)
        for dispute in fact.disputes:
            told = _told(dispute.told_by, dispute.said)
            yield _material(f"{unit}-{dispute.id[:8]}", fact, told, dispute.content, dispute.context)
    for episode in given.episodes:
        if episode.outcome:
            found = f"found on {episode.updated:%Y-%m-%d}"
            yield _material(f"{UNIT}{numbers[episode.id]}", episode, found, episode.outcome)


def _told(by: Teller, at: datetime) -> str:
    return f"{'kept by an agent' if by == 'agent' else 'told'} on {at:%Y-%m-%d}"


def _known(given: Given) -> list[str]:
    """What was recalled, each with what it holds of: nothing of it is told anew by being repeated."""
    facts = [text for fact in given.facts for text in (fact.text, *(dispute.text for dispute in fact.disputes))]
    return [*facts, *(episode.outcome for episode in given.episodes if episode.outcome)]


def _material(unit: str, record: AnyRecord, how: str, text: str, topic: str = "") -> Material:
    source = f"long-term memory, {how} ({unit.removeprefix(UNIT)})"
    return Material(unit=unit, text=_ended(text), source=source, title=topic or None, metadata={"record_id": record.id})


def _ended(text: str) -> str:
    """A text that ends as a sentence does: one that does not is taken for a heading."""
    last = text.rstrip()[-1:]
    return text if not last.isalnum() else f"{text.rstrip()}{'。' if last >= _SIGNS else '.'}"


def _ids(records: Iterable[AnyRecord]) -> tuple[str, ...]:
    return tuple(record.id for record in records)
