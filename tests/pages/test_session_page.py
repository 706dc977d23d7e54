"""The Session page in each of its states."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

import pytest
import streamlit as st

from components import look
from memory_bank.app.runner import Runner
from memory_bank.bank.events import Event, StatusChanged
from memory_bank.storage.session_store import SessionStore
from memory_bank.views.snapshot import Moment
from pages.shared.frame import slowdown, state_of_session
from pages.shared.server import Server
from tests.builders import every_event
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL, hostile_events

Keep = Callable[[str, Sequence[Event]], str]


def test_first_visit_explains_and_offers_the_demo(store: SessionStore) -> None:
    page = Page()
    assert "Give it documents and a task" in page.markup
    assert page.labels() == ["Run", "Try the demo", "Try the dispute", "Try it in Chinese"]
    assert store.ids() == []


def test_run_without_a_task_says_so_and_starts_nothing(store: SessionStore) -> None:
    page = Page()
    page.test.text_area(key="pasted").input("The dam was finished in 1970.")
    page.press("Run")
    assert "Write a task first" in page.messages
    assert page.test.text_area(key="pasted").value == "The dam was finished in 1970."
    assert store.ids() == []


def test_a_task_with_pasted_text_runs_to_its_answer(store: SessionStore) -> None:
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.test.text_area(key="pasted").input("The dam was finished in 1970. It is 111 metres high.")
    page.press("Run")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert page.address == store.ids()
    assert json.loads(page.mounted("linked_text")[0])["blocks"], "there is an answer"
    assert "pasted text.txt" in page.markup


def test_what_the_embedded_engine_cannot_do_is_said_before_the_run(store: SessionStore) -> None:
    page = Page()
    page.test.text_area(key="task").input("Write an essay about the dam")
    page.test.text_area(key="pasted").input("The dam beside the old town was finished in 1970 by two engineers.")
    page.press("Run")
    assert "it does not write" in page.messages
    assert store.ids() == []
    page.press("Choose a model")
    page.go("session")
    assert page.test.text_area(key="task").value == "Write an essay about the dam"
    assert "pasted text" in page.test.checkbox(key="kept").label
    page.press("Run")
    page.press("Run anyway")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert page.address == store.ids()
    assert "pasted text.txt" in page.markup
    assert "it does not write" not in page.messages


def test_a_task_taken_for_something_else_is_corrected_below_its_status(store: SessionStore) -> None:
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.test.text_area(key="pasted").input("The dam was finished in 1970. It is 111 metres high.")
    page.press("Run")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert "Understood as: a question for a date or time." in page.markup
    page.field("What the task asks for").select("list")
    page.run()
    wait_until(page, lambda: "Understood as: a list is wanted." in page.markup)
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert len(store.ids()) == 1


def test_pages_look_half_as_often_for_each_doubling_of_many_sessions() -> None:
    busy = (0, 1, 8, 9, 16, 17, 32, 33, 64, 65, 1000)
    assert [slowdown(sessions) for sessions in busy] == [1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8]


def test_a_link_pressed_before_the_page_was_drawn_keeps_the_session(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = keep("s", every_event())
    with monkeypatch.context() as interrupted:
        interrupted.setattr(look, "use_style", st.stop)
        page = Page(run=session_id)
    page.test.query_params.clear()  # as the navigation's links do
    assert page.go("insight_doc").address == [session_id]


@pytest.mark.usefixtures("store")
def test_files_that_are_empty_are_named_and_the_rest_goes_on() -> None:
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.upload("documents", {"good.txt": b"The dam was finished in 1970.", "void.txt": b" \n"})
    page.press("Run")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    (session_id,) = page.address
    for visitor in (page, Page(run=session_id)):  # the session has it, so a reload and an export have it too
        assert "void.txt was refused: it is empty" in visitor.markup
        assert "good.txt" in visitor.markup


def test_nothing_starts_when_every_file_is_empty(store: SessionStore) -> None:
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.upload("documents", {"void.txt": b""})
    page.press("Run")
    assert "None of the files can be used" in page.messages
    assert "void.txt was refused: it is empty" in page.messages
    assert store.ids() == []


def test_nothing_starts_when_no_file_can_be_read(store: SessionStore) -> None:
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.upload("documents", {"torn.pdf": b"%PDF-1.4 torn"})
    page.upload("sources", {"archive.txt": b"\x1f\x8b packed"})
    page.press("Run")
    assert "None of the files can be used" in page.messages
    assert "torn.pdf was refused: it is damaged" in page.messages
    assert "archive.txt was refused: it is an archive; unpack it and add the files inside" in page.messages
    assert page.test.text_area(key="task").value == "When was the dam finished?"
    assert store.ids() == []


@pytest.mark.usefixtures("store")
def test_a_file_that_cannot_be_read_is_refused_by_name() -> None:
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.upload("documents", {"good.txt": b"The dam was finished in 1970.", "torn.pdf": b"%PDF-1.4 torn"})
    page.press("Run")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert '<ul class="mb-remarks"><li>torn.pdf was refused: ' in page.markup


def test_finished_session_shows_answer_passage_conflict_and_graph(keep: Keep) -> None:
    page = Page(run=keep("done", every_event()))
    assert "When was the dam finished?" in page.markup
    assert "<b>finished</b>" in page.markup
    assert json.loads(page.mounted("linked_text")[0])["blocks"][1]["kind"] == "dispute"
    assert "<mark>The </mark>dam was finished in 1970." in page.markup, "the cited passage is marked in its entry"
    assert "the first statement holds" in page.markup
    graph = json.loads(page.mounted("query_graph")[0])["whole"]
    assert [node["id"] for node in graph["nodes"]] == ["n4", "n3"]
    assert [(edge["from"], edge["to"]) for edge in graph["edges"]] == [("n4", "n3")]


def test_merged_node_opens_from_its_conflict(keep: Keep) -> None:
    page = Page(run=keep("done", every_event()))
    page.press("Open the merged node n3")
    assert "When the dam was finished, settled." in page.markup
    assert "n1 and n2 were merged." in page.markup
    assert json.loads(page.mounted("query_graph")[0])["selected"] == "n3"


def test_session_whose_process_died_is_called_interrupted(keep: Keep, store: SessionStore) -> None:
    session_id = keep("torn", every_event()[:12])
    for source in ("s1", "s2"):
        (store.folder / session_id / "files" / source).write_text("The dam was finished in 1970.")
    page = Page(run=session_id)
    assert "<b>interrupted</b>" in page.markup
    assert "All 12 recorded events are kept." in page.messages
    assert page.labels()[0] == "Continue"


@pytest.mark.parametrize("status", ["paused", "finished"])
def test_a_session_that_waits_for_its_turn_says_so_and_can_be_stopped(
    keep: Keep, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    session_id = keep("queued", [*every_event()[:2], StatusChanged.model_validate({"status": status})])
    monkeypatch.setattr(Runner, "place", lambda _self, _id: 2)
    monkeypatch.setattr(Server, "activity", lambda _self, _id: "running")
    monkeypatch.setenv("LIST_ALL_SESSIONS", "true")
    page = Page(run=session_id)
    assert "<b>running</b> · waiting for its turn: number 2 in the queue" in page.markup
    assert page.labels()[:2] == ["Pause", "Cancel"]
    assert "<b>running</b>" in page.go("sessions").markup


def test_interrupted_session_goes_on_to_its_end(keep: Keep, store: SessionStore) -> None:
    session_id = keep("torn", every_event()[:3])
    (store.folder / session_id / "files" / "s1").write_text("The dam was finished in 1970.")
    page = Page(run=session_id)
    page.press("Continue")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert "interrupted" not in page.markup


def test_import_of_an_unfinished_session_can_only_be_looked_at(keep: Keep) -> None:
    page = Page(run=keep("imported", every_event()[:12]))
    assert "can only be viewed" in page.messages
    assert "Continue" not in page.labels()


@pytest.mark.parametrize("status", ["paused", "failed"])
def test_what_stopped_can_go_on(keep: Keep, status: str) -> None:
    events = [*every_event()[:2], StatusChanged.model_validate({"status": status, "reason": "the disk is full"})]
    page = Page(run=keep(status, events))
    assert f"<b>{status}</b>" in page.markup
    assert "Continue" in page.labels()
    assert ("the disk is full" in page.messages) == (status == "failed")


def test_cancelled_session_cannot_go_on(keep: Keep) -> None:
    page = Page(run=keep("ended", [*every_event()[:2], StatusChanged(status="cancelled")]))
    assert "<b>cancelled</b>" in page.markup
    assert "Continue" not in page.labels()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("address", ["nobody", "../../etc", "a" * 200])
def test_unknown_address_is_said_and_leads_back(address: str) -> None:
    page = Page(run=address)
    assert "There is no session at this address." in page.messages
    page.press("Start a new session")
    assert "Try the demo" in page.labels()


def test_damaged_record_is_said(keep: Keep, store: SessionStore) -> None:
    session_id = keep("torn", every_event()[:3])
    with (store.folder / session_id / "events.jsonl").open("a") as log:
        log.write("not an event\n")
    page = Page(run=session_id)
    assert "The log of this session is damaged" in page.messages


@pytest.mark.usefixtures("store")
def test_wrong_setting_is_said_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRIEVAL_K", "many")
    page = Page()
    assert "RETRIEVAL_K is 'many'" in page.messages


def test_an_engine_that_cannot_be_loaded_is_said(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "no-such-model")
    page = Page()
    page.test.text_area(key="task").input("When was the dam finished?")
    page.test.text_area(key="pasted").input("The dam was finished in 1970.")
    page.press("Run")
    wait_until(page, lambda: "could not be started" in page.messages)
    assert "EMBEDDING_MODEL is 'no-such-model'" in page.messages
    assert store.ids() == []


def test_another_session_can_be_started_from_any(keep: Keep) -> None:
    page = Page(run=keep("done", every_event()))
    page.press("New")
    assert page.address == []
    assert "Try the demo" in page.labels()


def test_nothing_a_document_says_becomes_markup(keep: Keep) -> None:
    page = Page(run=keep("evil", hostile_events()))
    page.press("Open its node n1")
    for tag in ("<img", "<script", "</script", "<a ", "</memory"):
        assert tag not in page.markup.replace("<a class", "")
    assert "&lt;img src=x onerror=" in page.markup
    assert not page.test.markdown, "no text of a document goes through Markdown"
    for label in [*page.labels(), *(expander.label for expander in page.test.expander)]:
        assert "](" not in label.replace("\\]\\(", "")
        assert ":material" not in label
    assert EVIL in json.loads(page.mounted("query_graph")[0])["whole"]["nodes"][0]["words"]


def wait_until(page: Page, holds: Callable[[], bool], seconds: float = 120) -> None:
    """Redraw the page, as its ticking does, until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, page.markup[-2000:]
        time.sleep(0.1)
        page.run()


def test_a_session_that_is_run_and_has_not_recorded_so_yet_is_not_offered_to_go_on() -> None:
    moment = Moment()
    assert moment.bank.status == "created"
    assert state_of_session(moment.bank.status, "running") == "starting"
    assert state_of_session(moment.bank.status, "idle") == "created"
