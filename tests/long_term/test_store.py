"""What every store does, whatever is behind it."""

from __future__ import annotations

import threading
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.record_type import FACT_TYPES, RECORD_TYPES
from memory_bank.long_term.store import Store
from tests.long_term.kept import HOSTILE, START, embedded, episode, fact, scope, turn, vector


def test_an_unknown_user_has_nothing(store: Store, user: str) -> None:
    assert store.search(scope(user), vector("kettle"), RECORD_TYPES, 5) == []
    assert store.records(scope(user)) == []
    assert store.get(user, "r1") is None
    assert (store.count(scope(user)), store.forget(user, ["r1"]), store.forget_all(scope(user))) == (0, 0, 0)


def test_a_record_comes_back_as_it_was_kept(store: Store, user: str) -> None:
    records = [
        fact(user, "It is “blue”\x00\n\\ 'and' \"white\" 蓝", context="the kettle", project_id="p", importance=0.9),
        episode(user, "Paint the shed", steps=("sand", "paint"), outcome="done", lessons=("start early",)),
        turn(user, "What colour is it?", done="looked", result="blue"),
    ]
    store.add(user, embedded(*records))
    for record in records:
        assert store.get(user, record.id) == record


def test_search_finds_what_is_most_similar_first_with_its_cosine(store: Store, user: str) -> None:
    near, far = fact(user, "the kettle is blue"), fact(user, "rain falls in spring")
    store.add(user, embedded(far, near))
    hits = store.search(scope(user), vector("the kettle is red"), FACT_TYPES, 5)
    assert [hit.record.id for hit in hits] == [near.id, far.id]
    expected = float(vector("the kettle is red") @ vector("the kettle is blue"))
    assert hits[0].similarity == pytest.approx(expected, abs=1e-5)
    assert np.allclose(hits[0].vector, vector("the kettle is blue"))
    assert len(store.search(scope(user), vector("kettle"), FACT_TYPES, 1)) == 1
    assert store.search(scope(user), vector("kettle"), (), 5) == []


def test_search_list_and_count_stay_inside_a_project_and_a_type(store: Store, user: str) -> None:
    mine, other = fact(user, project_id="p"), fact(user, project_id='p" or 1==1')
    store.add(user, embedded(mine, other, fact(user), episode(user, "The kettle", project_id="p")))
    hits = store.search(scope(user, "p"), vector("kettle"), ("semantic",), 9)
    assert [hit.record.id for hit in hits] == [mine.id]
    assert [record.id for record in store.records(scope(user, "p"), ("semantic",))] == [mine.id]
    assert (store.count(scope(user, "p")), store.count(scope(user))) == (2, 4)
    assert store.count(scope(user, 'p" or 1==1')) == 1
    assert store.count(scope(user, "*")) == 0


def test_a_list_is_newest_first_and_comes_in_pages(store: Store, user: str) -> None:
    records = [fact(user, f"fact {number}", created=START + timedelta(days=number)) for number in range(5)]
    store.add(user, embedded(*records))
    newest = [record.id for record in reversed(records)]
    assert [record.id for record in store.records(scope(user))] == newest
    assert [record.id for record in store.records(scope(user), offset=1, limit=2)] == newest[1:3]
    assert store.records(scope(user), offset=9, limit=2) == []


def test_an_update_replaces_what_is_there_and_brings_nothing_back(store: Store, user: str) -> None:
    kept, gone = fact(user, "the kettle is blue"), fact(user, "the cup is white")
    store.add(user, embedded(kept, gone))
    store.forget(user, [gone.id])
    new = [record.model_copy(update={"content": "rain falls"}) for record in (kept, gone)]
    assert store.update(user, embedded(*new)) == 1
    assert store.records(scope(user)) == [new[0]]
    (hit,) = store.search(scope(user), vector("rain falls"), FACT_TYPES, 5)
    assert hit.similarity == pytest.approx(1.0, abs=1e-5)
    assert store.update(user, []) == 0


def test_an_access_is_counted_once_for_each_record_that_is_there(store: Store, user: str) -> None:
    first, second = fact(user, "one"), fact(user, "two")
    store.add(user, embedded(first, second))
    store.touch(user, [first.id, "nobody's"])
    store.touch(user, [])
    counts = {record.id: record.access_count for record in store.records(scope(user))}
    assert counts == {first.id: 1, second.id: 0}


def test_forgetting_removes_exactly_what_is_named(store: Store, user: str) -> None:
    records = [fact(user, f"fact {number}", project_id="p" if number < 2 else None) for number in range(5)]
    other = f"{user} too"
    same_id = fact(other, "theirs", id=records[4].id)
    store.add(user, embedded(*records))
    store.add(other, embedded(same_id))
    assert store.forget(user, [records[4].id, "' or 1==1", records[4].id]) == 1
    assert store.forget_all(scope(user, "p")) == 2
    assert {record.id for record in store.records(scope(user))} == {records[2].id, records[3].id}
    assert [hit.record.id for hit in store.search(scope(other), vector("fact"), FACT_TYPES, 9)] == [same_id.id]
    assert store.forget_all(scope(user)) == 2
    assert store.search(scope(user), vector("fact"), RECORD_TYPES, 9) == []
    assert store.records(scope(other)) == [same_id]


def test_forgetting_a_scope_may_be_of_some_types_only(store: Store, user: str) -> None:
    kept = fact(user)
    store.add(user, embedded(kept, episode(user, "The kettle")))
    assert store.forget_all(scope(user), ("episode",)) == 1
    assert store.records(scope(user)) == [kept]


def test_what_was_forgotten_can_be_told_again(store: Store, user: str) -> None:
    record = fact(user)
    for _ in range(3):
        store.add(user, embedded(record))
        assert store.count(scope(user)) == 1
        assert store.forget_all(scope(user)) == 1


def test_a_record_of_another_user_is_not_written(store: Store, user: str) -> None:
    with pytest.raises(LongTermError, match="another user"):
        store.add(user, embedded(fact(user), fact("somebody else")))
    with pytest.raises(LongTermError, match="another user"):
        store.update(user, embedded(fact("somebody else")))
    assert store.count(scope(user)) == 0


def test_vectors_of_another_dimension_are_refused_and_nothing_is_written(store: Store, user: str) -> None:
    store.add(user, embedded(fact(user)))
    wrong = embedded(fact(user, "new"))
    object.__setattr__(wrong[0], "vector", np.ones(7, dtype=np.float32))
    for attempt in (lambda: store.add(user, wrong), lambda: store.search(scope(user), np.ones(7), RECORD_TYPES, 3)):
        with pytest.raises(LongTermError, match="EMBEDDING_MODEL"):
            attempt()
    assert store.count(scope(user)) == 1


def test_names_that_look_like_filters_are_names(store: Store) -> None:
    for name in HOSTILE:
        store.add(name, embedded(fact(name, f"kept for {name}", id="same")))
    for name in HOSTILE:
        assert [record.user_id for record in store.records(scope(name))] == [name]
        assert [hit.record.user_id for hit in store.search(scope(name), vector("kept"), FACT_TYPES, 99)] == [name]
        assert store.get(name, "same") == store.records(scope(name))[0]
    assert store.forget_all(scope('ann" or 1==1 or "')) == 1
    assert store.count(scope("ann")) == 1
    assert sum(store.forget_all(scope(name)) for name in HOSTILE) == len(HOSTILE) - 1


@settings(max_examples=30)
@given(text=st.text(max_size=60))
def test_no_id_reaches_a_record_that_is_not_called_so(store: Store, text: str) -> None:
    record = fact("the owner", id="mine")
    store.add("the owner", embedded(record))
    assert store.get("somebody", "mine") is None
    assert store.forget("somebody", ["mine", text]) == 0
    if text != "mine":
        assert store.get("the owner", text) is None
        assert store.forget("the owner", [text]) == 0
    assert store.get("the owner", "mine") == record


def test_threads_that_write_and_read_at_once_lose_nothing(store: Store, user: str) -> None:
    store.add(user, embedded(fact(user, "first")))
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            store.add(user, embedded(fact(user, f"fact {number}")))
            store.search(scope(user), vector("fact"), FACT_TYPES, 3)
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert store.count(scope(user)) == 9
