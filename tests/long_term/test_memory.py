"""What is kept, told again, contradicted, recalled and forgotten, by the defaults of the specification."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.record import MOST_DISPUTES, Fact
from memory_bank.long_term.record_type import Verdict
from memory_bank.long_term.store import AnyRecord, FoundRecord
from tests.long_term.in_memory import InMemoryStore
from tests.long_term.kept import EMBEDDER, START, episode, fact, scope, turn
from tests.step_clock import StepClock

TEN = "The budget for the Hawaii trip is $10,000."
TWELVE = "The budget for the Hawaii trip is $12,000."


class Clock(StepClock):
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        super().__init__(START, step=0.0)

    def pass_days(self, days: float) -> None:
        self.sleep(days * 86_400)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def memory(clock: Clock, **policy: Any) -> LongTermMemory:
    return LongTermMemory(InMemoryStore("hash"), lambda: EMBEDDER, policy=Policy(**policy), clock=clock)


def contents(kept: LongTermMemory, user: str = "ann") -> list[str]:
    return sorted(record.content for record in kept.records(scope(user)))


def test_the_defaults_are_those_of_the_specification() -> None:
    policy = Policy()
    assert (policy.facts_k, policy.fact_threshold, policy.episodes_k, policy.same) == (5, 0.6, 3, 0.9)


# -- told again, contradicted --------------------------------------------------------------------------------


def test_a_fact_that_is_told_again_updates_and_the_old_words_stay_in_its_history(clock: Clock) -> None:
    kept = memory(clock)
    first = kept.remember(fact("ann", "The old kettle in the kitchen is blue and big and loud", source_session="s1"))
    later = START + timedelta(days=1)
    words = "The old kettle in the kitchen is blue and big and quite loud"
    again = kept.remember(fact("ann", words, created=later, updated=later, importance=0.8))
    assert (first.outcome, again.outcome) == ("created", "updated")
    (record,) = kept.records(scope("ann"))
    assert (record.id, record.created, record.updated) == (first.record.id, START, later)
    assert (record.content, record.importance) == (words, 0.8)
    assert [(change.content, change.until, change.source_session) for change in record.history] == [
        (first.record.content, later, "s1")
    ]


def test_the_same_words_again_add_nothing_to_the_history(clock: Clock) -> None:
    kept = memory(clock)
    assert [kept.remember(fact("ann")).outcome for _ in range(3)] == ["created", "updated", "updated"]
    (record,) = kept.records(scope("ann"))
    assert record.history == ()


def test_the_history_is_bounded_and_keeps_the_newest(clock: Clock) -> None:
    kept = memory(clock)
    record = kept.create(fact("ann", "value 0"))
    for number in range(1, 30):
        kept.correct(fact("ann", f"value {number}"), record.id)
    (record,) = kept.records(scope("ann"))
    assert record.content == "value 29"
    assert [change.content for change in record.history][-1] == "value 28"
    assert len(record.history) == 8


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        (fact("ann", TEN), fact("ann", TWELVE)),
        (
            fact("ann", "budget is $10,000", context="Hawaii trip"),
            fact("ann", "budget is $12,000", context="Hawaii trip"),
        ),
        (fact("ann", "Ann is allergic to peanuts."), fact("ann", "Ann is not allergic to peanuts.")),
    ],
)
def test_a_contradicting_fact_is_a_conflict_with_both_sides_and_nothing_is_overwritten(
    clock: Clock, stored: Fact, new: Fact
) -> None:
    kept = memory(clock)
    kept.remember(stored)
    done = kept.remember(new)
    (against,) = kept.records(scope("ann"))
    assert (done.outcome, done.record, done.against) == ("conflict", new, against)
    assert done.reason
    assert isinstance(against, Fact)
    (dispute,) = against.disputes
    assert (dispute.content, dispute.context, dispute.reason) == (new.content, new.context, done.reason)
    assert against.model_copy(update={"disputes": ()}) == stored
    assert kept.remember(new).against == against, "told again, it is one dispute"


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        (
            fact("ann", "budget is $10,000", context="Hawaii trip"),
            fact("ann", "budget is $12,000", context="Italy trip"),
        ),
        (fact("ann", TEN), fact("ann", TWELVE, project_id="p")),
        (fact("ann", TEN), fact("bob", TWELVE)),
        (fact("ann", TEN), fact("ann", TWELVE, type="procedural")),
    ],
    ids=["context", "project", "user", "type"],
)
def test_facts_that_are_not_about_the_same_are_both_kept(clock: Clock, stored: Fact, new: Fact) -> None:
    kept = memory(clock)
    assert [kept.remember(record).outcome for record in (stored, new)] == ["created", "created"]


def test_facts_that_are_alike_but_for_a_value_are_both_kept_where_nothing_can_be_told(clock: Clock) -> None:
    kept = memory(clock, same=0.3)
    told = [kept.remember(fact("ann", f"I was born in {year}.")) for year in (1980, 1981, 1981)]
    assert [done.outcome for done in told] == ["created", "created", "updated"]
    assert contents(kept) == ["I was born in 1980.", "I was born in 1981."]


@pytest.mark.parametrize(
    ("verdict", "left", "history"),
    [("stored", [TEN], [TWELVE]), ("new", [TWELVE], [TEN]), ("both", [TEN, TWELVE], [])],
)
def test_a_person_ends_a_dispute_for_one_side_or_for_both(
    clock: Clock, verdict: Verdict, left: list[str], history: list[str]
) -> None:
    kept = memory(clock)
    stored = kept.remember(fact("ann", TEN)).record
    against = kept.remember(fact("ann", TWELVE)).against
    assert isinstance(against, Fact)
    dispute = against.disputes[0].id
    assert kept.decide("bob", stored.id, dispute, verdict) is None
    assert kept.decide("ann", stored.id, "another", verdict) is None
    decided = kept.decide("ann", stored.id, dispute, verdict)
    assert decided is not None
    assert (decided.id, decided.disputes) == (stored.id, ())
    assert [change.content for change in decided.history] == history
    assert sorted(contents(kept)) == sorted(left)
    told = [kept.remember(fact("ann", content)).outcome for content in left]
    assert told == ["updated"] * len(left), "what holds is known, each of it"


def test_too_much_said_against_a_fact_is_refused_and_what_is_there_is_kept(clock: Clock) -> None:
    kept = memory(clock)
    kept.remember(fact("ann", TEN))
    for number in range(MOST_DISPUTES):
        kept.remember(fact("ann", TEN.replace("10", str(20 + number))))
    with pytest.raises(LongTermError, match="decide the others first"):
        kept.remember(fact("ann", TWELVE))
    (stored,) = kept.records(scope("ann"))
    assert isinstance(stored, Fact)
    assert len(stored.disputes) == MOST_DISPUTES


def test_a_person_corrects_a_record_and_the_old_words_stay_in_its_history(clock: Clock) -> None:
    kept = memory(clock)
    stored = kept.remember(fact("ann", TEN)).record
    corrected = kept.correct(fact("ann", TWELVE), stored.id)
    assert corrected is not None
    assert (corrected.id, corrected.content) == (stored.id, TWELVE)
    assert [change.content for change in corrected.history] == [TEN]
    assert kept.correct(fact("bob", "mine now"), stored.id) is None
    assert contents(kept) == [TWELVE]


def test_each_turn_of_a_conversation_is_kept_and_they_come_in_order(clock: Clock) -> None:
    kept = memory(clock)
    for number in range(3):
        kept.remember(turn("ann", "Same question?", result=str(number), created=START + timedelta(minutes=number)))
    kept.remember(turn("ann", "Same question?", conversation_id="c2"))
    assert [each.result for each in kept.conversation(scope("ann"), "c1")] == ["0", "1", "2"]


# -- recall --------------------------------------------------------------------------------------------------


def test_recall_brings_facts_and_episodes_that_are_similar_enough_and_counts_the_access(clock: Clock) -> None:
    kept = memory(clock)
    kettle = kept.remember(fact("ann", "the kettle is blue")).record
    kept.remember(fact("ann", "rain falls in spring"))
    goal = kept.remember(episode("ann", "find the blue kettle")).record
    kept.remember(fact("bob", "the kettle is blue"))
    found = kept.recall(scope("ann"), "is the kettle blue")
    assert [hit.record.id for hit in found.facts] == [kettle.id]
    assert [hit.record.id for hit in found.episodes] == [goal.id]
    counts = {record.id: record.access_count for record in kept.records(scope("ann"))}
    assert sorted(counts.values()) == [0, 1, 1]
    assert kept.recall(scope("carl"), "is the kettle blue") == type(found)((), ())


def test_recall_takes_at_most_k_and_each_thing_once(clock: Clock) -> None:
    kept = memory(clock)
    for number in range(9):
        kept.create(fact("ann", f"the kettle is blue {'and big ' * number}".strip()))
        kept.create(fact("ann", "the kettle is blue"))
        kept.create(episode("ann", f"find the kettle {'and the cup ' * number}".strip()))
    found = kept.recall(scope("ann"), "the kettle is blue find the kettle")
    assert len(found.facts) <= 5
    assert len(found.episodes) == 3
    texts = [hit.record.content for hit in found.facts]
    assert len(texts) == len(set(texts))
    vectors = EMBEDDER.embed(texts)
    assert np.max(vectors @ vectors.T - np.eye(len(texts))) < Policy().near_duplicate


def test_of_two_facts_that_are_as_similar_the_younger_comes_first(clock: Clock) -> None:
    kept = memory(clock)
    old = kept.create(fact("ann", "blue kettle stands outside"))
    clock.pass_days(400)
    now = clock.now()
    new = kept.create(fact("ann", "blue kettle stands upstairs", created=now, updated=now))
    found = kept.recall(scope("ann"), "blue kettle stands")
    assert [hit.record.id for hit in found.facts] == [new.id, old.id]


def test_what_is_recalled_keeps_to_its_tokens(clock: Clock) -> None:
    kept = memory(clock, recalled_tokens=12)
    long = kept.create(fact("ann", "the kettle is blue and the kettle is big and the kettle is loud"))
    short = kept.create(fact("ann", "the kettle is blue"))
    found = kept.recall(scope("ann"), "the kettle is blue and big and loud")
    assert [hit.record.id for hit in found.facts] == [short.id]
    assert {record.id: record.access_count for record in kept.records(scope("ann"))} == {long.id: 0, short.id: 1}


# -- how long, how much --------------------------------------------------------------------------------------


def test_a_record_that_expired_is_found_nowhere_and_is_removed(clock: Clock) -> None:
    kept = memory(clock, kept_for=timedelta(days=30))
    record = kept.remember(fact("ann", "the kettle is blue")).record
    assert record.expires == START + timedelta(days=30)
    clock.pass_days(29)
    assert kept.recall(scope("ann"), "the kettle is blue").facts
    clock.pass_days(1)
    assert kept.recall(scope("ann"), "the kettle is blue").facts == ()
    assert kept.search(scope("ann"), "kettle", ("semantic",), 5) == []
    assert kept.get("ann", record.id) is None
    assert kept.remember(fact("ann", "the kettle is blue", created=clock.now())).outcome == "created"
    assert len(kept.records(scope("ann"))) == 1


def test_pruning_removes_what_is_unimportant_and_was_never_recalled_for_long(clock: Clock) -> None:
    kept = memory(clock)
    minor = kept.create(fact("ann", "minor thing", importance=0.1))
    used = kept.create(fact("ann", "the kettle is blue", importance=0.1))
    major = kept.create(fact("ann", "major matter", importance=0.9))
    kept.recall(scope("ann"), "the kettle is blue")
    clock.pass_days(89)
    assert kept.prune(scope("ann")) == 0
    clock.pass_days(1)
    assert kept.prune(scope("ann")) == 1
    assert {record.id for record in kept.records(scope("ann"))} == {used.id, major.id} != {minor.id}


def test_a_user_has_a_quota_which_pruning_may_make_room_in(clock: Clock) -> None:
    kept = memory(clock, quota=2)
    kept.create(fact("ann", "minor thing", importance=0.1))
    kept.create(fact("ann", "major matter"))
    with pytest.raises(LongTermError, match="forget some"):
        kept.create(fact("ann", "one more"))
    kept.create(fact("bob", "another user's"))
    with pytest.raises(LongTermError, match="2 records"):
        kept.take([fact("ann", "x")], "ann")
    clock.pass_days(90)
    kept.create(fact("ann", "one more", updated=clock.now()))
    assert contents(kept) == ["major matter", "one more"]


def test_forgetting_a_scope_may_be_of_some_types_only(clock: Clock) -> None:
    kept = memory(clock)
    for user in ("ann", "bob"):
        kept.create(fact(user, "the kettle is blue", project_id="p"))
        kept.create(fact(user, "press the lid", type="procedural"))
        kept.create(episode(user, "find the kettle", project_id="p"))
    assert kept.forget_all(scope("ann"), ("procedural",)) == 1
    assert kept.forget_all(scope("ann", "p"), ("episode",)) == 1
    assert kept.forget_all(scope("ann", "p")) == 1
    assert (contents(kept), len(contents(kept, "bob"))) == ([], 3)


def test_an_import_is_the_user_s_own_and_leaves_alone_what_is_there(clock: Clock) -> None:
    kept = memory(clock)
    theirs = fact("ann", "the kettle is blue", id="r1")
    assert kept.take([theirs, theirs, fact("ann", "rain", id="r2")], "bob") == 2
    kept.correct(fact("bob", "corrected"), "r1")
    assert kept.take([theirs], "bob") == 0
    assert contents(kept, "bob") == ["corrected", "rain"]
    assert contents(kept) == []
    assert kept.recall(scope("bob"), "rain").facts


def test_a_day_that_no_calendar_has_is_refused() -> None:
    for day in ("9999-12-31T23:59:00-12:00", "0001-01-01T00:00:00+14:00"):
        with pytest.raises(ValidationError, match="no day of the calendar"):
            Fact.model_validate_json(
                fact("ann").model_copy(update={}).model_dump_json().replace("2024-01-01T00:00:00Z", day)
            )


# -- by two at once


class SlowStore(InMemoryStore):
    """A store in which two that look at the same time both see what was there before."""

    def __init__(self) -> None:
        super().__init__("hash")
        self.both = threading.Barrier(2)

    def look(self) -> None:
        with suppress(threading.BrokenBarrierError):  # nobody else looks: one waits for the other, as it should
            self.both.wait(0.3)

    def search(self, *given: Any) -> list[FoundRecord]:
        found = super().search(*given)
        self.look()
        return found

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        found = super().get(user, record_id)
        self.look()
        return found


def twice(work: Callable[[], object]) -> list[Any]:
    with ThreadPoolExecutor(2) as threads:
        return [each.result() for each in [threads.submit(work) for _ in range(2)]]


def test_what_is_told_twice_at_once_is_kept_once(clock: Clock) -> None:
    kept = LongTermMemory(SlowStore(), lambda: EMBEDDER, clock=clock)
    done = twice(lambda: kept.remember(fact("ann", TEN)))
    assert sorted(each.outcome for each in done) == ["created", "updated"]
    assert contents(kept) == [TEN]


def test_a_dispute_that_is_decided_twice_at_once_is_decided_once(clock: Clock) -> None:
    store = SlowStore()
    store.both.abort()
    kept = LongTermMemory(store, lambda: EMBEDDER, clock=clock)
    kept.remember(fact("ann", TEN))
    against = kept.remember(fact("ann", TWELVE)).against
    assert isinstance(against, Fact)
    store.both.reset()
    done = twice(lambda: kept.decide("ann", against.id, against.disputes[0].id, "new"))
    assert sum(each is None for each in done) == 1
