from __future__ import annotations

import errno
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import CorruptLogError, UsageError
from memory_bank.bank.events import (
    AgentCalled,
    AgentFailed,
    Event,
    Notice,
    PersonDecided,
    StatusChanged,
    TurnTaken,
)
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.usage import ModelCall, Usage
from memory_bank.storage.event_log import DRAFT_NAME, LOG_NAME, EventLog, is_locked, read_events
from tests.builders import at, every_event
from tests.faults.files import FileFault, Files

ROOT = Path(__file__).parents[2]
MESSAGES = st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=6)


def notice(seq: int, message: str = "hello") -> Event:
    return Notice(seq=seq, at=at(seq), message=message)


def write(folder: Path, *events: Event) -> Path:
    log = EventLog(folder)
    for event in events:
        log.append(event)
    log.close()
    return folder / LOG_NAME


def read(folder: Path) -> list[Event]:
    return list(read_events(folder / LOG_NAME))


def test_what_was_appended_is_read_again(tmp_path: Path) -> None:
    write(tmp_path, *every_event())
    assert EventLog(tmp_path).events == every_event() == read(tmp_path)


def test_each_event_is_a_line_on_disk_as_soon_as_append_returns(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    for seq in range(1, 4):
        log.append(notice(seq))
        assert len((tmp_path / LOG_NAME).read_bytes().splitlines()) == seq == len(log.events)
    log.close()


def test_a_new_log_is_empty_and_leaves_no_file_until_it_is_written(tmp_path: Path) -> None:
    assert EventLog(tmp_path).events == []
    assert list(tmp_path.iterdir()) == []


@given(MESSAGES, st.data())
def test_a_log_cut_at_any_byte_is_read_to_its_last_whole_line_and_goes_on_there(
    messages: list[str], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write(folder, *(notice(seq, message) for seq, message in enumerate(messages, start=1)))
        whole = path.read_bytes()
        cut = whole[: data.draw(st.integers(0, len(whole)))]
        path.write_bytes(cut)
        left = cut.count(b"\n")
        log = EventLog(folder)
        assert log.events == [notice(seq, message) for seq, message in enumerate(messages[:left], start=1)]
        log.append(notice(left + 1, "after the crash"))
        log.close()
        assert read(folder) == log.events
        assert EventLog(folder).events[-1] == notice(left + 1, "after the crash")


def test_reading_a_log_with_a_half_written_line_leaves_the_file_alone(tmp_path: Path) -> None:
    """A reader may read while a writer is in the middle of a line."""
    path = write(tmp_path, notice(1))
    with path.open("ab") as file:
        file.write(b'{"seq":2')
    before = path.read_bytes()
    assert len(EventLog(tmp_path).events) == 1
    assert path.read_bytes() == before


TORN = {
    "a cut-off line": b'{"seq":3,"at":"2024-01-01T0',
    "half a character": '{"seq":3,"message":"é'.encode()[:-1],
    "zeros": b"\0" * 4096,
    "a line of zeros": b"\0" * 200 + b"\n",
    "a line that begins well": b'{"seq":3,"at":"2024' + b"\0" * 200 + b"\n",
    "a line that ends well": b"\0" * 200 + b'"message":"hello"}\n',
}


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN.keys())
def test_what_lost_power_leaves_at_the_end_is_cut_off_by_the_next_writer(tmp_path: Path, torn: bytes) -> None:
    path = write(tmp_path, notice(1), notice(2))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    log = EventLog(tmp_path)
    assert log.events == [notice(1), notice(2)]
    log.append(notice(3, "after it"))
    log.close()
    assert read(tmp_path) == [notice(1), notice(2), notice(3, "after it")]
    assert path.read_bytes().startswith(whole + b'{"seq":3,')


CALL = ModelCall(provider="openai", model="m")
PAID = Usage.of((CALL,))
TURN = StepTurn(messages=(Message(role="assistant", content="It was 1921."),), calls=(CALL,))
CALLED = {"key": "structure/n1", "agent": "structure", "provider": "openai", "model": "m", "output": {}}
FAILED = {"key": "structure/n1", "agent": "structure", "attempt": 1, "error": "no answer"}
LASTING: list[tuple[Event, bool]] = [
    (AgentCalled(**CALLED, usage=PAID, calls=(CALL,)), True),  # type: ignore[arg-type]
    (AgentCalled(**{**CALLED, "provider": "an agent outside"}, usage=Usage()), True),  # type: ignore[arg-type]
    (AgentCalled(**{**CALLED, "provider": "offline"}, usage=Usage(seconds=0.1)), False),  # type: ignore[arg-type]
    (AgentFailed(**FAILED, usage=PAID, calls=(CALL,)), True),  # type: ignore[arg-type]
    (AgentFailed(**FAILED), False),  # type: ignore[arg-type]
    (TurnTaken(task_id="t1", number=1, turn=TURN, usage=PAID), True),
    (PersonDecided(conflict_id="x1", verdict="first"), True),
    (StatusChanged(status="paused"), True),
    (Notice(message="hello"), False),
]


@pytest.mark.parametrize(("event", "lasts"), LASTING)
def test_what_was_paid_for_or_decided_is_waited_for_and_what_costs_nothing_is_not(
    tmp_path: Path, event: Event, *, lasts: bool
) -> None:
    log, files = EventLog(tmp_path), Files(tmp_path)
    with files.patched():
        log.append(event.model_copy(update={"seq": 1, "at": at(1)}))
    log.close()
    assert files.counts["fsync"] == lasts


REFUSALS = [
    FileFault("open", 1, errno.EACCES),
    FileFault("write", 1, errno.ENOSPC),
    FileFault("write", 1, errno.ENOSPC, half=True),
    FileFault("write", 1, errno.EIO),
    FileFault("fsync", 1, errno.EIO),
]


@pytest.mark.parametrize("fault", REFUSALS, ids=str)
def test_an_event_that_the_disk_refuses_has_no_effect_and_no_part_in_the_log(tmp_path: Path, fault: FileFault) -> None:
    effects: list[Event] = []
    path = write(tmp_path, notice(1))
    before = path.read_bytes()
    log = EventLog(tmp_path)
    status = StatusChanged(seq=2, at=at(2), status="finished")
    with Files(tmp_path, fault).patched(), pytest.raises(OSError, match=r"Errno"):
        log.append(status, effects.append)
    assert (effects, log.events, path.read_bytes()) == ([], [notice(1)], before)
    log.append(status, effects.append)
    log.close()
    assert effects == [status]
    assert read(tmp_path) == [notice(1), status]


def test_an_event_whose_effect_fails_does_not_stay_in_the_log(tmp_path: Path) -> None:
    def refuse(event: Event) -> None:
        raise CorruptLogError("it does not fit")

    log = EventLog(tmp_path)
    log.append(notice(1))
    with pytest.raises(CorruptLogError):
        log.append(notice(2), refuse)
    assert read(tmp_path) == log.events == [notice(1)]


def test_a_draft_is_no_session_until_it_is_published_and_lasts_then(tmp_path: Path) -> None:
    log, files = EventLog(tmp_path), Files(tmp_path)
    log.draft()
    log.append(notice(1))
    assert [path.name for path in tmp_path.iterdir()] == [DRAFT_NAME]
    with files.patched():
        log.publish()
    assert [path.name for path in tmp_path.iterdir()] == [LOG_NAME]
    assert files.counts["fsync"] >= 2, "the file, and the folder that names it"
    log.append(notice(2))
    log.close()
    assert read(tmp_path) == [notice(1), notice(2)]


DAMAGE = {
    "zeros before the last line": lambda lines: [lines[0], b"\0" * 20 + b"\n", lines[2]],
    "a line of garbage": lambda lines: [lines[0], b"\x00\xff\xfe\n", *lines[1:]],
    "an empty line": lambda lines: [lines[0], b"\n", *lines[1:]],
    "a shortened line": lambda lines: [lines[0], lines[1][:-9] + b"\n", lines[2]],
    "two lines in one": lambda lines: [lines[0].rstrip() + lines[1], lines[2]],
    "a missing line": lambda lines: [lines[0], lines[2]],
    "a missing first line": lambda lines: lines[1:],
    "a doubled line": lambda lines: [lines[0], *lines],
    "lines in another order": lambda lines: [lines[0], lines[2], lines[1]],
    "an unknown type": lambda lines: [lines[0], lines[1].replace(b'"notice"', b'"gossip"'), lines[2]],
    "an unknown key": lambda lines: [lines[0], lines[1].replace(b'"message"', b'"massage"'), lines[2]],
    "a damaged last line that is whole": lambda lines: [lines[0], lines[1], b'{"seq": 3\n'],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_log_is_refused_and_not_read_around(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    path = write(tmp_path, notice(1), notice(2), notice(3))
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(CorruptLogError, match=r"line \d"):
        EventLog(tmp_path)


def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    first, second = EventLog(tmp_path), EventLog(tmp_path)
    first.append(notice(1))
    with pytest.raises(UsageError, match="another process"):
        second.append(notice(1, "from the second"))
    assert second.events == []
    first.append(notice(2))
    first.close()
    assert read(tmp_path) == [notice(1), notice(2)]


def test_another_process_is_refused_too(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(notice(1))
    program = (
        "import sys, pathlib; from memory_bank.storage.event_log import EventLog; "
        "EventLog(pathlib.Path(sys.argv[1])).claim()"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    log.close()
    assert "being run by another process" in refused.stderr
    assert subprocess.run(command, capture_output=True, check=False, cwd=ROOT).returncode == 0


def test_a_writer_that_missed_what_another_wrote_is_refused(tmp_path: Path) -> None:
    """Otherwise it would reuse the other's event numbers, and the log could never be read again."""
    write(tmp_path, notice(1))
    first, late = EventLog(tmp_path), EventLog(tmp_path)
    first.append(notice(2))
    first.close()
    with pytest.raises(UsageError, match="open it again"):
        late.append(notice(2, "from the one that is late"))
    assert read(tmp_path) == [notice(1), notice(2)]
    assert EventLog(tmp_path).events == read(tmp_path)


def test_a_refused_writer_leaves_no_lock_behind(tmp_path: Path) -> None:
    late = EventLog(tmp_path)
    write(tmp_path, notice(1))
    with pytest.raises(UsageError):
        late.claim()
    write(tmp_path, notice(2))
    assert read(tmp_path) == [notice(1), notice(2)]


def test_a_closed_log_opens_again_by_itself(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.close()
    for seq in (1, 2):
        log.append(notice(seq))
        log.close()
    assert read(tmp_path) == [notice(1), notice(2)]


@contextmanager
def disk_full(size: int) -> Iterator[None]:
    """No file can grow beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 1, 20])
def test_a_full_disk_is_an_error_that_leaves_the_log_whole(tmp_path: Path, room: int) -> None:
    log = EventLog(tmp_path)
    log.append(notice(1))
    with disk_full((tmp_path / LOG_NAME).stat().st_size + room), pytest.raises(OSError, match=r"No space|too large"):
        log.append(notice(2, "lost"))
    assert log.events == [notice(1)]
    assert EventLog(tmp_path).events == [notice(1)]
    log.append(notice(2, "there is room again"))
    log.close()
    assert read(tmp_path) == [notice(1), notice(2, "there is room again")]


def test_an_event_that_cannot_be_written_leaves_the_log_whole(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(notice(1))
    half_a_character = notice(2, "\ud800")
    with pytest.raises(ValueError, match="surrogates"):
        log.append(half_a_character)
    log.append(notice(2))
    log.close()
    assert read(tmp_path) == [notice(1), notice(2)] == log.events


class Refusing(Files):
    """Every `fsync` fails, and so does every `truncate` but the first, which is part of opening a log."""

    def due(self, operation: str, path: object) -> bool:
        super().due(operation, path)
        return operation == "fsync" or (operation == "truncate" and self.counts[operation] > 1)


def not_taken_back(folder: Path) -> EventLog:
    """A log of one event whose file holds a second one, which could not be cut off."""
    write(folder, notice(1))
    log = EventLog(folder)
    files = Refusing(folder, FileFault("fsync", 1, errno.EIO))
    with files.patched(), pytest.raises(OSError, match="Errno"):
        log.append(StatusChanged(seq=2, at=at(2), status="paused"))
    assert len(read(folder)) == 2
    return log


def test_an_event_that_could_not_be_taken_back_is_cut_off_by_the_next_writer(tmp_path: Path) -> None:
    log = not_taken_back(tmp_path)
    log.append(notice(2))
    log.close()
    assert read(tmp_path) == log.events == [notice(1), notice(2)]


def test_an_event_that_could_not_be_taken_back_stays_where_another_process_went_on_with_it(tmp_path: Path) -> None:
    log = not_taken_back(tmp_path)
    write(tmp_path, notice(3))
    before = read(tmp_path)
    for _again in range(2):
        with pytest.raises(UsageError, match="another process"):
            log.append(notice(2))
    assert read(tmp_path) == before
    assert len(before) == 3


def test_a_log_is_held_while_it_is_written(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(notice(1))
    assert is_locked(tmp_path / LOG_NAME)
    log.close()
    assert not is_locked(tmp_path / LOG_NAME)
