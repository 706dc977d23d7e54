"""The append-only event log of a session: one folder, one file, one line of JSON per event.

Durability: when `append` returns, the operating system has the event, so it survives the death of the process at any
moment. It survives a power failure once it, or a later event, was synced to the disk (`fsync`). Synced are: whatever
was paid for (a request to a model), what anyone but the embedded engine judged or contributed (an external agent,
say), what a person decided, the answer, each change of the session's status, and everything that begins a session.
The events in between can be computed again by the embedded engine at no cost.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from memory_bank.bank import events as ev
from memory_bank.bank.errors import CorruptLogError, UsageError
from memory_bank.storage.atomic_files import sync_folder, write_all
from memory_bank.text.wording import Wording

LOG_NAME = "events.jsonl"
DRAFT_NAME = f"{LOG_NAME}.draft"
"""The log of a session that is still being created: it does not count as a session yet."""
_IMAGE_TASK = re.compile(r"Read image (s\d+) \(")
"""How earlier programs described a task of reading an image; nothing else named the image."""


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the completely written lines of a log file, in order.

    A crash cuts the last line short. On some file systems a power failure may also leave zeros in it, in place of
    what did not reach the disk.
    """
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n") or (b"\0" in line and not file.read(1)):
                return
            yield line


def read_events(path: Path) -> Iterator[ev.Event]:
    """Yield the complete events of a log file, in order. A last line cut short by a crash is left out."""
    for number, line in enumerate(whole_lines(path), start=1):
        event = parse_event(line, path.name, number)
        if event.seq != number:
            raise CorruptLogError(
                Wording(
                    "{log}, line {number}: event {last} is out of order", log=path.name, number=number, last=event.seq
                )
            )
        yield event


def parse_event(line: bytes, file_name: str, number: int) -> ev.Event:
    """Parse one line of a log. `CorruptLogError`, with the file's name and the line's number, if it is no event."""
    try:
        return upgraded(ev.EVENT.validate_json(line))
    except ValidationError as error:
        raise CorruptLogError(
            Wording("{log}, line {number}: not a known event", log=file_name, number=number)
        ) from error


def upgraded(event: ev.Event) -> ev.Event:
    """An event with what earlier programs did not record: the image that a task is to read."""
    current = event.current if isinstance(event, ev.PlanUpdated) else None
    if current is None or "image_id" in current.model_fields_set:
        return event
    image = _IMAGE_TASK.match(current.description)
    return event.model_copy(update={"current": current.model_copy(update={"image_id": image and image[1]})})


def is_locked(path: Path) -> bool:
    """Whether a process, possibly this one, has a log file open for writing. `FileNotFoundError`."""
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
        self._failed_rollback_size: int | None = None  # the file's size when an event could not be cut off again
        self.events: list[ev.Event] = list(read_events(self._path)) if self._path.exists() else []

    def draft(self) -> None:
        """Write under another name until `publish`, so that a session exists completely or not at all."""
        self._path = self._path.with_name(DRAFT_NAME)

    def publish(self) -> None:
        """Turn the draft into the session's log; make it and the names of the session's files durable. `OSError`."""
        final = self._path.with_name(LOG_NAME)
        os.fsync(self._writer().fileno())
        self._path.replace(final)
        self._path = final
        for folder in (*(path for path in final.parent.iterdir() if path.is_dir()), final.parent, final.parent.parent):
            sync_folder(folder)

    def claim(self) -> None:
        """Become the only writer; nothing happens if this log already is.

        `UsageError` if another process is writing, or has written since this log was read.
        """
        self._writer()

    def append(self, event: ev.Event, take_effect: Callable[[ev.Event], None] | None = None) -> None:
        """Write one event; when this returns, the event survives the death of the process.

        `take_effect` is called with the event once it is written. If that raises, or writing raises an `OSError` (a
        full disk), no part of the event stays in the log. Other errors as in `claim`.
        """
        line = event.model_dump_json().encode() + b"\n"
        file = self._writer()
        try:
            write_all(file, line)
            if _must_survive_power_failure(event):
                os.fsync(file.fileno())
            if take_effect is not None:
                take_effect(event)
        except BaseException:
            self._roll_back(file)
            raise
        self._size += len(line)
        self.events.append(event)

    def close(self) -> None:
        """Close the file; a later `append` opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _roll_back(self, file: IO[bytes]) -> None:
        """Cut off what was written of an event; if the disk refuses that too, the next `_open` does it."""
        try:
            file.truncate(self._size)
        except OSError:
            self._failed_rollback_size = os.fstat(file.fileno()).st_size
        self.close()

    def _writer(self) -> IO[bytes]:
        if self._file is None:
            self._file = self._open()
        return self._file

    def _open(self) -> IO[bytes]:
        file = self._path.open("ab", buffering=0)
        try:
            self._lock(file)
            if self._failed_rollback_size == os.fstat(file.fileno()).st_size:
                file.truncate(self._size)  # not if the size changed: another process has continued from that event
            self._failed_rollback_size = None
            lines = [len(line) for line in whole_lines(self._path)]
            if len(lines) != len(self.events):
                raise UsageError(Wording("this session went on in another process; open it again"))
            self._size = sum(lines)
            file.truncate(self._size)  # removes a line half-written in a crash
        except BaseException:
            file.close()
            raise
        return file

    def _lock(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(Wording("this session is being run by another process; wait for it or stop it")) from error


def _must_survive_power_failure(event: ev.Event) -> bool:
    """Whether an event cannot be had again, or only for money."""
    if isinstance(event, ev.AgentCalled) and event.provider != "offline":
        return True
    if isinstance(event, ev.AgentCalled | ev.AgentFailed | ev.TurnTaken):
        return event.usage.calls > 0
    return isinstance(event, ev.StatusChanged | ev.TaskUnderstood | ev.PersonDecided | ev.AnswerGiven)
