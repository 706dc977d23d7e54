from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.events import (
    AgentFailed,
    Event,
    NodeCreated,
    Notice,
    PlanUpdated,
    PromptEnhanced,
    SourceRefused,
    StatusChanged,
    TextStreamed,
    TurnTaken,
)
from memory_bank.bank.message import Message, StepTurn, ToolCall
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.views.event_formatting import describe
from tests.builders import every_event, make_called, make_created, make_current, make_entry, make_node


def taken(*calls: ToolCall, answer: str = "", remarks: tuple[Remark, ...] = ()) -> TurnTaken:
    """The first turn of step t2, with these tool calls and their results."""
    spoken = Message(role="assistant", content=answer, tool_calls=calls)
    results = tuple(Message(role="tool", content="found", name=call.name) for call in calls)
    turn = StepTurn(messages=(spoken, *results), remarks=remarks)
    return TurnTaken(task_id="t2", number=1, turn=turn, usage=Usage())


def line(event_type: str) -> str:
    """The line for the first event of a type."""
    first: dict[str, Event] = {}
    for event in every_event():
        first.setdefault(event.type, event)
    return describe(first[event_type])


@pytest.mark.parametrize("event", every_event(), ids=lambda event: event.type)
def test_every_type_of_event_has_its_words(event: Event) -> None:
    words = describe(event)
    assert words
    assert words.isprintable()
    assert words == " ".join(words.split())


@given(st.text())
def test_text_of_a_document_stays_on_one_line_and_moves_no_cursor(text: str) -> None:
    events: list[Event] = [
        Notice(message=text),
        make_created(task=text),
        SourceRefused(source_id=text, reason=text),
        NodeCreated(node=make_node("n1", text), entry=make_entry(), unit="u"),
        TextStreamed(task_id="t1", text=text),
        taken(ToolCall(name=text, arguments={"query": text})),
    ]
    assert all(describe(event).isprintable() for event in events)


@pytest.mark.parametrize(
    ("event_type", "said"),
    [
        ("session_created", "Session began: When was the dam finished?"),
        ("status_changed", "Session running"),
        ("source_added", "Received notes.md (120 bytes), to work on"),
        ("source_read", "Read s1: 120 characters, 2 pages"),
        ("source_refused", "Refused s2: it is an image"),
        ("source_ingested", "Read notes.md: 120 characters."),
        ("text_classified", "s1.1: 2 topics"),
        ("agent_called", "planning judged s1.1 (0.25 s)"),
        ("agent_failed", "planning failed on t1, attempt 1, it is tried again: no answer"),
        ("node_created", "New node n1: The dam."),
        ("node_updated", "n2 describes itself anew: The year of the dam."),
        ("node_analysed", "n2 was compared with 1 node"),
        ("edge_created", "n1 and n4 are related"),
        ("conflict_opened", "Conflict x1 between n1 and n2: The dam was finished: 1970 or 1968"),
        ("conflict_supported", "n4 (notes.md) says the same as the second statement of x2"),
        ("conflict_decided", "Verdict on x1 by the agent: first. the register"),
        ("nodes_merged", "n1 and n2 became n3"),
        ("person_decided", "A person decided on x2: inconclusive. the register is not clear"),
        ("merge_reverted", "The merge into n5 was taken back: a person decided on x2"),
        ("conflict_reopened", "Conflict x2 is open again, reopened by a person. the register is not clear"),
        ("entry_recorded", "Recorded e5 with n3"),
        ("prompt_enhanced", "Step t1 was given 2 nodes, 1 left out"),
        ("plan_updated", "Planned t1: Find the year."),
        ("answer_given", "Answered, with 1 citation"),
        ("notice", "Done."),
    ],
)
def test_the_words_name_what_happened_and_to_what(event_type: str, said: str) -> None:
    assert line(event_type) == said


def test_an_end_says_why_and_a_last_plan_that_nothing_is_left() -> None:
    assert describe(StatusChanged(status="failed", reason="OSError: disk")) == "Session failed: OSError: disk"
    assert describe(PlanUpdated(completed=None, current=None)) == "Planned: nothing is left to do"
    assert describe(PlanUpdated(completed=None, current=make_current("t2"))).startswith("Planned t2: ")
    assert describe(PromptEnhanced(task_id="t1", node_ids=())) == "Step t1 was given 0 nodes"


SEARCH = ToolCall(name="search", arguments={"query": "the dam"})
DEEP = ToolCall(name="deep_retrieval", arguments={"node_id": "n1", "page": 2})
UNREAD = StepTurn(messages=(Message(role="assistant", content="<tool_call>"), Message(role="tool", content="unread")))


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (taken(SEARCH), "Step t2, turn 1: asked search(“the dam”)"),
        (taken(SEARCH, DEEP), "Step t2, turn 1: asked search(“the dam”), deep_retrieval(“n1”, “2”)"),
        (taken(answer="1970"), "Step t2, turn 1: answered"),
        (
            taken(answer="1970", remarks=(Remark(kind="shortened", what="2 earlier tool results"),)),
            "Step t2, turn 1: answered · 2 earlier tool results",
        ),
        (
            TurnTaken(task_id="t2", number=3, turn=UNREAD, usage=Usage()),
            "Step t2, turn 3: asked a tool in a way that could not be read",
        ),
        (TextStreamed(task_id="t2", text="I look\nfor it"), "Step t2 says: I look for it"),
        (
            AgentFailed(key="planning/t1", agent="planning", attempt=2, error="no answer"),
            "planning failed on t1, attempt 2, given up: no answer",
        ),
    ],
)
def test_the_words_of_a_models_work(event: Event, said: str) -> None:
    assert describe(event) == said


def test_a_long_argument_is_cut() -> None:
    said = describe(taken(ToolCall(name="search", arguments={"query": "dam " * 100})))
    assert len(said) < 150
    assert said.endswith("…”)")


def test_a_judgement_says_what_was_left_out_and_how_often_a_model_was_asked() -> None:
    remarks = (Remark(kind="left_out", what="2 candidates left out"), Remark(kind="dropped", what="a claim dropped"))
    call = ModelCall(provider="openai", model="gpt-4o-mini")
    event = make_called("analysis/n1").model_copy(update={"remarks": remarks, "calls": (call, call)})
    assert describe(event) == "planning judged n1 (0.25 s, 2 requests) · 2 candidates left out; a claim dropped"
