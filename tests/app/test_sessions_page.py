"""The Sessions page: private lists, open by address, import, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memory_bank.bank.transfer import export_session
from memory_bank.events import Event
from memory_bank.session_store import SessionStore
from tests.app.conftest import Page
from tests.builders import every_event

Keep = Callable[[str, Sequence[Event]], str]


def go_to_list(page: Page) -> Page:
    page.test.switch_page("pages/sessions.py")
    return page.run()


def test_a_new_tab_lists_nothing_whatever_the_store_holds(keep: Keep) -> None:
    keep("somebodys", every_event())
    page = go_to_list(Page())
    assert "None yet." in page.markup
    assert "When was the dam finished?" not in page.markup


def test_a_session_opened_by_its_address_is_listed_in_that_tab_only(keep: Keep) -> None:
    page = go_to_list(Page(run=keep("mine", every_event())))
    assert "When was the dam finished?" in page.markup
    assert f"finished · 2024-05-01 12:00 UTC · {len(every_event())} events" in page.markup
    assert "When was the dam finished?" not in go_to_list(Page()).markup


@pytest.mark.parametrize("address", ["mine", "http://localhost:8501/?run=mine", "localhost:8501/?x=1&run=mine"])
def test_open_by_address(keep: Keep, address: str) -> None:
    keep("mine", every_event())
    page = go_to_list(Page())
    page.test.text_input(key="address").input(address)
    next(button for button in page.test.button if button.label == "Open").click()
    page.run()
    assert page.address == ["mine"]
    assert "<b>finished</b>" in page.markup


def test_deleting_takes_a_second_press_and_removes_everything(keep: Keep, store: SessionStore) -> None:
    page = go_to_list(Page(run=keep("mine", every_event())))
    assert (store.folder / "mine").is_dir()
    page.press("Delete for good")
    assert not (store.folder / "mine").exists()
    assert "None yet." in page.markup


def test_import_shows_the_session_as_it_was(store: SessionStore) -> None:
    page = go_to_list(Page())
    text = export_session(every_event())
    page.upload("import-file", {"session.json": text.encode()})
    page.press("Import")
    assert "<b>finished</b>" in page.markup
    assert page.address == store.ids()


@pytest.mark.parametrize(
    ("content", "said"), [(b"{", "not valid JSON"), (b'{"format": "other"}', "not a session export")]
)
def test_import_of_anything_else_is_refused_with_the_reason(store: SessionStore, content: bytes, said: str) -> None:
    page = go_to_list(Page())
    page.upload("import-file", {"session.json": content})
    page.press("Import")
    assert "The file was not imported; nothing was changed." in page.messages
    assert said in page.messages
    assert store.ids() == []
