"""The door for older versions, with a step from a version 0 that never was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.errors import ImportRefusedError
from memory_bank.storage import transfer
from memory_bank.storage.event_log import LOG_NAME
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import VERSION, import_session, parse_export
from tests.storage import exports

NEW = json.loads(exports.text("1-decided"))


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
    monkeypatch.setitem(transfer.STEPS, 0, newer)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path)


def test_the_steps_lead_from_the_first_version_to_the_newest() -> None:
    assert sorted(transfer.STEPS) == list(range(1, VERSION))


@pytest.mark.parametrize("version", [0, VERSION + 1, True, "1", 1.0, None])
def test_an_unknown_version_is_refused(version: object) -> None:
    with pytest.raises(ImportRefusedError, match="update the program"):
        parse_export(json.dumps({**NEW, "version": version}))


def test_an_older_export_is_led_through_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(transfer.STEPS, -1, older)
    monkeypatch.setitem(transfer.STEPS, 0, newer)
    assert parse_export(json.dumps({**NEW, "version": -1})) == parse_export(json.dumps(NEW))


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
