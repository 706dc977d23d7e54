"""What is done with records beyond a session: remember, recall, correct, forget (specification, section 5)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast

import numpy as np

from memory_bank.clock import Clock, SystemClock
from memory_bank.errors import LongTermError, NotKeptError
from memory_bank.judgement.judge import shared_judge
from memory_bank.long_term.contradiction import contradiction, other_values, told_again
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.record import (
    FACT_TYPES,
    RECORD_TYPES,
    Episode,
    Fact,
    RecordType,
    Scope,
    Turn,
    Verdict,
    disputed,
    revised,
    turned_down,
    without,
)
from memory_bank.long_term.store import AnyRecord, Embedded, Hit, Store, Vector
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.parallel import in_order
from memory_bank.modules.tokens import tokenize
from memory_bank.one_line import one_line


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a record: kept as new, told again (the stored one as it is now), or against a stored fact.

    With a conflict `record` is the new one, which is kept as a dispute of the stored one, `against`, until a person
    decides; `reason` says in what they differ.
    """

    outcome: Literal["created", "updated", "conflict"]
    record: AnyRecord
    against: AnyRecord | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What memory has on a question, best first."""

    facts: tuple[Hit, ...]
    episodes: tuple[Hit, ...]


class LongTermMemory:
    """A store with a policy. Every call names its user; a `LongTermError` means that the work goes on without memory.

    `embedder` is called when a vector is needed: listing and forgetting need none.
    """

    def __init__(
        self,
        store: Store,
        embedder: Callable[[], Embedder],
        *,
        policy: Policy | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._store, self._load = store, embedder
        self._policy, self._clock = policy or Policy(), clock or SystemClock()
        self._at_most: dict[str, int] = {}
        self._deciding = threading.Lock()  # what is stored stays so from the look at it to the write

    # -- writing ---------------------------------------------------------------------------------------------

    def remember(self, record: AnyRecord) -> Remembered:
        """Keep a record, unless its user was told the same before or a stored fact contradicts it."""
        vector, record = self._vector(record), self._dated(record)
        if isinstance(record, Turn):  # one of a row: told again, it is another
            return Remembered("created", self._add(record, vector))
        with self._deciding:
            return self._compared(record, vector)

    def _compared(self, record: AnyRecord, vector: Vector) -> Remembered:
        near = self._near(record, vector)
        if same := next((hit for hit in near if self._is_same(hit, record)), None):
            if _told_by_person(same.record) and not _told_by_person(record):
                return Remembered("updated", same.record)  # an agent does not speak over a person
            new = revised(same.record, _with_outcome_of(same.record, record))
            if self._store.update(record.user_id, [Embedded(new, vector)]):
                return Remembered("updated", new)
        for hit in near:
            if reason := self._against(hit, record):
                return self._dispute(hit, cast("Fact", record), reason)
        return Remembered("created", self._add(record, vector))

    def create(self, record: AnyRecord) -> AnyRecord:
        """Keep a record beside whatever is stored."""
        return self._add(record, self._vector(record))

    def decide(self, user: str, record_id: str, dispute_id: str, verdict: Verdict) -> Fact | None:
        """End a dispute as a person wants it; the fact as it is then, None if it or the dispute is gone.

        What does not hold stays in its history: the stored words with `new`, the others with `stored`. With `both` the
        others become a fact of their own.
        """
        with self._deciding:
            return self._decided(user, record_id, dispute_id, verdict)

    def _decided(self, user: str, record_id: str, dispute_id: str, verdict: Verdict) -> Fact | None:
        fact, now = self.get(user, record_id), self._clock.now()
        disputes = fact.disputes if isinstance(fact, Fact) else ()
        dispute = next((one for one in disputes if one.id == dispute_id), None)
        if not isinstance(fact, Fact) or dispute is None:
            return None
        said = {
            "content": dispute.content,
            "context": dispute.context,
            "source_session": dispute.source_session,
            "told_by": dispute.told_by,
        }
        if verdict == "stored":
            after = turned_down(fact, dispute, now)
        elif verdict == "new":
            after = cast("Fact", revised(fact, fact.model_copy(update={**said, "updated": now})))
        else:
            own = {"id": dispute.id, "created": now, "updated": now, "disputes": (), "history": ()}
            self.create(fact.model_copy(update={**said, **own}))  # first, under one id: it is not lost, nor doubled
            after = without(fact, dispute)
        return after if self._store.update(user, [Embedded(after, self._vector(after))]) else None

    def correct(self, new: AnyRecord, record_id: str) -> AnyRecord | None:
        """Let the record of that id say what `new` says; the old words go into its history. None if it is gone."""
        old = self._store.get(new.user_id, record_id)
        if old is None:
            return None
        after = revised(old, new.model_copy(update={"project_id": old.project_id}))
        return after if self._store.update(new.user_id, [Embedded(after, self._vector(after))]) else None

    def take(self, records: Sequence[AnyRecord], user: str) -> int:
        """Keep records of an export as this user's own, as they are, and say how many; those already there stay."""
        own = [record.model_copy(update={"user_id": user}) for record in records]
        there = {record.id for record in self._store.records(Scope(user=user))}
        new = list({record.id: record for record in own if record.id not in there}.values())
        self._make_room(user, len(new))
        vectors = self._load().embed([record.text for record in new])
        self._store.add(user, [Embedded(record, vector) for record, vector in zip(new, vectors, strict=True)])
        return len(new)

    # -- reading ---------------------------------------------------------------------------------------------

    def recall(self, scope: Scope, query: str) -> Recalled:
        """What memory has on a query: facts and episodes searched side by side, ranked, and cut to the budget."""
        policy, vector = self._policy, self._load().embed([query])[0]
        searches = [
            partial(self._store.search, scope, vector, FACT_TYPES, 3 * policy.facts_k),
            partial(self._store.search, scope, vector, ("episode",), 3 * policy.episodes_k),
        ]
        tried = list(in_order([partial(_tried, search) for search in searches], len(searches), late=lambda _: None))
        facts, episodes = map(_hits, tried)
        words = set(tokenize(query))
        chosen = (
            self._best([hit for hit in facts if self._bears(hit, words)], policy.facts_k),
            self._best([hit for hit in episodes if hit.similarity >= policy.episode_threshold], policy.episodes_k),
        )
        kept = self._within_budget([*chosen[0], *chosen[1]])
        self._store.touch(scope.user, sorted(kept))
        return Recalled(*(tuple(hit for hit in part if hit.record.id in kept) for part in chosen))

    def search(self, scope: Scope, query: str, types: Sequence[RecordType], k: int) -> list[Hit]:
        """What is most similar to a query, whatever the similarity: for a person who looks for a record."""
        vector = self._load().embed([query])[0]
        return self._alive(self._store.search(scope, vector, types, k))

    def conversation(self, scope: Scope, conversation_id: str) -> list[Turn]:
        """The tasks of a conversation, in order."""
        turns = (turn for turn in reversed(self._store.records(scope, ("turn",))) if isinstance(turn, Turn))
        now = self._clock.now()
        return [
            turn for turn in turns if turn.conversation_id == conversation_id and not self._policy.is_over(turn, now)
        ]

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first; those that expired are removed before."""
        self.prune(scope)
        return self._store.records(scope, types, offset=offset, limit=limit)

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record."""
        record = self._store.get(user, record_id)
        if record is not None and self._policy.is_over(record, self._clock.now()):
            self._store.forget(user, [record_id])
            return None
        return record

    # -- forgetting ------------------------------------------------------------------------------------------

    def forget(self, user: str, record_id: str) -> bool:
        """Remove a record with its vector and history; false if the user has none of that id."""
        return self._store.forget(user, [record_id]) == 1

    def forget_all(self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES) -> int:
        """Remove every record of a scope, or those of some types in it, and say how many there were."""
        if set(types) == set(RECORD_TYPES):
            return self._store.forget_all(scope)
        return self._store.forget(scope.user, [record.id for record in self._store.records(scope, types)])

    def prune(self, scope: Scope) -> int:
        """Remove what has expired, and what is of little importance and was not recalled for long."""
        now = self._clock.now()
        over = [
            record.id
            for record in self._store.records(scope)
            if self._policy.is_over(record, now) or self._policy.is_unused(record, now)
        ]
        return self._store.forget(scope.user, over)

    def close(self) -> None:
        """Let go of the store's file or connection."""
        self._store.close()

    # -- parts -----------------------------------------------------------------------------------------------

    def _vector(self, record: AnyRecord) -> Vector:
        vector: Vector = self._load().embed([record.text])[0]
        return vector

    def _near(self, record: AnyRecord, vector: Vector) -> list[Hit]:
        """The records of the same project that are most like a new one, those of no project among themselves."""
        k = self._policy.compared_k
        while True:
            found = self._store.search(record.scope, vector, (record.type,), k)
            near = [hit for hit in self._alive(found) if hit.record.project_id == record.project_id]
            if len(near) >= self._policy.compared_k or len(found) < k or found[-1].similarity < self._policy.compared:
                return near[: self._policy.compared_k]
            k *= 4

    def _against(self, hit: Hit, record: AnyRecord) -> str | None:
        compared = hit.similarity >= self._policy.compared
        if not (compared and isinstance(hit.record, Fact) and isinstance(record, Fact)):
            return None
        return contradiction(hit.record, record, shared_judge())

    def _dispute(self, hit: Hit, new: Fact, reason: str) -> Remembered:
        """Keep a fact as what is said against a stored one. `NotKeptError` where too much is said already."""
        stored = cast("Fact", hit.record)
        against = disputed(stored, new, reason)
        if against is None:
            raise NotKeptError(
                f"{len(stored.disputes)} other statements are disputed against {one_line(stored.content)[:80]!r}; this "
                "one was not kept: decide the others first"
            )
        if not self._store.update(new.user_id, [Embedded(against, hit.vector)]):  # forgotten meanwhile
            return Remembered("created", self._add(new, self._vector(new)))
        return Remembered("conflict", new, against, reason)

    def _is_same(self, hit: Hit, record: AnyRecord) -> bool:
        """Whether a stored record is told again."""
        if hit.similarity <= self._policy.same:
            return False
        if other_values(hit.record.text, record.text) or self._against(hit, record):
            return False
        spoken_over = _told_by_person(hit.record) and not _told_by_person(record)
        return hit.record.text == record.text if spoken_over else told_again(hit.record.text, record.text)

    def _dated(self, record: AnyRecord) -> AnyRecord:
        """The record with the day on which it expires, where the policy sets one and it has none."""
        kept_for = self._policy.kept_for
        if kept_for is None or record.expires is not None:
            return record
        return record.model_copy(update={"expires": record.created + kept_for})

    def _add(self, record: AnyRecord, vector: Vector) -> AnyRecord:
        record = self._dated(record)
        self._make_room(record.user_id, 1)
        self._store.add(record.user_id, [Embedded(record, vector)])
        return record

    def _make_room(self, user: str, new: int) -> None:
        """`LongTermError` where a user has as many records as one may have, even after pruning.

        Counting takes Milvus long: it is done once, and again when what this process added to it reaches the quota.
        """
        scope, quota = Scope(user=user), self._policy.quota
        if user not in self._at_most or self._at_most[user] + new > quota:
            self._at_most[user] = self._store.count(scope)
        if self._at_most[user] + new > quota:
            self._at_most[user] -= self.prune(scope)
        if self._at_most[user] + new > quota:
            raise LongTermError(f"long-term memory holds {quota} records of this user at most; forget some first")
        self._at_most[user] += new

    def _alive(self, hits: Iterable[Hit]) -> list[Hit]:
        now = self._clock.now()
        return [hit for hit in hits if not self._policy.is_over(hit.record, now)]

    def _bears(self, hit: Hit, words: set[str]) -> bool:
        """Whether a fact is similar enough to a query, by its meaning, or a little less with all its telling words."""
        least = self._policy.worded_threshold if words and words <= set(tokenize(hit.record.text)) else 1.0
        return hit.similarity >= min(self._policy.fact_threshold, least)

    def _best(self, hits: Iterable[Hit], k: int) -> list[Hit]:
        """The best, each thing once."""
        now = self._clock.now()
        chosen: list[Hit] = []
        for hit in sorted(self._alive(hits), key=lambda hit: (-self._policy.rank(hit, now), hit.record.id)):
            if all(float(np.vecdot(hit.vector, other.vector)) < self._policy.near_duplicate for other in chosen):
                chosen.append(hit)
        return chosen[:k]

    def _within_budget(self, hits: Sequence[Hit]) -> set[str]:
        """The ids of as many as fit, in order; one that is too long makes room for a shorter one after it."""
        left, kept = self._policy.recalled_tokens, set[str]()
        for hit in hits:
            tokens = self._load().count_tokens(_given_of(hit.record))
            if tokens <= left:
                left -= tokens
                kept.add(hit.record.id)
        return kept


def _tried(search: Callable[[], list[Hit]]) -> list[Hit] | LongTermError:
    """What a search found, or why not: of two that fail side by side one is to be told."""
    try:
        return search()
    except LongTermError as error:
        return error


def _hits(found: list[Hit] | LongTermError) -> list[Hit]:
    if isinstance(found, LongTermError):
        raise found
    return found


def _told_by_person(record: AnyRecord) -> bool:
    return not isinstance(record, Fact) or record.told_by == "person"


def _with_outcome_of(old: AnyRecord, new: AnyRecord) -> AnyRecord:
    """A task done again that found nothing of its own, with what was found before."""
    found_before = isinstance(old, Episode) and isinstance(new, Episode) and not new.outcome
    return new.model_copy(update={"outcome": old.outcome}) if found_before else new  # type: ignore[union-attr]


def _given_of(record: AnyRecord) -> str:
    """What of a record goes among the facts that a session is given: of a task what it came to."""
    return (record.outcome or record.goal) if isinstance(record, Episode) else record.content
