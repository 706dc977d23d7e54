"""Long-term memory operations: remember (compared with what is known), recall, correct and forget records."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np

from memory_bank.bank.clock import Clock
from memory_bank.bank.errors import LongTermError, NotKeptError
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, shared_judge
from memory_bank.judgement.statement import Statement
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.record import Episode, Fact, Scope, Turn, disputed, revised, turned_down, without
from memory_bank.long_term.record_type import FACT_TYPES, RECORD_TYPES, RecordType, Verdict
from memory_bank.long_term.store import AnyRecord, EmbeddedRecord, FoundRecord, Store, Vector
from memory_bank.search.embedding import Embedder
from memory_bank.text.iteration import those_fitting
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import TextValue, extract_values, is_among
from memory_bank.text.wording import Wording, one_line

_WORD = re.compile(r"\w+")
_NON_ALPHABETIC = re.compile(r"[\u2e80-\uffff]")


@dataclass(frozen=True, slots=True)
class Remembered:
    """The result of remembering a record: "created", "updated" (`record` is the stored one as it is now) or "conflict".

    With a conflict `record` is the new one, which is stored as a dispute of the stored fact `against` until a person
    decides; `reason` says where they differ.
    """

    outcome: Literal["created", "updated", "conflict"]
    record: AnyRecord
    against: AnyRecord | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What memory has on a query, best first."""

    facts: tuple[FoundRecord, ...]
    episodes: tuple[FoundRecord, ...]


@dataclass(eq=False)
class LongTermMemory:
    """A store with a policy. Every call names its user; after a `LongTermError` the caller goes on without memory.

    `embedder` is called only when a vector is needed: listing and forgetting need none.
    """

    store: Store
    embedder: Callable[[], Embedder]
    policy: Policy = field(default_factory=Policy)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self._count_limit: dict[str, int] = {}  # by user: at most so many records are stored
        self._read_then_write = threading.Lock()  # no change between reading a record and writing it

    # -- writing ---------------------------------------------------------------------------------------------

    def remember(self, record: AnyRecord) -> Remembered:
        """Store a record, unless the user's memory already says the same or has a fact that it contradicts."""
        vector, record = self._vector(record), self._with_expiry(record)
        if isinstance(record, Turn):  # asked again, it is another turn of the conversation
            return Remembered("created", self._add(record, vector))
        with self._read_then_write:
            similar = self._similar(record, vector)
            if same := next((hit for hit in similar if self._is_same(hit, record)), None):
                if _told_by_person(same.record) and not _told_by_person(record):
                    return Remembered("updated", same.record)  # an agent does not overwrite a person's words
                new = revised(same.record, _with_outcome_of(same.record, record))
                if self.store.update(record.user_id, [EmbeddedRecord(new, vector)]):
                    return Remembered("updated", new)
            for hit in similar:
                if reason := self._contradiction(hit, record):
                    return self._dispute(hit, cast("Fact", record), reason)
            return Remembered("created", self._add(record, vector))

    def create(self, record: AnyRecord) -> AnyRecord:
        """Store a record without comparing it with others."""
        return self._add(record, self._vector(record))

    def decide(self, user: str, record_id: str, dispute_id: str, verdict: Verdict) -> Fact | None:
        """Settle a dispute as a person wants; returns the fact afterwards, or None if it or the dispute is gone.

        The rejected content goes into the fact's history: the stored one for "new", the disputing one for "stored".
        With "both" the disputing statement becomes a fact of its own.
        """
        with self._read_then_write:
            fact, now = self.get(user, record_id), self.clock.now()
            disputes = fact.disputes if isinstance(fact, Fact) else ()
            dispute = next((dispute for dispute in disputes if dispute.id == dispute_id), None)
            if not isinstance(fact, Fact) or dispute is None:
                return None
            disputing = dispute.model_dump(include={"content", "context", "source_session", "told_by"})
            if verdict == "stored":
                after = turned_down(fact, dispute, now)
            elif verdict == "new":
                after = cast("Fact", revised(fact, fact.model_copy(update={**disputing, "updated": now})))
            else:
                own = {"id": dispute.id, "created": now, "updated": now, "disputes": (), "history": ()}
                # Stored first, and under the dispute's id: a failure after it neither loses nor doubles it.
                self.create(fact.model_copy(update={**disputing, **own}))
                after = without(fact, dispute)
            return after if self._replace(user, after) else None

    def correct(self, new: AnyRecord, record_id: str) -> AnyRecord | None:
        """Replace a record's content by that of `new`; the old content goes into its history. None if it is gone."""
        old = self.store.get(new.user_id, record_id)
        if old is None:
            return None
        after = revised(old, new.model_copy(update={"project_id": old.project_id}))
        return after if self._replace(new.user_id, after) else None

    def take(self, records: Sequence[AnyRecord], user: str) -> int:
        """Import records as this user's own, and return how many were new; existing ones stay as they are."""
        own = [record.model_copy(update={"user_id": user}) for record in records]
        existing = {record.id for record in self.store.records(Scope(user=user))}
        new = list({record.id: record for record in own if record.id not in existing}.values())
        self._make_room(user, len(new))
        vectors = self.embedder().embed([record.text for record in new])
        self.store.add(user, [EmbeddedRecord(record, vector) for record, vector in zip(new, vectors, strict=True)])
        return len(new)

    # -- reading ---------------------------------------------------------------------------------------------

    def recall(self, scope: Scope, query: str) -> Recalled:
        """What memory has on a query: facts and episodes, searched in parallel, ranked, and cut to the token budget."""
        policy, vector = self.policy, self.embedder().embed([query])[0]
        with ThreadPoolExecutor(2, thread_name_prefix="recall") as threads:
            facts = threads.submit(self.store.search, scope, vector, FACT_TYPES, 3 * policy.facts_k)
            episodes = threads.submit(self.store.search, scope, vector, ("episode",), 3 * policy.episodes_k)
        words = set(tokenize(query))
        relevant = [hit for hit in facts.result() if self._is_relevant(hit, words)]
        alike = [hit for hit in episodes.result() if hit.similarity >= policy.episode_threshold]
        best = self._best(relevant, policy.facts_k), self._best(alike, policy.episodes_k)
        affordable = {
            hit.record.id for hit in those_fitting((*best[0], *best[1]), policy.recalled_tokens, self._tokens)
        }
        self.store.touch(scope.user, sorted(affordable))
        return Recalled(*(tuple(hit for hit in hits if hit.record.id in affordable) for hits in best))

    def search(self, scope: Scope, query: str, types: Sequence[RecordType], k: int) -> list[FoundRecord]:
        """The records most similar to a query, however low the similarity: for a person who looks for a record."""
        vector = self.embedder().embed([query])[0]
        return self._unexpired(self.store.search(scope, vector, types, k))

    def conversation(self, scope: Scope, conversation_id: str) -> list[Turn]:
        """The turns of a conversation, in order."""
        turns = (turn for turn in reversed(self.store.records(scope, ("turn",))) if isinstance(turn, Turn))
        now = self.clock.now()
        return [
            turn for turn in turns if turn.conversation_id == conversation_id and not self.policy.is_over(turn, now)
        ]

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first; expired and unused ones are removed before (see `prune`)."""
        self.prune(scope)
        return self.store.records(scope, types, offset=offset, limit=limit)

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record by id; None where there is none, or it has expired (it is removed then)."""
        record = self.store.get(user, record_id)
        if record is not None and self.policy.is_over(record, self.clock.now()):
            self.store.forget(user, [record_id])
            return None
        return record

    # -- forgetting ------------------------------------------------------------------------------------------

    def forget(self, user: str, record_id: str) -> bool:
        """Remove a record with its vector and history; false if the user has none with that id."""
        return self.store.forget(user, [record_id]) == 1

    def forget_all(self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES) -> int:
        """Remove all records of a scope, or those of the given types, and return how many there were."""
        return self.store.forget_all(scope, types)

    def prune(self, scope: Scope) -> int:
        """Remove records that have expired, and unimportant ones that were not used for long."""
        now = self.clock.now()
        prunable = [
            record.id
            for record in self.store.records(scope)
            if self.policy.is_over(record, now) or self.policy.is_unused(record, now)
        ]
        return self.store.forget(scope.user, prunable)

    def close(self) -> None:
        """Release the store's file or connection."""
        self.store.close()

    # -- helpers ---------------------------------------------------------------------------------------------

    def _vector(self, record: AnyRecord) -> Vector:
        vector: Vector = self.embedder().embed([record.text])[0]
        return vector

    def _tokens(self, hit: FoundRecord) -> int:
        record = hit.record
        text = (record.outcome or record.goal) if isinstance(record, Episode) else record.content
        return self.embedder().count_tokens(text)

    def _replace(self, user: str, record: AnyRecord) -> bool:
        """Write a changed record; false if it was forgotten meanwhile."""
        return bool(self.store.update(user, [EmbeddedRecord(record, self._vector(record))]))

    def _similar(self, record: AnyRecord, vector: Vector) -> list[FoundRecord]:
        """The records most similar to a new one, of its own project; of no project if it has none."""
        k = self.policy.compared_k
        while True:
            hits = self.store.search(record.scope, vector, (record.type,), k)
            similar = [hit for hit in self._unexpired(hits) if hit.record.project_id == record.project_id]
            if len(similar) >= self.policy.compared_k or len(hits) < k or hits[-1].similarity < self.policy.compared:
                return similar[: self.policy.compared_k]
            k *= 4

    def _contradiction(self, hit: FoundRecord, record: AnyRecord) -> str | None:
        compared = hit.similarity >= self.policy.compared
        if not (compared and isinstance(hit.record, Fact) and isinstance(record, Fact)):
            return None
        return contradiction(hit.record, record, shared_judge())

    def _dispute(self, hit: FoundRecord, new: Fact, reason: str) -> Remembered:
        """Store a fact as a dispute of a stored one. `NotKeptError` where that has as many as it may have."""
        stored = cast("Fact", hit.record)
        against = disputed(stored, new, reason)
        if against is None:
            raise NotKeptError(
                Wording(
                    "{number} other statements are disputed against {text}; this one was not kept: decide "
                    "the others first",
                    number=len(stored.disputes),
                    text=f"{one_line(stored.content)[:80]!r}",
                )
            )
        if not self.store.update(new.user_id, [EmbeddedRecord(against, hit.vector)]):  # forgotten meanwhile
            return Remembered("created", self._add(new, self._vector(new)))
        return Remembered("conflict", new, against, reason)

    def _is_same(self, hit: FoundRecord, record: AnyRecord) -> bool:
        """Whether a new record says the same as a stored one."""
        if hit.similarity <= self.policy.same:
            return False
        if values_differ(hit.record.text, record.text) or self._contradiction(hit, record):
            return False
        if _told_by_person(hit.record) and not _told_by_person(record):
            return hit.record.text == record.text
        return may_say_the_same(hit.record.text, record.text)

    def _with_expiry(self, record: AnyRecord) -> AnyRecord:
        """The record with the expiry that the policy sets, if it has none of its own."""
        kept_for = self.policy.kept_for
        if kept_for is None or record.expires is not None:
            return record
        return record.model_copy(update={"expires": record.created + kept_for})

    def _add(self, record: AnyRecord, vector: Vector) -> AnyRecord:
        record = self._with_expiry(record)
        self._make_room(record.user_id, 1)
        self.store.add(record.user_id, [EmbeddedRecord(record, vector)])
        return record

    def _make_room(self, user: str, new: int) -> None:
        """Raise `LongTermError` where a user would exceed the quota, even after pruning.

        Counting is slow in Milvus: it is done once, and again when what this process added reaches the quota.
        """
        scope, quota = Scope(user=user), self.policy.quota
        if user not in self._count_limit or self._count_limit[user] + new > quota:
            self._count_limit[user] = self.store.count(scope)
        if self._count_limit[user] + new > quota:
            self._count_limit[user] -= self.prune(scope)
        if self._count_limit[user] + new > quota:
            raise LongTermError(
                Wording("long-term memory holds {number} records of this user at most; forget some first", number=quota)
            )
        self._count_limit[user] += new

    def _unexpired(self, hits: Iterable[FoundRecord]) -> list[FoundRecord]:
        now = self.clock.now()
        return [hit for hit in hits if not self.policy.is_over(hit.record, now)]

    def _is_relevant(self, hit: FoundRecord, words: set[str]) -> bool:
        """Whether a fact is similar enough to a query, for which less is needed if it has all words of the query."""
        least = self.policy.worded_threshold if words and words <= set(tokenize(hit.record.text)) else 1.0
        return hit.similarity >= min(self.policy.fact_threshold, least)

    def _best(self, hits: Iterable[FoundRecord], k: int) -> list[FoundRecord]:
        """The `k` hits of highest rank, without near duplicates."""
        now = self.clock.now()
        best: list[FoundRecord] = []
        for hit in sorted(self._unexpired(hits), key=lambda hit: (-self.policy.rank(hit, now), hit.record.id)):
            if all(float(np.vecdot(hit.vector, other.vector)) < self.policy.near_duplicate for other in best):
                best.append(hit)
        return best[:k]


def _told_by_person(record: AnyRecord) -> bool:
    return not isinstance(record, Fact) or record.told_by == "person"


def _with_outcome_of(old: AnyRecord, new: AnyRecord) -> AnyRecord:
    """The new record; a repeated task that has no outcome of its own gets the old one's."""
    lacks_outcome = isinstance(old, Episode) and isinstance(new, Episode) and not new.outcome
    return new.model_copy(update={"outcome": old.outcome}) if lacks_outcome else new  # type: ignore[union-attr]


def contradiction(stored: Fact, new: Fact, judge: PairJudge) -> str | None:
    """A description of the contradiction between two facts, in one line; None where there is none or it is unclear.

    If one fact has a context that the other does not mention, they may be about different things: that is unclear.
    """
    stored_words, new_words = set(tokenize(stored.text)), set(tokenize(new.text))
    if not (set(tokenize(stored.context)) <= new_words and set(tokenize(new.context)) <= stored_words):
        return None
    topic = stored.context or new.context
    pair = (Statement(stored.content, topic), Statement(new.content, topic))
    if judge_both_ways([pair], judge)[0] < judge.conflict_between:
        return None
    return f"“{stored.content}” – “{new.content}”"


def values_differ(stored: str, new: str) -> bool:
    """Whether each text has a number, date or name that the other lacks: then they are different facts."""
    left, right = extract_values(stored), extract_values(new)
    return _lacks(left, right) and _lacks(right, left)


def may_say_the_same(stored: str, new: str) -> bool:
    """Whether two texts with similar vectors may say the same.

    Different words may; the same words in another order do not ("tea over coffee"). For Chinese and other scripts with
    many characters, a model that knows too few of them gives many texts one vector: only equal words count as the same.
    """
    left, right = _WORD.findall(stored.casefold()), _WORD.findall(new.casefold())
    if left == right:
        return True
    return sorted(left) != sorted(right) and not _NON_ALPHABETIC.search(stored + new)


def _lacks(values: tuple[TextValue, ...], others: tuple[TextValue, ...]) -> bool:
    return any(not is_among(value, others) for value in values)
