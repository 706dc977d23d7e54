"""Pages that a step visited: the log and the session's folder agree, whenever the session was killed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.message import Message
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import import_session
from tests.scripted import ScriptedFramework
from tests.session.test_images import begin, parts, reopen

PAGES = {
    "https://mills.test/a": "The mill closed in 1921.\n\n```python\nprint('no')\n```",
    "https://mills.test/b": "哈洛大桥长214米。\n\nThe weir is 12 m wide.",
}


def look(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
    """Visit two pages."""
    del prompt, tools
    visited = (Message(role="tool", name="visit", source=url, content=text) for url, text in PAGES.items())
    return StepResult(answer="1921", messages=tuple(visited))


def visiting() -> Parts:
    return parts(ScriptedFramework(look))


def kept(session: Session) -> list[Attachment]:
    return [found for entry in session.bank.trees for found in entry.attachments]


def agree(session: Session) -> bool:
    """Whether each file that a record refers to is there, as it says."""
    files = [(session.folder / found.path, found.sha256) for found in kept(session)]
    return all(hashlib.sha256(path.read_bytes()).hexdigest() == digest for path, digest in files)


def test_killed_at_any_event_the_files_are_those_of_the_records(tmp_path: Path) -> None:
    number, last = 0, False
    while not last:
        number += 1
        session = begin(tmp_path / str(number), (), visiting())
        last = all(count != number for count, _event in enumerate(session.run(), start=1))
        session.close()
        again = reopen(session, visiting())
        assert agree(again)
        list(again.run())
        assert agree(again)
        assert {found.id for found in kept(again)} == {"t1.m1", "t1.m2"}
        assert sorted(path.name for path in (again.folder / "files").iterdir()) == ["s1", "t1.m1", "t1.m2"]
    assert number > len(PAGES)


def test_what_was_visited_goes_with_an_export_and_comes_with_an_import(tmp_path: Path) -> None:
    session = begin(tmp_path, (), visiting())
    list(session.run())
    text = session.export(files=True)
    store = SessionStore(tmp_path / "elsewhere")
    came = Session.open(import_session(text, store), sessions=store.folder, parts=visiting())
    assert agree(came)
    assert came.adapter.attachment("t1.m2").content == PAGES["https://mills.test/b"]
    assert came.export(files=True) == text
    told = came.adapter.call("deep_retrieval", {"node_id": came.bank.units["t1.m1.1.1"]})
    assert "attachment t1.m1: document, text/plain" in told
