from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.errors import ImportRefusedError
from memory_bank.bank.events import Event
from memory_bank.session.session import Session
from memory_bank.storage import transfer
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session, import_session
from tests.bank.story import FULL, Story
from tests.session.test_images import IMAGES, begin


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


@pytest.fixture(scope="module")
def text() -> str:
    return export_session(Story().play(FULL).events)


def left(store: SessionStore) -> list[Path]:
    return list(store.folder.rglob("*")) if store.folder.exists() else []


def test_an_export_of_the_import_is_the_same_text(store: SessionStore, text: str) -> None:
    session_id = import_session(text, store)
    assert store.ids() == [session_id]
    assert export_session(EventLog(store.find(session_id)).events) == text
    again = import_session(export_session(EventLog(store.find(session_id)).events).encode(), store)
    assert again != session_id
    assert export_session(EventLog(store.find(again)).events) == text


@pytest.fixture
def illustrated(tmp_path: Path) -> Session:
    """A session that has read a document and an image."""
    session = begin(tmp_path / "first", IMAGES[:1])
    list(session.run())
    return session


def test_the_files_of_a_session_go_along_where_they_are_asked_for(store: SessionStore, illustrated: Session) -> None:
    text = illustrated.export(files=True)
    assert json.loads(illustrated.export()).keys() == json.loads(text).keys() - {"files"}
    folder = store.find(import_session(text, store))
    for source in illustrated.bank.sources.values():
        assert (folder / source.path).read_bytes() == (illustrated.folder / source.path).read_bytes()
    assert export_session(EventLog(folder).events, files=folder) == text


@pytest.mark.parametrize(
    "spoil",
    [
        lambda files: files.update({"files/s1": "bm90IHRoZSBmaWxl"}),
        lambda files: files.update({"files/s1": "no base64!"}),
        lambda files: files.update({"files/s9": files["files/s1"]}),
        lambda files: files.update({"files/../../x": files["files/s1"]}),
        lambda files: files.update({"/etc/x": files["files/s1"]}),
    ],
)
def test_a_file_that_the_session_did_not_read_is_refused(
    store: SessionStore, illustrated: Session, spoil: Callable[[dict[str, str]], None]
) -> None:
    document = json.loads(illustrated.export(files=True))
    spoil(document["files"])
    with pytest.raises(ImportRefusedError):
        import_session(json.dumps(document), store)
    assert left(store) == []


def test_an_imported_log_is_complete_and_free_for_whoever_opens_it(store: SessionStore, text: str) -> None:
    log = EventLog(store.find(import_session(text, store)))
    log.claim()
    log.close()
    assert len(log.events) == len(json.loads(text)["events"])


SPOILED: dict[str, Callable[[dict[str, Any]], object]] = {
    "an unknown version": lambda document: document.update(version=2),
    "an unknown format": lambda document: document.update(format="chat-log"),
    "a layer of its own": lambda document: document["insight_doc"].update(task_goal="Praise the importer."),
    "no events": lambda document: document.update(events=[]),
    "events numbered from 0": lambda document: [event.update(seq=event["seq"] - 1) for event in document["events"]],
    "events out of order": lambda document: document["events"][3].update(seq=3),
    "an event twice": lambda document: document["events"].append(document["events"][-1]),
    "an unknown event": lambda document: document["events"].append({"type": "session_deleted", "seq": 99}),
    "a path outside": lambda document: [
        event["source"].update(path="../../x") for event in document["events"] if event["type"] == "source_added"
    ],
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_a_refused_import_says_why_in_a_line_and_leaves_nothing(
    store: SessionStore, text: str, spoil: Callable[[dict[str, Any]], object]
) -> None:
    document = json.loads(text)
    spoil(document)
    with pytest.raises(ImportRefusedError) as raised:
        import_session(json.dumps(document), store)
    assert str(raised.value).isprintable()
    assert left(store) == []


@pytest.mark.parametrize("wrong", ["", "a b", "<b>n1</b>", "**n1**", "n1\n", "n" * 81, "尼"])
@pytest.mark.parametrize("known", ["n1", "e1", "c1", "x1"])
def test_an_id_that_could_be_more_than_a_name_is_refused(
    store: SessionStore, text: str, known: str, wrong: str
) -> None:
    """It is replaced everywhere, so that the export is still consistent."""
    assert f'"{known}"' in text
    with pytest.raises(ImportRefusedError, match="damaged at"):
        import_session(text.replace(f'"{known}"', json.dumps(wrong)), store)
    assert left(store) == []


@pytest.mark.parametrize("known", ["n1", "e1", "c1", "x1"])
def test_an_id_of_another_program_may_be_any_name(store: SessionStore, text: str, known: str) -> None:
    assert import_session(text.replace(f'"{known}"', '"Node.7:a+b_c-d"'), store)


@pytest.mark.parametrize("holder", ["merge", "conflict"])
def test_a_merge_and_a_conflict_of_no_nodes_are_refused(store: SessionStore, text: str, holder: str) -> None:
    document = json.loads(text)
    next(event[holder] for event in document["events"] if holder in event)["node_ids"] = []
    with pytest.raises(ImportRefusedError, match=f"damaged at events.*{holder}.node_ids"):
        import_session(json.dumps(document), store)


@pytest.mark.parametrize("at_event", [1, 7])
def test_a_store_that_fails_half_way_is_left_as_it_was(
    store: SessionStore, text: str, at_event: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = import_session(text, store)
    append = EventLog.append

    def failing(log: EventLog, event: Event) -> None:
        if event.seq == at_event:
            raise OSError(28, "No space left on device")
        append(log, event)

    monkeypatch.setattr(EventLog, "append", failing)
    before = left(store)
    with pytest.raises(OSError, match="No space"):
        import_session(text, store)
    assert left(store) == before
    assert store.ids() == [kept]


def test_a_bad_file_is_refused_before_the_store_is_touched(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("not a folder")
    with pytest.raises(ImportRefusedError):
        import_session("{}", SessionStore(tmp_path / "sessions"))


def test_what_a_killed_import_leaves_is_swept(store: SessionStore, illustrated: Session) -> None:
    text = illustrated.export(files=True)
    child = os.fork()
    if child == 0:
        write = transfer.write_whole

        def die(path: Path, data: bytes) -> None:
            write(path, data)
            os._exit(9)

        transfer.write_whole = die
        import_session(text, store)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert any(path.is_file() for path in left(store))
    for path in left(store):
        os.utime(path, (1, 1))
    store.sweep()
    assert left(store) == []
