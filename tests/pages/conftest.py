"""The pages on a store of their own, driven by Streamlit's AppTest: no browser, no model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from memory_bank.bank.events import Event
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.search.embedding import load_embedder
from memory_bank.session import session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore
from pages.shared import long_term, user
from tests.long_term.in_memory import InMemoryStore

APP = Path(__file__).parents[2] / "app.py"
Keep = Callable[[str, Sequence[Event]], str]
"""Puts a session with some events into the store."""


class Page:
    """The app as one visitor's tab sees it."""

    def __init__(self, user: Mapping[str, Any] | None = None, **query: str) -> None:
        self.test = AppTest.from_file(str(APP), default_timeout=20)
        self.test.user = dict(user or {})
        for name, value in query.items():
            self.test.query_params[name] = value
        self.run()

    def run(self) -> Page:
        """Draw the page anew; an exception that a person would see fails the test."""
        self.test.run()
        assert not self.test.exception, self.test.exception
        return self

    @property
    def markup(self) -> str:
        """All of our own markup on the page."""
        return "\n".join(element.proto.body for element in self.test.get("html"))

    @property
    def address(self) -> list[str]:
        """The session that the page's address names."""
        named = self.test.query_params.get("run", [])
        return [named] if isinstance(named, str) else list(named)

    @property
    def messages(self) -> str:
        """Errors, warnings and the plain texts with them."""
        kinds = (self.test.error, self.test.warning, self.test.text)
        return "\n".join(str(element.value) for kind in kinds for element in kind)

    def mounted(self, name: str) -> list[str]:
        """What each mount of one of our own components was given, as JSON text."""
        mounts = [element.proto for element in self.test.get("bidi_component")]
        return [mount.mixed.json or mount.json for mount in mounts if mount.component_name == f"memory_bank_{name}"]

    def labels(self) -> list[str]:
        """What can be pressed."""
        return [button.label for button in self.test.button]

    @property
    def everything(self) -> str:
        """All that the browser is sent."""
        return "\n".join(str(getattr(element, "proto", "")) for element in self.test)

    def go(self, page: str) -> Page:
        """Open another page of the app in the same tab."""
        self.test.switch_page(f"pages/{page}.py")
        return self.run()

    def field(self, label: str) -> Any:
        """The field that a person finds under this label."""
        kinds = (self.test.text_input, self.test.number_input, self.test.selectbox, self.test.text_area)
        (found,) = (field for kind in kinds for field in kind if field.label == label)
        return found

    def upload(self, key: str, files: Mapping[str, bytes]) -> None:
        """Put files into a field, without drawing the page anew."""
        for name, content in files.items():
            self.test.file_uploader(key=key).upload(name, content, "application/octet-stream")

    def unfold(self, key: str) -> Page:
        """Open a part of the page that is folded."""
        self.test.session_state[key] = True
        return self.run()

    def press(self, label: str) -> Page:
        """Press a button."""
        next(button for button in self.test.button if button.label == label).click()
        return self.run()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionStore]:
    """A store that is empty, used by the server for the length of the test."""
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path))
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    monkeypatch.chdir(tmp_path)  # where there is no .env
    st.cache_resource.clear()
    user._login_seen.clear()
    yield SessionStore(tmp_path)
    st.cache_resource.clear()
    user._login_seen.clear()


@pytest.fixture
def keep(store: SessionStore) -> Callable[[str, Sequence[Event]], str]:
    """Put a session with these events into the store; its id."""

    def write(session_id: str, events: Sequence[Event]) -> str:
        log = EventLog(store.create(session_id))
        for number, event in enumerate(events, start=1):
            log.append(event.model_copy(update={"seq": number}))
        log.close()
        return session_id

    return write


@pytest.fixture
def memory(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> LongTermMemory:
    """A long-term memory that ends with the test, in place of the process's own."""
    made = LongTermMemory(InMemoryStore("hash"), lambda: load_embedder("hash"))
    monkeypatch.setattr(long_term, "shared_memory", lambda _settings: made)
    monkeypatch.setattr(session, "shared_memory", lambda _settings: made, raising=False)
    return made


def logged_in(subject: str, issuer: str = "https://login.example", **claims: Any) -> dict[str, Any]:
    """What the login says of a user."""
    return {"is_logged_in": True, "iss": issuer, "sub": subject, **claims}
