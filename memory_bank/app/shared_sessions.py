"""Read access to the sessions of a folder that one user may see. Nothing is locked or changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError, UsageError
from memory_bank.long_term.owner import read_owner
from memory_bank.long_term.record import Scope
from memory_bank.storage.event_log import LOG_NAME, read_events
from memory_bank.storage.session_store import SessionStore, Summary

MOST_OPEN = 4
_NOT_FOUND = "no such session; see which there are"


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session in the state of its log when it was opened. Its bank must not be changed."""

    folder: Path
    bank: Bank


class SharedSessions:
    """The sessions in a folder that a user may see: their own, and those without an owner.

    Another user's session, a missing session and an invalid id give the same error, so that nothing is revealed.
    Thread-safe.
    """

    def __init__(self, folder: Path, scope: Scope) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; name the one where sessions are kept")
        self._store = SessionStore(folder)
        self._scope = scope
        self._opened: OrderedDict[str, tuple[object, OpenSession]] = OrderedDict()
        self._lock = threading.Lock()

    def ids(self) -> list[str]:
        """The ids of the sessions that the user may see, newest first."""
        return [session_id for session_id in self._store.ids() if self._is_open_to(self._store.folder / session_id)]

    def summary(self, session_id: str) -> Summary:
        """The summary of a session for a list. Raises `SessionNotFoundError` or `CorruptLogError`."""
        self._find(session_id)
        return self._store.summary(session_id)

    def open(self, session_id: str) -> OpenSession:
        """Open a session in the current state of its log; the last few are cached.

        Raises `SessionNotFoundError` or `CorruptLogError`.
        """
        with self._lock:
            for deleted in [each for each in self._opened if not (self._store.folder / each / LOG_NAME).is_file()]:
                del self._opened[deleted]
            folder = self._find(session_id)
            try:
                log = (folder / LOG_NAME).stat()
                version = (log.st_ino, log.st_size, log.st_mtime_ns)
                cached = self._opened.get(session_id)
                if cached is None or cached[0] != version:
                    cached = self._opened[session_id] = (version, _read(folder))
            except FileNotFoundError as error:  # deleted since it was found
                raise SessionNotFoundError(_NOT_FOUND) from error
            self._opened.move_to_end(session_id)
            if len(self._opened) > MOST_OPEN:
                self._opened.popitem(last=False)
            return cached[1]

    def _find(self, session_id: str) -> Path:
        folder = self._store.folder / session_id
        if not (self._store.holds(session_id) and self._is_open_to(folder)):
            raise SessionNotFoundError(_NOT_FOUND)
        return folder

    def _is_open_to(self, folder: Path) -> bool:
        """Whether the user may see a session. If its owner cannot be read, nobody may."""
        try:
            owner = read_owner(folder)
        except (OSError, CorruptLogError):
            return False
        return owner is None or (owner.user == self._scope.user and self._scope.project in (None, owner.project))


def _read(folder: Path) -> OpenSession:
    events = list(read_events(folder / LOG_NAME))
    if not events:
        raise CorruptLogError("this session died before its first event was written; it holds nothing")
    return OpenSession(folder, Bank.replay(events))
