"""The comparison of two moments of a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.events import (
    AnswerGiven,
    EdgeCreated,
    EntryRecorded,
    Event,
    MergeReverted,
    NodesMerged,
    NodeUpdated,
    PlanUpdated,
)
from memory_bank.views.changes import Changes, compare_moments
from memory_bank.views.snapshot import Moment
from tests.bank.story import FULL, MOVES, Move, Story
from tests.builders import every_event, make_answer, make_task

EVENTS = every_event()
NOTHING = Changes((), {}, (), (), (), 0, 0, (), (), (), answer_changed=False)


def fold(events: list[Event]) -> Moment:
    moment = Moment()
    moment.follow(events)
    return moment


def before(kind: type, number: int = 1) -> int:
    """How many events come before the n-th event of this kind."""
    places = [place for place, event in enumerate(EVENTS) if isinstance(event, kind)]
    return places[number - 1]


def between(earlier: int, later: int) -> Changes:
    return compare_moments(fold(EVENTS[:earlier]), fold(EVENTS[:later]))


MERGED, MERGED_AGAIN = before(NodesMerged), before(NodesMerged, 2)
TAKEN_BACK, END = before(MergeReverted), len(EVENTS)


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        pytest.param(0, END, {"added": ("n4", "n3"), "merged": {}}, id="everything is added since the beginning"),
        pytest.param(MERGED, MERGED + 1, {"merged": {"n1": "n3", "n2": "n3"}, "added": ("n3",)}, id="a merge"),
        pytest.param(
            MERGED, MERGED_AGAIN + 1, {"merged": dict.fromkeys(["n1", "n2", "n4"], "n5")}, id="merge of merge"
        ),
        pytest.param(MERGED, END, {"merged": {"n1": "n3", "n2": "n3"}}, id="a merge that is left of two"),
        pytest.param(TAKEN_BACK, END, {"separated": ("n4", "n3"), "dissolved": ("n5",), "added": ()}, id="taken back"),
        pytest.param(MERGED_AGAIN, END, {"separated": (), "dissolved": (), "added": ()}, id="merged and taken back"),
        pytest.param(MERGED, MERGED + 1, {"changed": ("n4",)}, id="the neighbour of a merge describes itself anew"),
        pytest.param(before(NodeUpdated), before(NodeUpdated) + 1, {"changed": ("n2",)}, id="a description"),
        pytest.param(before(EntryRecorded), before(EntryRecorded) + 1, {"changed": ("n3",)}, id="a record more"),
        pytest.param(before(EdgeCreated), before(EdgeCreated) + 1, {"edges_added": 1, "changed": ()}, id="an edge"),
        pytest.param(MERGED, MERGED + 1, {"edges_added": 0, "edges_removed": 0}, id="inherited edges are not new"),
        pytest.param(0, MERGED + 1, {"conflicts_opened": ("x1",), "conflicts_settled": ("x1",)}, id="both in between"),
        pytest.param(TAKEN_BACK, TAKEN_BACK + 2, {"conflicts_opened": ("x2",), "conflicts_settled": ()}, id="reopened"),
        pytest.param(TAKEN_BACK, END, {"conflicts_settled": ("x2",), "conflicts_opened": ()}, id="settled otherwise"),
        pytest.param(before(PlanUpdated, 2), END, {"tasks": (make_task(),), "answer_changed": True}, id="a task"),
    ],
)
def test_what_is_different(earlier: int, later: int, expected: dict[str, object]) -> None:
    found = between(earlier, later)
    assert {name: getattr(found, name) for name in expected} == expected


def test_an_answer_replaced_is_another() -> None:
    answered = before(AnswerGiven) + 1
    again = AnswerGiven(answer=make_answer().model_copy(update={"text": "1971"}))
    assert compare_moments(fold(EVENTS[:answered]), fold([*EVENTS[:answered], again])).answer_changed


@given(MOVES, st.floats(0, 1), st.floats(0, 1))
def test_every_node_is_accounted_for_once(story: list[Move], one: float, other: float) -> None:
    events = Story().play(story).events
    low, high = sorted(round(place * len(events)) for place in (one, other))
    earlier, later = fold(events[:low]), fold(events[:high])
    found = compare_moments(earlier, later)
    then = {node.id for node in earlier.bank.query_graph}
    now = {node.id for node in later.bank.query_graph}
    come, gone = [*found.added, *found.separated], [*found.merged, *found.dissolved]
    assert len(set(come)) == len(come)
    assert (then - set(gone)) | set(come) == now
    assert set(gone) <= then
    assert set(found.merged.values()) <= now
    assert set(found.changed) <= then & now


@given(MOVES)
def test_a_moment_does_not_differ_from_itself(story: list[Move]) -> None:
    events = Story().play(story).events
    assert compare_moments(fold(events), fold(events)) == NOTHING


def test_an_untouched_node_is_not_named() -> None:
    events = Story().play(FULL).events
    earlier, later = fold(events[:10]), fold(events)
    for node_id in compare_moments(earlier, later).changed:
        was, now = (moment.bank.query_graph[node_id] for moment in (earlier, later))
        records = [len(moment.bank.trees.entries(node_id)) for moment in (earlier, later)]
        assert was != now or records[0] != records[1]
