from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.event_words import describe
from memory_bank.events import Event, NodeCreated, Notice, PlanUpdated, PromptEnhanced, SourceRefused, StatusChanged
from tests.builders import every_event, make_created, make_current, make_entry, make_node


def line(event_type: str) -> str:
    """What is said of the first event of a type."""
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
        ("agent_failed", "planning failed on t1, attempt 1: no answer"),
        ("node_created", "New node n1: The dam."),
        ("node_updated", "n2 describes itself anew: The year of the dam."),
        ("node_analysed", "n2 was compared with 1 nodes"),
        ("edge_created", "n1 and n4 are related"),
        ("conflict_opened", "Conflict x1 between n1 and n2: 1970 or 1968?"),
        ("conflict_decided", "Verdict on x1 by the agent: first. the register"),
        ("nodes_merged", "n1 and n2 became n3"),
        ("entry_recorded", "Recorded e5 with n3"),
        ("prompt_enhanced", "Step t1 was given 2 nodes, 1 left out"),
        ("plan_updated", "Planned t1: Find the year."),
        ("answer_given", "Answered, with 1 citations"),
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
