from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import EVENT, EdgeCreated, Event, Notice
from memory_bank.bank.usage import Usage
from tests.builders import EVENT_TYPES, every_event, make_called

USAGES = st.builds(
    Usage,
    calls=st.integers(0, 9),
    prompt_tokens=st.integers(0, 10**9),
    completion_tokens=st.integers(0, 10**9),
    cost_usd=st.none() | st.integers(0, 64).map(float),
    seconds=st.integers(0, 10**6).map(float),
)


def test_the_examples_cover_the_closed_set_of_events() -> None:
    assert {type(event) for event in every_event()} == set(EVENT_TYPES)


@pytest.mark.parametrize("event", every_event(), ids=lambda event: event.type)
def test_an_event_is_the_same_after_a_line_of_json(event: Event) -> None:
    line = event.model_dump_json()
    assert EVENT.validate_json(line) == event
    assert EVENT.validate_json(line).model_dump_json() == line


def test_every_type_has_its_own_name() -> None:
    names = [event_type.model_fields["type"].default for event_type in EVENT_TYPES]  # type: ignore[attr-defined]
    assert len(set(names)) == len(names) == len(EVENT_TYPES)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_stays_on_one_line_and_comes_back(text: str) -> None:
    line = Notice(message=text).model_dump_json().encode()
    assert b"\n" not in line
    assert EVENT.validate_json(line) == Notice(message=text)


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "session_deleted"}',
        '{"message": "no type"}',
        '{"type": "notice"}',
        '{"type": "notice", "message": "more than it has", "colour": "red"}',
        '{"type": "notice", "message": "no zone", "at": "2024-05-01T12:00:00"}',
        '{"type": "edge_created", "node_ids": ["n1"]}',
        '{"type": "edge_created", "node_ids": ["n1", "n2", "n3"]}',
        '{"type": "status_changed", "status": "asleep"}',
        "[]",
    ],
)
def test_what_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        EVENT.validate_json(line)


def test_a_number_that_json_cannot_hold_is_refused_before_it_makes_a_log_unreadable() -> None:
    with pytest.raises(ValidationError):
        Usage(seconds=float("nan"))
    with pytest.raises(ValidationError):
        make_called(seconds=float("inf"))


def test_an_event_cannot_be_changed() -> None:
    event = EdgeCreated(node_ids=("n1", "n2"))
    with pytest.raises(ValidationError):
        event.seq = 7  # type: ignore[misc]


def test_every_type_of_event_takes_effect_in_a_bank() -> None:
    bank = Bank.replay(every_event())
    assert [node.id for node in bank.query_graph] == ["n4", "n3"]


@given(USAGES, USAGES)
def test_usage_adds_up_and_an_unknown_price_stays_unknown(a: Usage, b: Usage) -> None:
    total = a + b
    assert (total.calls, total.prompt_tokens) == (a.calls + b.calls, a.prompt_tokens + b.prompt_tokens)
    assert (total.completion_tokens, total.seconds) == (
        a.completion_tokens + b.completion_tokens,
        a.seconds + b.seconds,
    )
    assert (total.cost_usd is None) == (a.cost_usd is None or b.cost_usd is None)
    if a.cost_usd is not None and b.cost_usd is not None:
        assert total.cost_usd == a.cost_usd + b.cost_usd
    assert a + Usage() == a
