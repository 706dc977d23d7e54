"""The append-only log of a session: one folder, one file, one line for each event.

What lasts: an event is with the operating system when `append` returns, and so survives the death of the process at
any moment. A loss of power it survives from the next event on that is worth waiting for the disk (`fsync`): whatever
was paid for (a request to a model), what anybody but the embedded engine judged or brought (an agent outside, say),
what a person decided, the answer, and each change of the session's life; and the whole of a session's beginning. In
between are only events that the embedded engine makes again for nothing.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from memory_bank.durable_files import sync_folder, write_all
from memory_bank.errors import CorruptLogError, UsageError
from memory_bank.events import (
    EVENT,
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    Event,
    PersonDecided,
    StatusChanged,
    TurnTaken,
)

LOG_NAME = "events.jsonl"
DRAFT_NAME = f"{LOG_NAME}.draft"
"""The log of a session that is being made: it is none yet."""


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a log file that were written whole, in order.

    A crash cuts the last one short; a loss of power may also leave it, on some file systems, with zeros in place of
    what did not reach the disk.
    """
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n") or (b"\0" in line and not file.read(1)):
                return
            yield line


def read_events(path: Path) -> Iterator[Event]:
    """The complete events of a log file, in order. A last line cut short by a crash is left out."""
    for number, line in enumerate(whole_lines(path), start=1):
        try:
            event = EVENT.validate_json(line)
        except ValidationError as error:
            raise CorruptLogError(f"{path.name}, line {number}: not a known event") from error
        if event.seq != number:
            raise CorruptLogError(f"{path.name}, line {number}: event {event.seq} is out of order")
        yield event


def is_held(path: Path) -> bool:
    """Whether a process writes a log file now, this one too. `FileNotFoundError`."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class EventLog:
    """Events in memory and on disk. Only one process at a time may write a session's log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / LOG_NAME
        self._file: IO[bytes] | None = None
        self._size = 0
        self._untaken: int | None = None  # how long the file is since an event could not be taken back
        self.events: list[Event] = list(read_events(self._path)) if self._path.exists() else []

    def draft(self) -> None:
        """Begin a session's log under another name, until `publish`: a session is there whole or not at all."""
        self._path = self._path.with_name(DRAFT_NAME)

    def publish(self) -> None:
        """Make the draft the log of a session, which lasts from now on, as the names of its files do. `OSError`."""
        final = self._path.with_name(LOG_NAME)
        os.fsync(self._writer().fileno())
        self._path.replace(final)
        self._path = final
        for folder in (*(path for path in final.parent.iterdir() if path.is_dir()), final.parent, final.parent.parent):
            sync_folder(folder)

    def claim(self) -> None:
        """Become the one writer; nothing happens if this log is it already.

        `UsageError` if another process is writing, or has written since this log was read.
        """
        self._writer()

    def append(self, event: Event, take_effect: Callable[[Event], None] | None = None) -> None:
        """Write one event; when this returns it survives the death of the process.

        `take_effect` is done with it once it is written. An error in that, or an `OSError` (a full disk), leaves no
        part of the event in the log. Otherwise as `claim`.
        """
        line = event.model_dump_json().encode() + b"\n"
        file = self._writer()
        try:
            write_all(file, line)
            if _worth_waiting_for(event):
                os.fsync(file.fileno())
            if take_effect is not None:
                take_effect(event)
        except BaseException:
            self._take_back(file)
            raise
        self._size += len(line)
        self.events.append(event)

    def close(self) -> None:
        """Let go of the file; a later `append` opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _take_back(self, file: IO[bytes]) -> None:
        """Cut off what was written of an event; where the disk refuses that too, the next writer does it."""
        try:
            file.truncate(self._size)
        except OSError:
            self._untaken = os.fstat(file.fileno()).st_size
        self.close()

    def _writer(self) -> IO[bytes]:
        if self._file is None:
            self._file = self._open()
        return self._file

    def _open(self) -> IO[bytes]:
        file = self._path.open("ab", buffering=0)
        try:
            self._lock(file)
            if self._untaken == os.fstat(file.fileno()).st_size:  # else another process went on with that event
                file.truncate(self._size)
            self._untaken = None
            lines = [len(line) for line in whole_lines(self._path)]
            if len(lines) != len(self.events):
                raise UsageError("this session went on in another process; open it again")
            self._size = sum(lines)
            file.truncate(self._size)  # without the half-written line of a crash
        except BaseException:
            file.close()
            raise
        return file

    def _lock(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError("this session is being run by another process; wait for it or stop it") from error


def _worth_waiting_for(event: Event) -> bool:
    """Whether an event is to last through a loss of power: it cannot be had again, or only for money."""
    if isinstance(event, AgentCalled) and event.provider != "offline":
        return True
    if isinstance(event, AgentCalled | AgentFailed | TurnTaken):
        return event.usage.calls > 0
    return isinstance(event, StatusChanged | PersonDecided | AnswerGiven)
