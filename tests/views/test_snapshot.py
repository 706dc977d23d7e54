"""A moment is the state after the log so far, however the log was split into reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import (
    AgentFailed,
    EngineChoice,
    Event,
    MergeReverted,
    NodeCreated,
    NodesMerged,
    PlanUpdated,
    SourceAdded,
    SourceRead,
    SourceRefused,
    StatusChanged,
    TextStreamed,
    TurnTaken,
)
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.usage import ModelCall, Usage
from memory_bank.storage.transfer import export_layers
from memory_bank.text.wording import Wording
from memory_bank.views.i18n import translator
from memory_bank.views.snapshot import Moment, is_detail
from tests.builders import at, every_event, make_called, make_created, make_entry, make_node, make_source

EVENTS = every_event()


@given(st.lists(st.integers(0, len(EVENTS)), max_size=5))
def test_following_in_pieces_is_following_at_once(cuts: list[int]) -> None:
    moment = Moment()
    for cut in [*sorted(cuts), len(EVENTS)]:
        moment.follow(EVENTS[:cut])
    assert moment.events == EVENTS
    assert export_layers(moment.bank) == export_layers(Bank.replay(EVENTS))


def test_following_again_changes_nothing() -> None:
    moment = Moment()
    moment.follow(EVENTS)
    moment.follow(EVENTS)
    assert moment.events == EVENTS


def test_a_merged_node_is_new_in_its_step_and_knows_what_it_was_made_of() -> None:
    moment = Moment()
    until = next(number for number, event in enumerate(EVENTS, start=1) if isinstance(event, NodesMerged))
    moment.follow(EVENTS[:until])
    assert moment.new_nodes == {"n3"}
    assert moment.made_of == {"n3": ("n1", "n2")}
    assert moment.used_nodes == {"n1", "n2"}


def test_nodes_that_live_again_are_new_in_their_step() -> None:
    moment = Moment()
    until = next(number for number, event in enumerate(EVENTS, start=1) if isinstance(event, MergeReverted))
    moment.follow(EVENTS[: until - 1])
    assert (moment.new_nodes, moment.made_of["n5"]) == ({"n5"}, ("n4", "n3"))
    moment.follow(EVENTS[:until])
    assert moment.new_nodes == {"n4", "n3"}
    assert moment.made_of == {"n3": ("n1", "n2")}


def test_the_next_plan_makes_nothing_new() -> None:
    moment = Moment()
    last = max(number for number, event in enumerate(EVENTS, start=1) if isinstance(event, PlanUpdated))
    moment.follow(EVENTS[:last])
    assert moment.new_nodes == set()
    assert moment.used_nodes == set()


def test_progress_counts_topics_of_each_document() -> None:
    moment = Moment()
    moment.follow(EVENTS[:11])  # two of three topics are known, one is in memory
    first, second = moment.progress()
    assert (first.state, first.done, first.known) == ("in memory", 1, 2)
    assert 0 <= first.share <= 1
    assert (second.state, second.refused) == ("refused", "it is an image")


def test_why_a_document_was_refused_can_be_said_in_the_visitors_language() -> None:
    refused = SourceRefused(source_id="s1", reason=Wording("it has no pages"))
    moment = Moment()
    moment.follow([*EVENTS[:1], SourceAdded(source=make_source()), refused])
    (source,) = moment.progress()
    assert source.refused == "it has no pages"
    assert translator("zh").recorded(source.refused) == translator("zh").say("it has no pages") != source.refused


def test_the_share_of_a_document_is_that_of_its_text_however_few_of_its_topics_are_known() -> None:
    read = SourceRead(source_id="s1", title=None, media_type="text/plain", characters=100, pages=0)
    metadata = {"source_id": "s1", "start": 30}
    entry = make_entry(text="x" * 20).model_copy(update={"metadata": metadata})
    created = NodeCreated(node=make_node(), entry=entry, unit="s1.1.1")
    moment = Moment()
    moment.follow([*EVENTS[:1], SourceAdded(source=make_source()), read, created])
    assert [source.share for source in moment.progress()] == [0.5]


def test_time_counts_only_while_at_work() -> None:
    moment = Moment()
    assert moment.timeline.seconds() == 0
    begun = EVENTS[0]
    statuses = [(0, "running"), (10, "paused"), (70, "running"), (75, "finished")]
    changes = [StatusChanged.model_validate({"status": status, "at": at(second)}) for second, status in statuses]
    moment.follow([begun, *changes[:3]])
    assert moment.timeline.seconds(at(73)) == 13
    moment.follow([begun, *changes])
    assert moment.timeline.seconds(at(500)) == 15


def test_the_time_that_a_run_was_dead_is_no_time_at_work() -> None:
    events = [make_created(), StatusChanged(status="running"), make_called(), StatusChanged(status="running")]
    moment = Moment()
    moment.follow(
        [event.model_copy(update={"at": at(second)}) for event, second in zip(events, (0, 0, 5, 90), strict=True)]
    )
    assert moment.timeline.seconds(at(92)) == 7


MINI = ModelCall(provider="openai", model="gpt-4o-mini")
LOCAL = ModelCall(provider="local", model="llama")


def turn(number: int, *calls: ModelCall) -> TurnTaken:
    said = StepTurn(messages=(Message(role="assistant", content="done"),), calls=calls)
    return TurnTaken(task_id="t1", number=number, turn=said, usage=Usage.of(calls))


def failed(agent: str, *calls: ModelCall) -> AgentFailed:
    return AgentFailed(key=f"{agent}/t1", agent=agent, attempt=1, error="no answer", calls=calls)


@pytest.mark.parametrize(
    ("then", "spoken"),
    [
        ([], "The dam was"),
        ([TextStreamed(task_id="t1", text=" finished")], "The dam was finished"),
        ([failed("analysis")], "The dam was"),
        ([turn(1)], ""),
        ([failed("react")], ""),
        ([StatusChanged(status="paused")], ""),
        ([turn(1), TextStreamed(task_id="t1", text="Next")], "Next"),
    ],
    ids=lambda given: given if isinstance(given, str) else "-".join(event.type for event in given) or "nothing",
)
def test_what_is_being_said_is_known_until_the_turn_ends(then: list[Event], spoken: str) -> None:
    moment = Moment()
    moment.follow([EVENTS[0], *(TextStreamed(task_id="t1", text=text) for text in ("The dam", " was")), *then])
    assert moment.speaking == spoken


def test_each_agent_knows_which_models_it_asked() -> None:
    moment = Moment()
    moment.follow([EVENTS[0], turn(1, MINI), turn(2, LOCAL, MINI), failed("analysis", LOCAL), failed("planning")])
    assert moment.asked == {
        "react": (
            EngineChoice(provider="openai", model="gpt-4o-mini"),
            EngineChoice(provider="local", model="llama"),
        ),
        "analysis": (EngineChoice(provider="local", model="llama"),),
        "planning": (),
    }


def test_what_is_being_done_is_the_last_event_that_is_more_than_a_detail() -> None:
    moment = Moment()
    assert moment.doing is None
    moment.follow(EVENTS)
    doing = moment.doing
    assert doing is not None
    assert not is_detail(doing)
    moment.follow([*EVENTS, TextStreamed(task_id="t1", text="word ")])
    assert moment.doing is doing


def test_the_marks_are_the_events_that_change_what_is_seen() -> None:
    moment = Moment()
    for seq in range(1, len(EVENTS) + 1):
        before = export_layers(moment.bank) if moment.events else None
        moment.follow(EVENTS[:seq])
        layers = export_layers(moment.bank)
        seen = ("insight_doc", "query_graph", "interaction_trees", "conflicts", "answer")
        changed = before is not None and any(before[layer] != layers[layer] for layer in seen)
        assert not changed or seq in moment.marks, EVENTS[seq - 1].type
