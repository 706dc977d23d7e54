"""The sessions of a folder that one user may look at, as their logs stand: nothing is locked, nothing is changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import LOG_NAME, read_events
from memory_bank.errors import CorruptLogError, SessionNotFoundError, UsageError
from memory_bank.events import Event
from memory_bank.long_term.owner import read_owner
from memory_bank.long_term.record import Scope
from memory_bank.session_store import SessionStore, Summary

MOST_OPEN = 4
_NONE = "no such session; see which there are"


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as its log stood when it was opened. Nobody changes its bank."""

    folder: Path
    first: Event
    bank: Bank


class SharedSessions:
    """What a user may look at in a folder of sessions: their own, and those that belong to nobody.

    A session that is another's, one that is not there and an id that cannot be one are the same: there is none.
    Safe to use from several threads.
    """

    def __init__(self, folder: Path, scope: Scope) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; name the one where sessions are kept")
        self._store = SessionStore(folder)
        self._scope = scope
        self._opened: OrderedDict[str, tuple[object, OpenSession]] = OrderedDict()
        self._lock = threading.Lock()

    def ids(self) -> list[str]:
        """The sessions that may be looked at, newest first."""
        return [session_id for session_id in self._store.ids() if self._is_open_to(self._store.folder / session_id)]

    def summary(self, session_id: str) -> Summary:
        """What a list says of a session. `SessionNotFoundError`, `CorruptLogError`."""
        self._find(session_id)
        return self._store.summary(session_id)

    def open(self, session_id: str) -> OpenSession:
        """A session as its log stands now; those opened last are kept. `SessionNotFoundError`, `CorruptLogError`."""
        with self._lock:
            self._drop_deleted()
            folder = self._find(session_id)
            try:
                log = (folder / LOG_NAME).stat()
                version = (log.st_ino, log.st_size, log.st_mtime_ns)
                known = self._opened.get(session_id)
                if known is None or known[0] != version:
                    known = self._opened[session_id] = (version, _read(folder))
            except FileNotFoundError as error:  # it was deleted just now
                raise SessionNotFoundError(_NONE) from error
            self._opened.move_to_end(session_id)
            if len(self._opened) > MOST_OPEN:
                self._opened.popitem(last=False)
            return known[1]

    def _drop_deleted(self) -> None:
        for session_id in list(self._opened):
            if not (self._store.folder / session_id / LOG_NAME).is_file():
                del self._opened[session_id]

    def _find(self, session_id: str) -> Path:
        try:
            folder = self._store.find(session_id)
        except SessionNotFoundError as error:
            raise SessionNotFoundError(_NONE) from error
        if not self._is_open_to(folder):
            raise SessionNotFoundError(_NONE)
        return folder

    def _is_open_to(self, folder: Path) -> bool:
        """Whether the user may look at a session. One whose owner cannot be told is nobody's to look at."""
        try:
            owner = read_owner(folder)
        except (OSError, CorruptLogError):
            return False
        return owner is None or (owner.user == self._scope.user and self._scope.project in (None, owner.project))


def _read(folder: Path) -> OpenSession:
    events = list(read_events(folder / LOG_NAME))
    if not events:
        raise CorruptLogError("this session died before its first event was written; it holds nothing")
    return OpenSession(folder, events[0], Bank.replay(events))
