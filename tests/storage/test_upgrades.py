"""The door for older versions, with a step from a version 0 that never was."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.errors import CorruptLogError, ImportRefusedError, SessionNotFoundError
from memory_bank.storage import upgrades
from memory_bank.storage.event_log import LOG_NAME, EventLog
from memory_bank.storage.importing import import_session
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import parse_export
from memory_bank.storage.upgrades import VERSION, UnknownVersionError, upgraded
from tests.bank.story import FULL, Story
from tests.storage import exports

NEW = json.loads(exports.text("1-decided"))
OLD_LOG = "events.0.jsonl"


def older(document: dict[str, Any]) -> dict[str, Any]:
    """As version 0 would have written it: an event's type was its kind."""
    events = [{"seq": event["seq"], "kind": event["type"], **without(event, "type")} for event in document["events"]]
    return {**document, "version": 0, "events": events}


def newer(document: dict[str, Any]) -> dict[str, Any]:
    events = [
        {"seq": event["seq"], "at": event["at"], "type": event["kind"], **without(event, "kind")}
        for event in document["events"]
    ]
    return {**document, "events": events}


def without(event: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != key}


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(upgrades.STEPS, 0, newer)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path)


@pytest.fixture
def old(store: SessionStore) -> Path:
    """A session of the store whose log version 0 wrote."""
    folder = store.folder / "old"
    folder.mkdir(parents=True)
    lines = [json.dumps(event) + "\n" for event in older(NEW)["events"]]
    (folder / OLD_LOG).write_text("".join(lines))
    return folder


def test_the_steps_lead_from_the_first_version_to_the_newest() -> None:
    assert sorted(upgrades.STEPS) == list(range(1, VERSION))


def test_an_older_document_is_led_through_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    for version in (-1, 0):
        monkeypatch.setitem(upgrades.STEPS, version, lambda document: {**document, "way": [*document["way"], 1]})
    assert upgraded({"version": -1, "way": []}) == {"version": VERSION, "way": [1, 1]}
    assert upgraded({"version": VERSION, "way": []}) == {"version": VERSION, "way": []}


@pytest.mark.parametrize("version", [0, VERSION + 1, True, "1", 1.0, None])
def test_an_unknown_version_is_refused(version: object) -> None:
    with pytest.raises(UnknownVersionError):
        upgraded({"version": version})


@pytest.mark.usefixtures("step")
def test_an_older_export_is_imported_as_if_it_were_new(store: SessionStore) -> None:
    old_text, new_text = json.dumps(older(NEW)), json.dumps(NEW)
    assert parse_export(old_text) == parse_export(new_text)
    first, second = (store.find(import_session(text, store)) for text in (old_text, new_text))
    assert (first / LOG_NAME).read_bytes() == (second / LOG_NAME).read_bytes()


@pytest.mark.usefixtures("step")
def test_a_damaged_older_export_is_refused_in_a_line() -> None:
    with pytest.raises(ImportRefusedError, match="this export of version 0 is damaged: it cannot be upgraded"):
        parse_export(json.dumps({**older(NEW), "events": [{"seq": 1}]}))


@pytest.mark.usefixtures("step")
def test_a_session_of_an_older_program_is_listed_opened_and_its_log_kept(store: SessionStore, old: Path) -> None:
    before = (old / OLD_LOG).read_bytes()
    store.sweep()
    assert store.ids() == ["old"]
    assert store.summary("old").status == "finished"
    assert tuple(EventLog(store.find("old")).events) == parse_export(json.dumps(NEW)).events
    assert (old / OLD_LOG).read_bytes() == before


@pytest.mark.usefixtures("step")
def test_finding_it_upgrades_it_once(store: SessionStore, old: Path) -> None:
    log = EventLog(store.find("old"))
    log.append(Story().play(FULL).events[-1].model_copy(update={"seq": len(log.events) + 1}))
    log.close()
    written = (old / LOG_NAME).read_bytes()
    store.find("old")
    assert (old / LOG_NAME).read_bytes() == written


@pytest.mark.usefixtures("step")
def test_a_last_line_cut_short_by_a_crash_is_left_out(store: SessionStore, old: Path) -> None:
    (old / OLD_LOG).write_bytes((old / OLD_LOG).read_bytes() + b'{"seq":')
    assert len(EventLog(store.find("old")).events) == len(NEW["events"])


@pytest.mark.usefixtures("step")
@pytest.mark.parametrize("line", ["no JSON\n", "[]\n", '{"seq": 1}\n', "1\n"])
def test_a_damaged_older_log_is_told_and_left_as_it_is(store: SessionStore, old: Path, line: str) -> None:
    (old / OLD_LOG).write_text(line)
    store.sweep()
    with pytest.raises(CorruptLogError, match="cannot be upgraded; it was left as it is"):
        store.find("old")
    assert [path.name for path in old.iterdir()] == [OLD_LOG]


@pytest.mark.usefixtures("step")
def test_what_an_older_program_is_still_writing_is_not_taken_from_it(store: SessionStore, old: Path) -> None:
    with (old / OLD_LOG).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(CorruptLogError, match="still being written by an older version"):
            store.find("old")
    assert store.find("old") == old


def test_a_session_of_a_newer_program_is_told_and_another_is_not_found(store: SessionStore) -> None:
    folder = store.folder / "new"
    folder.mkdir(parents=True)
    with pytest.raises(SessionNotFoundError):
        store.find("new")
    (folder / f"events.{VERSION + 1}.jsonl").touch()
    with pytest.raises(CorruptLogError, match="written by a newer version of this program; update the program"):
        store.find("new")
