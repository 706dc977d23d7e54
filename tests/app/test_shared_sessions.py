"""Which sessions a user may see, and that reading them locks and changes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.app.shared_sessions import MOST_OPEN, SharedSessions
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError, UsageError
from memory_bank.bank.events import SourceAdded
from memory_bank.long_term.owner import FILE as OWNER_NAME
from memory_bank.storage.event_log import LOG_NAME, EventLog
from memory_bank.storage.session_store import SessionStore
from tests.builders import make_created, make_source
from tests.long_term.kept import HOSTILE, scope
from tests.storage.test_session_store import BAD_IDS


def begin(folder: Path, session_id: str, owner: object = None) -> EventLog:
    """A new session with its first event; the returned log keeps it open for writing."""
    path = SessionStore(folder).create(session_id)
    if owner is not None:
        (path / OWNER_NAME).write_text(owner if isinstance(owner, str) else json.dumps(owner))
    log = EventLog(path)
    log.append(make_created(session_id).model_copy(update={"seq": 1}))
    return log


def owned(user: str, project: str | None = None) -> dict[str, object]:
    return {"user": user, "project": project, "conversation_id": "c1"}


def seen(folder: Path, user: str, project: str | None = None) -> set[str]:
    return set(SharedSessions(folder, scope(user, project)).ids())


def test_a_user_sees_their_own_sessions_and_those_of_nobody(tmp_path: Path) -> None:
    for session_id, owner in {
        "free": None,
        "ann1": owned("ann"),
        "ann2": owned("ann", "trips"),
        "bob1": owned("bob"),
        "bob2": owned("bob", "trips"),
    }.items():
        begin(tmp_path, session_id, owner).close()
    assert seen(tmp_path, "ann") == {"free", "ann1", "ann2"}
    assert seen(tmp_path, "ann", "trips") == {"free", "ann2"}
    assert seen(tmp_path, "bob", "work") == {"free"}
    assert seen(tmp_path, "eve") == {"free"}


@pytest.mark.parametrize(
    "owner",
    ["", "null", "[]", "{", '{"user": null}', '{"user": ["ann"]}', '{"project": "p"}', '"ann"', "\ud83d", "x" * 20_000],
)
def test_a_session_whose_owner_cannot_be_told_is_nobodys_to_look_at(tmp_path: Path, owner: str) -> None:
    begin(tmp_path, "s1").close()
    (tmp_path / "s1" / OWNER_NAME).write_bytes(owner.encode("utf-8", "surrogatepass"))
    assert seen(tmp_path, "ann") == set()


def test_an_owner_file_that_cannot_be_read_shows_the_session_to_nobody(tmp_path: Path) -> None:
    begin(tmp_path, "s1").close()
    (tmp_path / "s1" / OWNER_NAME).mkdir()
    assert seen(tmp_path, "ann") == set()


def test_names_that_look_alike_are_different_people(tmp_path: Path) -> None:
    for number, user in enumerate(HOSTILE):
        begin(tmp_path, f"s{number}", owned(user)).close()
    for number, user in enumerate(HOSTILE):
        assert seen(tmp_path, user) == {f"s{number}"}


@pytest.mark.parametrize("session_id", [*BAD_IDS, "nobody", "bobs", "../bobs", "store/../bobs", "bobs/files"])
def test_what_is_not_there_is_anothers_or_is_no_id_is_the_same(tmp_path: Path, session_id: str) -> None:
    folder = tmp_path / "store"
    begin(folder, "bobs", owned("bob")).close()
    begin(tmp_path, "bobs").close()  # beside the folder, within reach of ".."
    shared = SharedSessions(folder, scope("ann"))
    for look in (shared.open, shared.summary):
        with pytest.raises(SessionNotFoundError) as refused:
            look(session_id)
        assert str(refused.value) == "no such session; see which there are"


@given(session_id=st.text(alphabet="bobs./\\%2e~*\x00 -", max_size=12) | st.text())
def test_no_text_at_all_opens_what_is_not_the_users(tmp_path_factory: pytest.TempPathFactory, session_id: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "tried"
    if not folder.exists():
        begin(folder, "bobs", owned("bob")).close()
    with pytest.raises(SessionNotFoundError, match=r"^no such session; see which there are$"):
        SharedSessions(folder, scope("ann")).open(session_id)


def test_a_session_that_another_process_writes_is_seen_as_it_stands(tmp_path: Path) -> None:
    log = begin(tmp_path, "s1")
    shared = SharedSessions(tmp_path, scope("ann"))
    before = shared.open("s1")
    assert shared.open("s1") is before
    log.append(SourceAdded(source=make_source()).model_copy(update={"seq": 2}))
    assert "s1" in shared.open("s1").bank.sources
    assert "s1" not in before.bank.sources, "what was opened before stands still"
    with (tmp_path / "s1" / LOG_NAME).open("ab") as file:
        file.write(b'{"seq":3,"at"')  # a line that is being written
    assert shared.open("s1").bank.sources.keys() == {"s1"}
    log.close()


def test_looking_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    begin(tmp_path, "s1", owned("ann")).close()
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in tmp_path.rglob("*")}
    shared = SharedSessions(tmp_path, scope("ann"))
    shared.open("s1")
    shared.summary("s1")
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in tmp_path.rglob("*")} == before


def test_few_sessions_are_kept_open_and_a_deleted_one_is_not(tmp_path: Path) -> None:
    shared = SharedSessions(tmp_path, scope("ann"))
    names = [f"s{number}" for number in range(MOST_OPEN + 2)]
    for name in names:
        begin(tmp_path, name).close()
    opened = {name: shared.open(name) for name in names}
    assert [shared.open(name) is opened[name] for name in reversed(names)] == [True] * MOST_OPEN + [False] * 2
    for name in names[1:]:
        shutil.rmtree(tmp_path / name)
    shared.open(names[0])
    assert list(shared._opened) == [names[0]]
    with pytest.raises(SessionNotFoundError):
        shared.open(names[1])


@pytest.mark.parametrize("log", [b"", b'{"seq":1', b"no events\n", b'{"seq":1,"at":"now","type":"?"}\n', b"\xff\n"])
def test_a_damaged_log_is_said_to_be_damaged(tmp_path: Path, log: bytes) -> None:
    begin(tmp_path, "s1").close()
    (tmp_path / "s1" / LOG_NAME).write_bytes(log)
    with pytest.raises(CorruptLogError):
        SharedSessions(tmp_path, scope("ann")).open("s1")


def test_a_folder_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        SharedSessions(tmp_path / "nowhere", scope("ann"))
