"""The Conflicts page: what it tells of a contradiction, and what a person decides there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from datetime import date
from typing import Literal

import pytest
import streamlit as st

from components.conflicts import PastDecision
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import NOT_ALL_FOUND, Verdict
from memory_bank.bank.events import (
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    Event,
    PersonDecided,
    StatusChanged,
    TaskUnderstood,
)
from memory_bank.bank.task_kind import TaskKind
from memory_bank.session.session import Session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore, Upload
from pages.shared.conflict_view import context_of, past_decisions, status_in_answer
from tests.builders import every_event, in_markdown, make_answer, make_conflict, make_verification
from tests.pages.conftest import Page
from tests.pages.hostile import hostile_events

Keep = Callable[[str, Sequence[Event]], str]


def opened(session_id: str) -> Page:
    """The page of a session."""
    return Page(run=session_id).go("conflicts")


def up_to(event_type: str) -> list[Event]:
    """The events of `every_event` up to the first of a type, in a session that is finished."""
    events = every_event()
    last = next(number for number, event in enumerate(events) if event.type == event_type)
    return [*events[: last + 1], StatusChanged(status="finished")]


def many(number: int) -> list[Event]:
    """A session with so many open conflicts, of which every third is in dispute."""
    events = up_to("conflict_opened")[:-1]
    for place in range(2, number + 1):
        conflict = make_conflict(f"x{place}").model_copy(update={"description": f"what is number {place}?"})
        events.append(ConflictOpened(conflict=conflict))
    events += [
        ConflictDecided(verification=make_verification(f"x{place}", "inconclusive"), decided_by="agent")
        for place in range(3, number + 1, 3)
    ]
    return [*events, StatusChanged(status="finished")]


def shown(page: Page) -> list[str]:
    """The ids of the conflicts on the page, from the top."""
    return re.findall(r'<div class="mb-quiet">(x\d+) · ', page.markup)


# -- telling


@pytest.mark.parametrize("by_engine", [True, False])
def test_only_the_embedded_engine_says_that_there_may_be_more(keep: Keep, *, by_engine: bool) -> None:
    events: list[Event] = [event for event in up_to("conflict_opened") if event.type != "task_understood"]
    understood = [TaskUnderstood(kind=TaskKind.FACT, by="agent")] if by_engine else []
    page = opened(keep("more", [*events[:1], *understood, *events[1:]]))
    assert (NOT_ALL_FOUND in page.markup) is by_engine


def test_a_conflict_is_told_with_everything_that_bears_on_it(keep: Keep) -> None:
    page = opened(keep("done", every_event()))
    for told in (
        "“The dam was finished in <mark>1970</mark>.”",
        "“The dam was finished in <mark>1968</mark>.”",
        "<b>holds</b>",
        "<b>refuted</b>",
        "register.md, p. 2: “Completed: 1970”",
        "register.md, p. 2: supports the first statement",
        '<span class="mb-quiet">none</span>',
        "the first statement holds",
        "by the agent",
        "confidence 0.90",
        "the register",
        "undated; recorded on 2024-05-01",
        "1 resolved",
        "The answer leaves out what was refuted here.",
    ):
        assert told in page.markup
    assert {"Open the merged node n3", "See the answer", "Overturn", "Reopen"} <= set(page.labels())


def test_a_session_without_a_conflict_says_what_one_is(keep: Keep) -> None:
    page = opened(keep("none", every_event()[:5]))
    assert "When two sources contradict each other" in page.markup
    assert "Decide" not in page.labels()


def test_an_open_conflict_can_be_decided_and_there_is_nothing_to_overturn(keep: Keep) -> None:
    page = opened(keep("open", up_to("conflict_opened")))
    assert "open: not settled yet" in page.markup
    assert "Evidence for it" not in page.markup, "nothing was weighed yet"
    assert {"Open node n1", "Open node n2", "Decide"} <= set(page.labels())
    assert not {"Overturn", "Reopen"} & set(page.labels())


def test_a_statement_opens_its_passage_and_puts_it_away(keep: Keep) -> None:
    page = opened(keep("done", every_event()))
    marked = '<div class="mb-passage" tabindex="0"><mark>The dam was finished in 1970.</mark></div>'
    assert marked not in page.markup
    page.press("notes\\.md")
    assert marked in page.markup
    page.press("notes\\.md")
    assert marked not in page.markup


def test_the_merge_shows_the_nodes_before_it_and_the_node_after_it(keep: Keep) -> None:
    page = opened(keep("done", every_event()))
    assert "<h4>Before</h4>" not in page.markup, "it is folded"
    page.test.session_state["merge-x1"] = True
    page.run()
    before, after = (part for part in page.markup.split('<div class="mb-merge">')[1:])
    assert "<b>n1</b>" in before
    assert "<b>n2</b>" in before
    assert "The year of the dam." in before, "a node as it was just before the merge"
    assert "<b>n3</b>" in after


def test_a_merge_of_markdown_is_read_as_plain_text(keep: Keep) -> None:
    page = opened(keep("done", in_markdown(every_event())))
    page.test.session_state["merge-x1"] = True
    page.run()
    assert "When the dam was finished, settled." in page.markup
    assert "**" not in page.markup


@pytest.mark.parametrize(("answer", "how"), [(make_answer(), "rejected"), (None, None)])
def test_a_conflict_bears_on_the_answer_that_names_it(answer: object, how: str | None) -> None:
    assert status_in_answer(answer, "x1") == how  # type: ignore[arg-type]
    assert status_in_answer(answer, "x2") == ("disputed" if answer else None)  # type: ignore[arg-type]
    assert status_in_answer(answer, "x9") is None  # type: ignore[arg-type]


def test_both_statements_of_one_document_have_its_date(keep: Keep) -> None:
    def dated(event: Event) -> Event:
        if event.type == "source_read":
            return event.model_copy(update={"dated": date(1971, 2, 3)})
        if event.type != "node_created":
            return event
        entry = event.entry.model_copy(update={"metadata": {**event.entry.metadata, "source_id": "s1"}})
        return event.model_copy(update={"entry": entry})

    page = opened(keep("dated", [dated(event) for event in every_event()]))
    assert "dated 1971-02-03" in page.markup
    assert "undated" not in page.markup


@pytest.mark.parametrize(
    ("claim", "before", "after"),
    [
        ("The dam was finished in 1970.", "… It is long. ", " It is high. …"),
        ("finished in 1970", "… It is long. The dam was ", ". It is high. …"),
        ("I begin.", "", " It is long. …"),
        ("I end.", "… It is high. ", ""),
    ],
)
def test_a_statement_is_told_in_its_sentence_with_those_beside_it(claim: str, before: str, after: str) -> None:
    text = "I begin. It is long. The dam was finished in 1970. It is high. I end.\n"
    start = text.index(claim)
    assert context_of(text, start, start + len(claim)) == (before, after)


def test_a_heading_around_a_statement_is_told_without_its_marks() -> None:
    text = "# The dam\n\n## When ##\n\nThe dam was finished in 1970.\n\n## Height\n\nIt is high.\n"
    claim = "The dam was finished in 1970."
    start = text.index(claim)
    before, after = context_of(text, start, start + len(claim))
    assert (before, after.split()) == ("… When · ", ["…"])


def decided(verdict: Verdict, by: Literal["agent", "person"]) -> ConflictDecided:
    return ConflictDecided(verification=make_verification("x1", verdict), decided_by=by)


def test_the_history_tells_each_decision_once() -> None:
    reopened = ConflictReopened(conflict_id="x1", reason="", by="person")
    events: list[Event] = [
        decided("second", "agent"),
        PersonDecided(conflict_id="x1", verdict="first"),
        reopened,
        decided("first", "person"),
        ConflictDecided(verification=make_verification("x2"), decided_by="agent"),
        PersonDecided(conflict_id="x1", verdict=None),
        reopened,
    ]
    assert list(past_decisions(events, "x1")) == [
        PastDecision("second", "agent", 0.9),
        PastDecision("first", "person", 0.9),
        PastDecision(None, "person"),
    ]


def test_nothing_that_a_document_says_becomes_markup(keep: Keep) -> None:
    page = opened(keep("evil", hostile_events()))
    page.press("Decide")
    for tag in ("<img", "<script", "</script", "<a ", "</memory"):
        assert tag not in page.markup
    assert "&lt;img src=x onerror=" in page.markup
    for label in (*page.labels(), *page.test.radio[0].options):
        assert "](" not in label.replace("\\]\\(", "")
        assert not re.search(r":[a-z]", label), "no icon code is left whole"


# -- finding one among many


def test_open_ones_come_first_and_twenty_are_shown_at_a_time(keep: Keep) -> None:
    page = opened(keep("many", many(25)))
    assert "17 open · 8 disputed" in page.markup
    assert shown(page)[:3] == ["x1", "x2", "x4"]
    assert shown(page)[17:] == ["x3", "x6", "x9"]


def test_the_surest_comes_first_and_nothing_moves_once_a_decision_was_begun(store: SessionStore, keep: Keep) -> None:
    sure: dict[str, float | None] = {"x1": 0.6, "x2": 0.95, "x3": None, "x4": 0.8}
    opening = [
        ConflictOpened(conflict=make_conflict(id_).model_copy(update={"probability": sure[id_]})) for id_ in sure
    ]
    events: list[Event] = [*up_to("conflict_opened")[:-2], *opening, StatusChanged(status="finished")]
    page = opened(keep("sure", events))
    assert shown(page) == ["x2", "x4", "x1", "x3"]
    assert "very likely a contradiction" in page.markup
    page.press("Decide")
    page.press("Leave it as it is")
    append(
        store,
        ConflictDecided(verification=make_verification("x2", "inconclusive"), decided_by="person", seq=len(events) + 1),
        ConflictOpened(conflict=make_conflict("x5"), seq=len(events) + 2),
    )
    assert shown(page.run()) == ["x2", "x4", "x1", "x3", "x5"]
    assert "4 open · 1 disputed" in page.markup
    assert shown(opened("sure")) == ["x4", "x1", "x3", "x5", "x2"]


def append(store: SessionStore, *events: Event) -> None:
    """Write what happened since to the log of the session."""
    log = EventLog(store.find("sure"))
    for event in events:
        log.append(event)
    log.close()


def test_they_are_found_by_state_and_by_words(keep: Keep) -> None:
    page = opened(keep("many", many(9)))
    page.test.button_group(key="conflicts-states").set_value(["disputed"])
    assert shown(page.run()) == ["x3", "x6", "x9"]
    page.field("Search statements and sources").input("NUMBER 6?")
    assert shown(page.run()) == ["x6"]
    page.field("Search statements and sources").input("nowhere")
    assert shown(page.run()) == []
    assert "No matching conflicts." in page.markup


# -- deciding


@pytest.mark.parametrize(
    ("status", "words"), [("cancelled", "was cancelled"), ("paused", "its document files are missing")]
)
def test_where_nothing_can_be_decided_the_page_says_why(keep: Keep, status: str, words: str) -> None:
    events = [*up_to("conflict_opened")[:-1], StatusChanged.model_validate({"status": status})]
    page = opened(keep("still", events))
    assert words in page.markup
    assert "Decide" not in page.labels()


def test_nothing_is_decided_in_a_past_moment(keep: Keep) -> None:
    page = opened(keep("done", every_event()))
    page.test.session_state["view"].move(17)
    page.run()
    assert "Go back to now to decide." in page.markup
    assert "open: not settled yet" in page.markup
    assert not {"Decide", "Overturn"} & set(page.labels())


def test_what_is_missing_in_a_decision_is_said_and_nothing_written_is_lost(keep: Keep) -> None:
    session_id = keep("done", every_event())
    page = opened(session_id)
    page.press("Overturn")
    assert "The merge into n3 is undone" in page.markup
    why = page.test.text_area[0].input("one counts the opening")
    page.press("Record the decision")
    assert "Choose what holds" in page.messages.replace("\\", "")
    why = page.test.text_area[0]
    assert why.value == "one counts the opening"
    why.input(" ")
    page.test.radio[0].set_value("both")
    page.press("Record the decision")
    assert "Write how the two statements differ" in page.messages
    assert page.test.radio[0].value == "both"
    page.press("Leave it as it is")
    assert not page.test.radio
    assert "Overturn" in page.labels()


def test_a_decision_that_changes_nothing_is_refused_and_stays_filled_in(disputed: str) -> None:
    page = opened(disputed)
    decide(page, "Decide", "inconclusive", "I say so.")
    wait_until(page, lambda: "by a person" in page.markup)
    decide(page, "Decide", "inconclusive", "I say so again.")
    wait_until(page, lambda: bool(page.test.error))
    assert "nothing was changed" in page.messages
    assert page.test.text_area[0].value == "I say so again."
    assert page.test.radio[0].value == "inconclusive"


def test_a_decision_that_was_refused_is_held_against_nothing_that_follows(disputed: str) -> None:
    page = opened(disputed)
    decide(page, "Decide", "inconclusive", "I say so.")
    wait_until(page, lambda: "by a person" in page.markup and "<b>finished</b>" in page.markup)
    st.cache_resource.clear()  # a server that has not opened the session yet
    page = opened(disputed)
    decide(page, "Decide", "inconclusive", "I say so again.")
    wait_until(page, lambda: "nothing was changed" in page.messages)
    assert "could not continue" not in page.go("session").messages
    page.go("conflicts")
    page.test.radio[0].set_value("second")
    page.press("Record the decision")
    wait_until(page, lambda: "1 resolved" in page.markup or bool(page.test.error))
    assert not page.test.error, page.messages


def test_a_person_decides_and_has_it_verified_again(disputed: str, store: SessionStore) -> None:
    page = opened(disputed)
    assert "disputed: no evidence settles it" in page.markup
    decide(page, "Decide", "second", "I saw the <b>plate</b>.")
    wait_until(page, lambda: bool(page.test.toast))
    assert "Your decision on x1 is recorded" in page.test.toast[0].value
    wait_until(page, lambda: "1 resolved" in page.markup and "<b>finished</b>" in page.markup)
    assert "the second statement holds" in page.markup
    assert "by a person" in page.markup
    assert "confidence" not in page.markup, "a person gives none"
    assert "I saw the &lt;b&gt;plate&lt;/b&gt;." in page.markup
    assert "The answer leaves out what was refuted here." in page.markup
    page.press("Reopen")
    assert not page.test.radio
    page.press("Verify again")
    wait_until(page, lambda: "1 disputed" in page.markup and "<b>finished</b>" in page.markup)
    assert "→ person: second → to be verified again → agent: not decided" in page.markup
    assert Bank.replay(Session.open(disputed, sessions=store.folder).events).conflicts["x1"].status == "disputed"


@pytest.fixture
def disputed(store: SessionStore) -> str:
    """The id of a finished session in which two documents contradict each other, and nothing settles it."""
    documents = [
        Upload("guide.txt", b"The Eddystone Lighthouse was completed in 1882. It stands on a rock."),
        Upload("notes.txt", b"The Eddystone Lighthouse was completed in 1759. It has a lamp."),
    ]
    session = Session.create("When was the Eddystone Lighthouse completed?", documents, sessions=store.folder)
    for _event in session.run():
        pass
    assert [conflict.status for conflict in session.bank.conflicts.values()] == ["disputed"]
    session.close()
    return session.id


def decide(page: Page, offer: str, verdict: Verdict, reason: str) -> None:
    """Fill in the form and send it."""
    page.press(offer)
    page.test.radio[0].set_value(verdict)
    page.test.text_area[0].input(reason)
    page.press("Record the decision")


def wait_until(page: Page, holds: Callable[[], bool], seconds: float = 30) -> None:
    """Redraw the page, as its ticking does, until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, page.markup[-2000:]
        time.sleep(0.05)
        page.run()
