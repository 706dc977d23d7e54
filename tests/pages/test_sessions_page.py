"""The Sessions page: private lists, search, parts, open by address, import, export, delete."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import streamlit as st

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import Event, SourceAdded, StatusChanged
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session, parse_export
from tests.builders import at, every_event, make_created, make_source
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL, hostile_events
from tests.pages.test_session_page import wait_until

Keep = Callable[[str, Sequence[Event]], str]


def go_to_list(page: Page) -> Page:
    return page.go("sessions")


def session(task: str, seconds: float, *sources: str, status: str = "finished") -> list[Event]:
    """A session that was begun at a time, with documents of these names."""
    added = [
        SourceAdded(source=make_source(f"s{number}", f"files/s{number}").model_copy(update={"name": name}))
        for number, name in enumerate(sources, start=1)
    ]
    events = [make_created(task=task), *added, StatusChanged.model_validate({"status": status})]
    return [event.model_copy(update={"at": at(seconds)}) for event in events]


def tasks(page: Page) -> list[str]:
    """The tasks that are listed, from above."""
    return [line.partition("</h3>")[0] for line in page.markup.split("<h3>")[1:]]


def hold(page: Page, *session_ids: str) -> Page:
    """A tab that has opened these sessions."""
    page.test.session_state["sessions"] = list(session_ids)
    return go_to_list(page)


# -- whose sessions ------------------------------------------------------------------------------------------


def test_a_new_tab_lists_nothing_whatever_the_store_holds(keep: Keep) -> None:
    keep("somebodys", every_event())
    page = go_to_list(Page())
    assert "No sessions yet." in page.markup
    assert "When was the dam finished?" not in page.markup


def test_a_session_opened_by_its_address_is_listed_in_that_tab_only(keep: Keep) -> None:
    page = go_to_list(Page(run=keep("mine", every_event())))
    assert tasks(page) == ["When was the dam finished?"]
    nodes = len(Bank.replay(every_event()).query_graph)
    for said in ("finished", "2024-05-01 12:00 UTC", f"{nodes} nodes", "2 conflicts", f"{len(every_event())} events"):
        assert f">{said}<" in page.markup
    assert "notes.md, notes.md" in page.markup
    assert "1 session · " in page.markup
    assert "No sessions yet." in go_to_list(Page()).markup


def test_all_sessions_of_the_store_are_listed_where_that_is_set(
    keep: Keep, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        keep(f"s{number}", session(f"Task {number}", number))
    monkeypatch.setenv("LIST_ALL_SESSIONS", "true")
    st.cache_resource.clear()
    assert tasks(go_to_list(Page())) == ["Task 2", "Task 1", "Task 0"]


@pytest.mark.parametrize("address", ["mine", "http://localhost:8501/?run=mine", "localhost:8501/?x=1&run=mine"])
def test_open_by_address(keep: Keep, address: str) -> None:
    keep("mine", every_event())
    page = go_to_list(Page())
    page.test.text_input(key="address").input(address)
    page.press("Open")
    assert page.address == ["mine"]
    assert "<b>finished</b>" in page.markup


# -- the list ------------------------------------------------------------------------------------------------


@pytest.fixture
def three(keep: Keep) -> Page:
    keep("a", session("When was the dam finished?", 10, "register.pdf"))
    keep("b", session("How long is the Nile?", 30, "brochure.pdf", "notes.md", status="paused"))
    keep("c", session("Who built the bridge?", 20, status="running"))
    return hold(Page(), "a", "b", "c")


def test_the_newest_stands_first(three: Page) -> None:
    assert tasks(three) == ["How long is the Nile?", "Who built the bridge?", "When was the dam finished?"]


SEARCHES = [
    ("nile", ["How long is the Nile?"]),
    ("PDF", ["How long is the Nile?", "When was the dam finished?"]),
    ("notes pdf", ["How long is the Nile?"]),
    ("paused", ["How long is the Nile?"]),
    ("interrupted", ["Who built the bridge?"]),
    ("finished", ["When was the dam finished?"]),
    ("nothing of this", []),
    ("  ", ["How long is the Nile?", "Who built the bridge?", "When was the dam finished?"]),
]


@pytest.mark.parametrize(("words", "found"), SEARCHES)
def test_a_search_finds_task_document_and_state(three: Page, words: str, found: list[str]) -> None:
    three.test.text_input(key="search").input(words)
    assert tasks(three.run()) == found
    assert ("No matching sessions." in three.markup) == (not found)


def test_many_sessions_are_listed_in_parts_of_twenty(keep: Keep) -> None:
    page = hold(Page(), *(keep(f"s{number:02}", session(f"Task {number:02}", number)) for number in range(45)))
    assert tasks(page) == [f"Task {number:02}" for number in range(44, 24, -1)]
    assert "1–20 of 45" in page.messages
    for shown in ("21–40 of 45", "41–45 of 45"):
        next(
            button for button in page.test.button if button.key.startswith("sessions") and "forth" in button.key
        ).click()
        assert shown in page.run().messages
    assert tasks(page) == [f"Task {number:02}" for number in range(4, -1, -1)]
    page.test.text_input(key="search").input("task")
    assert "1–20 of 45" in page.run().messages, "a search begins at its beginning"


def test_a_session_that_cannot_be_read_is_named_and_the_others_are_listed(keep: Keep, store: SessionStore) -> None:
    keep("good", session("When?", 1))
    (store.create("bad") / "events.jsonl").write_bytes(b"nonsense\n")
    page = hold(Page(), "bad", "good", "deleted")
    assert tasks(page) == ["When?"]
    assert "A session cannot be read. It was left unchanged." in page.messages
    assert "bad: events.jsonl does not say how the session began" in page.messages


def test_what_a_task_and_a_file_name_say_is_text(keep: Keep) -> None:
    page = hold(Page(), keep("evil", hostile_events()))
    assert "<img" not in page.markup
    assert "<script>" not in page.markup
    assert "&lt;img src=x" in page.markup
    assert all(EVIL not in label for label in page.labels())


# -- deleting ------------------------------------------------------------------------------------------------


def test_deleting_takes_a_second_press_and_removes_everything(keep: Keep, store: SessionStore) -> None:
    page = hold(Page(), keep("mine", session("Mine", 2)), keep("other", session("Other", 1)))
    page.press("Delete")
    assert "This cannot be undone." in page.markup
    assert (store.folder / "mine").is_dir()
    page.press("Keep it")
    assert "This cannot be undone." not in page.markup
    page.press("Delete").press("Delete for good")
    assert store.ids() == ["other"]
    assert tasks(page) == ["Other"]


# -- exporting -----------------------------------------------------------------------------------------------

FORMS = [
    ("JSON", "session-mine.json", lambda text: parse_export(text).session.id == "session-1"),
    ("HTML report", "session-mine.html", lambda text: text.lstrip().startswith("<!")),
    ("GraphML", "session-mine.graphml", lambda text: "<graphml" in text),
]


@pytest.mark.parametrize(("label", "name", "holds"), FORMS)
def test_a_session_is_exported_in_each_form(
    keep: Keep, monkeypatch: pytest.MonkeyPatch, label: str, name: str, holds: Callable[[str], bool]
) -> None:
    offered: dict[str, dict[str, Any]] = {}
    monkeypatch.setattr(st, "download_button", lambda label, **given: offered.update({label: given}))
    hold(Page(), keep("mine", every_event()))
    given = offered[label]
    assert (given["file_name"], given["on_click"]) == (name, "ignore")
    assert holds(given["data"]())


# -- importing -----------------------------------------------------------------------------------------------


def bring(page: Page, files: dict[str, bytes]) -> Page:
    """Import files from the list, and wait for what comes of them: a list of that, or the one session."""
    page.test.query_params.clear()
    page.upload("import-file", files)
    page.press("Import")
    wait_until(page, lambda: page.address != [] or ("imported<" in page.markup and "importing" not in page.markup))
    return page


def export(task: str = "When was the dam finished?") -> bytes:
    events = [event.model_copy(update={"task_goal": task}) if event.seq == 1 else event for event in every_event()]
    return export_session(events).encode()


def test_one_import_shows_the_session_as_it_was(store: SessionStore) -> None:
    page = bring(go_to_list(Page()), {"session.json": export()})
    assert page.address == store.ids()
    assert "<b>finished</b>" in page.markup


def test_several_files_are_imported_each_by_itself(store: SessionStore) -> None:
    files = {"one.json": export("One"), "torn.json": b"{", "two.json": export("Two"), "again.json": export("One")}
    page = bring(go_to_list(Page()), files)
    assert sorted(tasks(page.run())) == ["One", "Two"]
    assert len(store.ids()) == 2
    assert "<b>not imported</b> torn.json<small>Nothing was changed: this is not a session export" in page.markup
    assert "<b>imported</b> again.json<small>It had already been imported.</small>" in page.markup


def test_a_file_that_was_imported_already_is_opened_and_no_copy_is_made(store: SessionStore) -> None:
    page = bring(go_to_list(Page()), {"session.json": export()})
    (first,) = store.ids()
    assert bring(go_to_list(page), {"the same.json": export()}).address == store.ids() == [first]
    go_to_list(page).press("Delete").press("Delete for good")
    assert store.ids() == []
    assert bring(page, {"session.json": export()}).address == store.ids() != [first]


REFUSED = [
    (b"{", "not valid JSON"),
    (b'{"format": "other"}', "not a session export"),
    (json.dumps({"format": "memory-bank-session", "version": 9}).encode(), "version 9"),
]


@pytest.mark.parametrize(("content", "said"), REFUSED)
def test_import_of_anything_else_is_refused_with_the_reason(store: SessionStore, content: bytes, said: str) -> None:
    page = bring(go_to_list(Page()), {"<b>session.json": content})
    assert "<b>not imported</b> &lt;b&gt;session.json" in page.markup
    assert said in page.markup
    assert store.ids() == []
