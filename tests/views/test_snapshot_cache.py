"""Any earlier moment equals a replay of the log up to it, whatever was requested before, and is fast to reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import Event
from memory_bank.bank.value import Value
from memory_bank.views.snapshot import Moment
from memory_bank.views.snapshot_cache import Past, copy_of
from tests.bank.story import FULL, Story
from tests.builders import every_event
from tests.large_session import large_session


def fold(events: Sequence[Event]) -> Moment:
    moment = Moment()
    moment.follow(events)
    return moment


def told(value: object) -> object:
    """The whole state of an object, in order, for comparison."""
    if hasattr(value, "__dict__") and not isinstance(value, Value):
        return {name: told(held) for name, held in vars(value).items()}
    if isinstance(value, dict):
        return [(key, told(held)) for key, held in value.items()]
    return value


@pytest.mark.parametrize("events", [every_event(), Story().play(FULL).events], ids=["every event", "full story"])
def test_a_copy_goes_its_own_way(events: list[Event]) -> None:
    for seq in range(len(events) + 1):
        moment = fold(events[:seq])
        before = told(moment)
        copied = copy_of(moment)
        assert told(copied) == before
        copied.follow(events)
        assert told(moment) == before
        assert told(copied) == told(fold(events))


def test_copies_stay_few_and_lie_evenly() -> None:
    events = every_event()
    past = Past(apart=1, most=4)
    past.follow(Moment(), events)
    kept = sorted({len(past._before(seq).events) for seq in range(len(events) + 1)} - {0})
    assert kept == [8, 16, 24, 32]


@pytest.mark.parametrize(
    ("places", "mean"),
    [
        pytest.param([7919 * number % 20_000 for number in range(1, 40)], 750, id="anywhere"),
        pytest.param(range(19_990, 19_000, -4), 100, id="one step back after another"),
        pytest.param(range(100, 20_000, 500), 500, id="forward"),
    ],
)
def test_going_anywhere_in_a_long_session_takes_few_events(
    long_session: tuple[list[Event], Past], places: Sequence[int], mean: int
) -> None:
    events, past = long_session
    past.at(places[0], events)
    with counted() as count:
        for seq in places:
            assert len(past.at(seq, events).events) == seq
    assert count.applied <= mean * len(places)
    assert told(past.at(places[-1], events)) == told(fold(events[: places[-1]]))


@pytest.fixture(scope="module")
def long_session() -> tuple[list[Event], Past]:
    """20,000 events, and what keeps their past."""
    events = large_session()
    past = Past()
    past.follow(Moment(), events)
    return events, past


class Count:
    """Counts the events that are applied to any bank."""

    applied = 0


@contextmanager
def counted() -> Iterator[Count]:
    count, apply = Count(), Bank.apply

    def counting(bank: Bank, event: Event) -> None:
        count.applied += 1
        apply(bank, event)

    with patch.object(Bank, "apply", counting):
        yield count
