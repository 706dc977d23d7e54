from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.bank.events import EVENT, Event
from memory_bank.storage.event_log import LOG_NAME, EventLog
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.storage.session_store import (
    FILES,
    SessionStore,
    Upload,
    clean_name,
    is_session_id,
    new_session_id,
    store_upload,
)
from tests.bank.story import MOVES, Move, Story
from tests.builders import at, every_event, make_created

BAD_IDS = [
    "",
    ".",
    "..",
    "../other",
    "a/b",
    "/etc",
    "a b",
    "a\n",
    "a\x00",
    "a.b",
    "é",
    "a" * 65,
    "-a",
    "--help",
    "~",
    "%2e%2e",
    "*",
    "?",
]


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def fill(store: SessionStore, session_id: str) -> Path:
    """A session with its first event and one file."""
    folder = store.create(session_id)
    log = EventLog(folder)
    log.append(make_created(session_id).model_copy(update={"seq": 1}))
    log.close()
    (folder / FILES / "s1").write_bytes(b"text")
    return folder


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_new_id_is_valid_and_cannot_be_guessed(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as chance:
        chance.setattr(secrets, "token_hex", lambda octets: "ab" * octets)
        assert new_session_id() == "ab" * 16, "nothing but what the system's source of secrets gives"
    ids = {new_session_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(session_id) >= 22 for session_id in ids)
    assert all(session_id.isalnum() for session_id in ids)  # `resume -x…` would read as an option
    assert all(store.create(session_id).is_dir() for session_id in ids)


def test_a_session_is_a_folder_with_a_place_for_files(store: SessionStore) -> None:
    folder = store.create("one")
    assert folder == store.folder / "one"
    assert everything(store.folder) == ["one", f"one/{FILES}"]


def test_a_taken_id_is_refused_and_the_session_left_alone(store: SessionStore) -> None:
    folder = fill(store, "one")
    with pytest.raises(FileExistsError):
        store.create("one")
    (folder / FILES / "s1").unlink()
    (folder / FILES).rmdir()
    with pytest.raises(FileExistsError):
        store.create("one")
    assert everything(store.folder) == ["one", f"one/{LOG_NAME}"]


@pytest.mark.parametrize("session_id", BAD_IDS)
def test_what_is_no_id_reaches_no_file(store: SessionStore, session_id: str, tmp_path: Path) -> None:
    fill(store, "one")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOG_NAME).write_bytes(b"")
    before = everything(tmp_path)
    for call in (store.create, store.find, store.delete):
        with pytest.raises(SessionNotFoundError) as raised:
            call(session_id)
        assert str(raised.value).isprintable()
    assert not store.holds(session_id)
    assert everything(tmp_path) == before


def test_an_unknown_id_is_named_and_a_folder_without_a_log_is_no_session(store: SessionStore) -> None:
    store.create("begun")
    for session_id in ("unknown", "begun"):
        with pytest.raises(SessionNotFoundError, match=session_id):
            store.find(session_id)
        with pytest.raises(SessionNotFoundError, match=session_id):
            store.delete(session_id)
        assert not store.holds(session_id)
    assert store.ids() == []


def test_sessions_are_listed_newest_first_and_nothing_else_is(store: SessionStore) -> None:
    assert store.ids() == []
    for age, session_id in enumerate(("new", "older", "oldest")):
        log = fill(store, session_id) / LOG_NAME
        os.utime(log, ns=(0, 10**18 - age))
    (store.folder / "not an id").mkdir()
    (store.folder / "not an id" / LOG_NAME).write_bytes(b"")
    (store.folder / "stray.txt").write_text("stray")
    assert store.ids() == ["new", "older", "oldest"]


def test_a_session_deleted_while_they_are_listed_is_left_out(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [fill(store, session_id) / LOG_NAME for session_id in ("one", "two")]
    store.delete("one")
    monkeypatch.setattr(Path, "glob", lambda _folder, _pattern: found)
    assert store.ids() == ["two"]


def test_deleting_removes_the_session_and_nothing_beside_it(store: SessionStore, tmp_path: Path) -> None:
    fill(store, "one")
    fill(store, "one-more")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    (store.folder / "one" / FILES / "link").symlink_to(outside)
    store.delete("one")
    assert store.ids() == ["one-more"]
    assert everything(outside) == ["precious"]
    assert not (store.folder / "one").exists()


def test_a_link_in_the_store_is_not_followed_by_deleting(store: SessionStore, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / LOG_NAME).write_bytes(b"")
    store.folder.mkdir()
    (store.folder / "link").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic link"):
        store.delete("link")
    assert everything(outside) == [LOG_NAME]


# -- files ---------------------------------------------------------------------------------------------------

NAMES = [
    "notes.md",
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "/etc/passwd",
    "C:\\Users\\ada\\notes.md",
    "..",
    ".",
    "",
    " ",
    "dir/",
    "a" * 255,
    "é" * 127,
    "😀" * 63 + ".md",
    "two\nlines.md",
    "nul\x00.md",
    "\x1b[2Jwiped.md",
    "\u202egnp.exe",
    "half \ud83d a character.md",
    "<script>.md",
    "-rf",
    "~",
    "CON",
]


@pytest.mark.parametrize("name", NAMES)
def test_an_upload_of_any_name_is_kept_under_our_own(store: SessionStore, name: str) -> None:
    folder = store.create("one")
    source = store_upload(Upload(name, b"text"), "s1", "material", folder, WaitingImages(folder, "doc-one"))
    assert (source.path, source.bytes, source.role) == (f"{FILES}/s1", 4, "material")
    assert source.sha256 == hashlib.sha256(b"text").hexdigest()
    assert everything(folder) == [FILES, f"{FILES}/s1"]
    assert (folder / source.path).read_bytes() == b"text"
    source.model_dump_json()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("C:\\Users\\ada\\报告.pdf", "报告.pdf"),
        ("", "unnamed"),
        (" \t ", "_"),
        ("a" * 119 + " and more", "a" * 119),
        ("x" * 130 + ".csv", "x" * 116 + ".csv"),
        ("x" * 118 + "  " + "x" * 20 + ".jsonl", "x" * 114 + ".jsonl"),
        ("x" * 110 + "." + "y" * 12, "x" * 110 + "." + "y" * 9),
        ("dir/", "unnamed"),
        ("two\nlines.md", "two_lines.md"),
        ("😀.md", "😀.md"),
    ],
)
def test_a_name_is_shown_as_the_person_knows_it(name: str, shown: str) -> None:
    assert clean_name(name) == shown


@given(st.text() | st.builds("{}{}".format, st.text(min_size=110), st.sampled_from([".csv", " .x", ".", " . "])))
def test_any_name_is_fit_to_be_shown(name: str) -> None:
    shown = clean_name(name)
    assert 1 <= len(shown) <= 120
    assert shown.isprintable()
    assert not re.search(r"[/\\]", shown)
    assert shown.encode()
    assert clean_name(shown) == shown


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=64))
def test_the_bytes_of_an_upload_are_kept_as_they_are(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILES).mkdir(exist_ok=True)
    source = store_upload(Upload("x", data), "s1", "reference", tmp_path, WaitingImages(tmp_path, "doc-one"))
    assert (tmp_path / source.path).read_bytes() == data
    assert (source.bytes, source.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_a_file_is_uploaded_under_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(b"text")
    assert Upload.read(path) == Upload("notes.md", b"text")
    with pytest.raises(OSError, match=r"missing\.md"):
        Upload.read(tmp_path / "missing.md")
    with pytest.raises(OSError, match="directory"):
        Upload.read(tmp_path)


# -- the summary --------------------------------------------------------------------------------------------


def write(store: SessionStore, session_id: str, events: Sequence[Event]) -> Path:
    """Store a session with these events; return its log."""
    folder = store.create(session_id)
    log = folder / LOG_NAME
    log.write_bytes(b"".join(EVENT.dump_json(event) + b"\n" for event in events))
    return log


def test_a_summary_says_what_the_session_is_and_how_much_there_is_of_it(store: SessionStore) -> None:
    events = every_event()
    log = write(store, "mine", events)
    (log.parent / FILES / "s1").write_bytes(b"12345")
    found = store.summary("mine")
    assert (found.id, found.task, found.status) == ("mine", "When was the dam finished?", "finished")
    assert (found.began, found.events, found.sources) == (at(1), len(events), ("notes.md", "notes.md"))
    assert found.bytes == log.stat().st_size + 5


@given(MOVES)
def test_a_summary_counts_what_the_bank_counts(tmp_path_factory: pytest.TempPathFactory, moves: list[Move]) -> None:
    story = Story().play(moves)
    store = SessionStore(tmp_path_factory.mktemp("store"))
    write(store, "told", story.events)
    found, bank = store.summary("told"), story.bank
    assert (found.nodes, found.conflicts, found.events) == (
        len(bank.query_graph),
        len(bank.conflicts),
        len(story.events),
    )
    assert (found.status, list(found.sources)) == (bank.status, [source.name for source in bank.sources.values()])


def test_a_summary_counts_every_type_of_event(store: SessionStore) -> None:
    write(store, "mine", every_event())
    bank = Bank.replay(every_event())
    found = store.summary("mine")
    assert (found.nodes, found.conflicts) == (len(bank.query_graph), len(bank.conflicts))


def test_a_log_is_read_again_only_when_it_has_changed(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    events = every_event()
    log = write(store, "mine", events[:5])
    reads: list[Path] = []
    opened = Path.open

    def counted(path: Path, *given: Any, **named: Any) -> Any:
        if path.name == LOG_NAME:
            reads.append(path)
        return opened(path, *given, **named)

    monkeypatch.setattr(Path, "open", counted)
    assert [store.summary("mine").events for _ in range(3)] == [5, 5, 5]
    assert len(reads) == 1
    with opened(log, "ab") as file:
        file.write(EVENT.dump_json(events[5]) + b"\n")
    assert store.summary("mine").events == 6
    assert len(reads) == 2


def test_a_line_cut_short_by_a_crash_is_not_counted(store: SessionStore) -> None:
    log = write(store, "mine", every_event()[:4])
    log.write_bytes(log.read_bytes()[:-20])
    assert store.summary("mine").events == 3


@pytest.mark.parametrize("content", [b"", b"not a log\n", b'{"seq":1,"at":"x","type":"session_created"}\n'])
def test_what_is_no_log_has_no_summary(store: SessionStore, content: bytes) -> None:
    write(store, "mine", []).write_bytes(content)
    with pytest.raises(CorruptLogError):
        store.summary("mine")


def test_a_deleted_session_has_no_summary(store: SessionStore) -> None:
    write(store, "mine", every_event())
    store.summary("mine")
    store.delete("mine")
    with pytest.raises(SessionNotFoundError):
        store.summary("mine")


@pytest.mark.parametrize("session_id", BAD_IDS)
def test_what_is_no_id_is_told_from_one(session_id: str) -> None:
    assert not is_session_id(session_id)
    assert is_session_id(new_session_id())


@pytest.mark.parametrize("stays", [LOG_NAME, "s1"])
def test_a_session_whose_removal_fails_midway_is_none_and_what_is_left_of_it_is_swept(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch, stays: str
) -> None:
    folder, unlink = fill(store, "one"), os.unlink

    def refuse(path: str, **named: Any) -> None:
        if path == stays:
            raise OSError(errno.EIO, "Input/output error")
        unlink(path, **named)

    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(OSError, match="Errno"):
        store.delete("one")
    monkeypatch.undo()
    assert store.ids() == []
    assert not folder.exists()
    assert any(path.name == stays for path in store.folder.rglob("*"))
    store.sweep()
    assert everything(store.folder) == []


def test_a_file_that_is_moved_while_a_list_is_made_does_no_harm(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(store, "mine", every_event())
    (log.parent / FILES / "s1").write_bytes(b"12345")
    gone = (log.parent / FILES / "s2.part").resolve()
    found = [*log.parent.rglob("*"), gone]
    monkeypatch.setattr(Path, "rglob", lambda _folder, _pattern: found)
    monkeypatch.setattr(Path, "is_file", lambda path: path.name in (LOG_NAME, "s1", gone.name))
    assert store.summary("mine").bytes == log.stat().st_size + 5
