from __future__ import annotations

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

from memory_bank.bank.event_log import LOG_NAME, EventLog, read_events
from memory_bank.errors import CorruptLogError, UsageError
from memory_bank.events import Event, Notice
from tests.builders import at, every_event

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
    """A watcher reads while a writer is in the middle of a line."""
    path = write(tmp_path, notice(1))
    with path.open("ab") as file:
        file.write(b'{"seq":2')
    before = path.read_bytes()
    assert len(EventLog(tmp_path).events) == 1
    assert path.read_bytes() == before


DAMAGE = {
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
        "import sys, pathlib; from memory_bank.bank.event_log import EventLog; "
        "EventLog(pathlib.Path(sys.argv[1])).claim()"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    log.close()
    assert "being run by another process" in refused.stderr
    assert subprocess.run(command, capture_output=True, check=False, cwd=ROOT).returncode == 0


def test_a_writer_that_missed_what_another_wrote_is_refused(tmp_path: Path) -> None:
    """Else it would number its events as the other did, and the log could never be read again."""
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
