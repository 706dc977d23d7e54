"""What a tab has just begun: pressed twice, it is begun once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from memory_bank.bank.settings import Settings
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import new_record_id
from memory_bank.storage.session_store import Upload
from pages.shared import start
from pages.shared.server import NewSession, Server
from pages.shared.start import SessionStarter

PATIENCE = 10
SETTINGS = Settings(embedding_model="hash")


class Begins:
    """Stands for the server: numbers what is begun, while its door is open."""

    def __init__(self) -> None:
        self.number, self.door, self.reached = 0, threading.Event(), threading.Event()
        self.door.set()

    def start(self, _new: NewSession, _settings: Settings) -> str:
        self.reached.set()
        assert self.door.wait(PATIENCE)
        self.number += 1
        return str(self.number)


def new(task: str = "When?", **given: Any) -> NewSession:
    owner = Owner(user="local", conversation_id=new_record_id())  # another conversation each time, as from the form
    return NewSession(task, (Upload("a.txt", b"In 1921."),), pace=lambda _event: 0.0, **{"owner": owner, **given})


def test_the_second_press_gives_the_session_of_the_first_even_while_that_is_begun() -> None:
    starter, begins = SessionStarter(), Begins()
    here = cast("Server", begins)
    begins.door.clear()
    with ThreadPoolExecutor(2) as threads:
        pressed = [threads.submit(starter.start, here, new(), SETTINGS) for _ in range(2)]
        assert begins.reached.wait(PATIENCE)
        begins.door.set()
    assert [each.result() for each in pressed] == ["1", "1"]


@pytest.mark.parametrize(
    "other",
    [
        new("Where?"),
        new(sources=(Upload("b.txt", b"In 1922."),)),
        new(owner=None),
        new(owner=Owner(user="ann", conversation_id="c")),
    ],
)
def test_anything_else_is_begun(other: NewSession) -> None:
    starter, here = SessionStarter(), cast("Server", Begins())
    assert [starter.start(here, each, SETTINGS) for each in (new(), other)] == ["1", "2"]
    assert starter.start(here, other, SETTINGS.model_copy(update={"max_steps": 7})) == "3"


def test_the_same_is_begun_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    starter, here = SessionStarter(), cast("Server", Begins())
    monkeypatch.setattr(start, "REPEAT_SECONDS", 0.0)
    assert [starter.start(here, new(), SETTINGS) for _ in range(2)] == ["1", "2"]
