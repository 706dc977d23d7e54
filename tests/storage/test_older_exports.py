"""What an earlier program wrote is read by this one: imported, replayed, gone on with, asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.app.cli import main
from memory_bank.bank.bank import Bank
from memory_bank.bank.events import PlanUpdated
from memory_bank.session.session import Session
from memory_bank.storage.event_log import LOG_NAME, read_events
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import VERSION, export_session, first_difference, import_session, parse_export
from tests.storage import exports

QUESTIONS = {
    "demo-en": ("When was the Aswan High Dam completed?", "1970"),
    "demo-zh": ("阿斯旺高坝是哪一年建成的？", "1970"),
    "decided": ("When was Beacon Mill last worked?", "1955"),
    "remembering": ("Where does the spare key of the boathouse lie?", "flowerpot"),
    "illustrated": ("How wide is the weir at Alton?", "12 m"),
}
NAMES = exports.names()


def test_there_is_one_of_each_kind_for_every_version() -> None:
    assert [f"{version}-{kind}" for version in range(1, VERSION + 1) for kind in sorted(QUESTIONS)] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_it_is_imported_with_its_files_and_adds_up(name: str, tmp_path: Path) -> None:
    text = exports.text(name)
    assert first_difference(parse_export(text)) is None
    folder = SessionStore(tmp_path).find(import_session(text, SessionStore(tmp_path)))
    session = Session.open(folder.name, sessions=tmp_path)
    assert session.bank.status == "finished"
    assert list(session.run()) == []
    assert all((folder / source.path).is_file() for source in session.bank.sources.values() if not source.is_image)
    again = parse_export(export_session(session.events, files=folder).encode())
    assert again == parse_export(text), "what was added since has its default"


@pytest.mark.parametrize("name", NAMES)
def test_replay_and_ask_read_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(exports.text(name))
    question, known = QUESTIONS[name.partition("-")[2]]
    assert main(["replay", str(path)]) == 0
    assert main(["ask", str(path), "--question", question]) == 0
    assert known in capsys.readouterr().out


def test_what_later_programs_record_is_read_from_it(tmp_path: Path) -> None:
    """Earlier ones named a task's image in its description only."""
    assert Bank.replay(parse_export(exports.text("1-decided")).events).verified == {"x1"}
    written = json.loads(exports.text("1-illustrated"))["events"]
    path = tmp_path / LOG_NAME
    path.write_text("".join(f"{json.dumps(event)}\n" for event in written), encoding="utf-8")
    events = list(read_events(path))
    assert events == list(parse_export(exports.text("1-illustrated")).events)
    plans = [event.current for event in events if isinstance(event, PlanUpdated) and event.current]
    assert [plan.image_id for plan in plans] == ["s1", None]
    bank = Bank.replay(events[: next(n for n, event in enumerate(events) if event.type == "plan_updated") + 1])
    assert (bank.waiting_image(plans[0]), bank.plans_since_answer) == (bank.sources["s1"], 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if "remembering" not in name and "illustrated" not in name])
def test_a_session_that_died_half_way_goes_on_to_its_end(name: str, tmp_path: Path) -> None:
    """The files of a session with images or long-term memory wait elsewhere, which an export does not hold."""
    folder = SessionStore(tmp_path).find(import_session(exports.text(name), SessionStore(tmp_path)))
    lines = (folder / LOG_NAME).read_bytes().splitlines(keepends=True)
    (folder / LOG_NAME).write_bytes(b"".join(lines[: len(lines) // 2]))
    session = Session.open(folder.name, sessions=tmp_path)
    list(session.run())
    assert session.bank.status == "finished"
    assert session.answer is not None
    assert session.answer.affirmed
    assert session.bank.sources == Bank.replay(parse_export(exports.text(name)).events).sources
