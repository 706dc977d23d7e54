"""The append-only log of a session: one folder, one file, one line for each event, flushed as it is written."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from memory_bank.errors import CorruptLogError, UsageError
from memory_bank.events import EVENT, Event

LOG_NAME = "events.jsonl"


def read_events(path: Path) -> Iterator[Event]:
    """The complete events of a log file, in order. A last line cut short by a crash is left out."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                event = EVENT.validate_json(line)
            except ValidationError as error:
                raise CorruptLogError(f"{path.name}, line {number}: not a known event") from error
            if event.seq != number:
                raise CorruptLogError(f"{path.name}, line {number}: event {event.seq} is out of order")
            yield event


class EventLog:
    """Events in memory and on disk. Only one process at a time may write a session's log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / LOG_NAME
        self._file: IO[bytes] | None = None
        self.events: list[Event] = list(read_events(self._path)) if self._path.exists() else []

    def claim(self) -> None:
        """Become the one writer; nothing happens if this log is it already.

        `UsageError` if another process is writing, or has written since this log was read.
        """
        self._writer()

    def append(self, event: Event) -> None:
        """Write one event; when this returns it survives the death of the process.

        `OSError` (a full disk) leaves no part of it in the log. Otherwise as `claim`.
        """
        file = self._writer()
        line = event.model_dump_json().encode() + b"\n"
        try:
            if file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        except OSError:
            self.close()  # the next writer cuts off the half-written line
            raise
        self.events.append(event)

    def close(self) -> None:
        """Let go of the file; a later `append` opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _writer(self) -> IO[bytes]:
        if self._file is None:
            self._file = self._open()
        return self._file

    def _open(self) -> IO[bytes]:
        file = self._path.open("ab", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise UsageError("this session is being run by another process; wait for it or stop it") from error
        lines = [len(line) for line in self._complete_lines()]
        if len(lines) != len(self.events):
            file.close()
            raise UsageError("this session went on in another process; open it again")
        file.truncate(sum(lines))  # without the half-written line of a crash
        return file

    def _complete_lines(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))
