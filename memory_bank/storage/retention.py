"""Delete sessions that are too old or together too large, so that a server's disk use stays bounded for years."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from memory_bank.bank.errors import MemoryBankError
from memory_bank.bank.settings import Settings
from memory_bank.storage.event_log import LOG_NAME, is_locked
from memory_bank.storage.session_store import SessionStore, bytes_in

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Bounds:
    """How long a session is kept after its last event, and how many bytes all sessions may take. None: no bound."""

    age: timedelta | None = None
    bytes: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> Bounds:
        """The bounds in the settings."""
        days, megabytes = settings.sessions_kept_days, settings.sessions_max_mb
        return cls(None if days is None else timedelta(days=days), None if megabytes is None else megabytes * 1_000_000)

    @property
    def any(self) -> bool:
        """Whether there is any bound."""
        return self.age is not None or self.bytes is not None


def delete_expired(
    store: SessionStore, bounds: Bounds, in_use: Callable[[str], bool], now: Callable[[], float] = time.time
) -> list[str]:
    """Delete the sessions beyond the bounds, least recently used first, and return their ids.

    A session that is `in_use`, or that another process runs, stays. A session that cannot be deleted is logged as a
    warning and tried again next time.
    """
    store.sweep()
    removed: list[str] = []
    sessions = sorted(_sizes_and_last_uses(store), key=lambda session: session[2])
    total = sum(size for _id, size, _last_use in sessions)
    for session_id, size, last_use in sessions:
        too_old = bounds.age is not None and now() - last_use > bounds.age.total_seconds()
        too_large = bounds.bytes is not None and total > bounds.bytes
        if not (too_old or too_large) or in_use(session_id):
            continue
        try:
            if is_locked(store.folder / session_id / LOG_NAME):
                continue
            store.delete(session_id)
        except (MemoryBankError, OSError) as error:
            _log.warning("session %s could not be removed: %s", session_id, error)
        else:
            total -= size
            removed.append(session_id)
    return removed


def _sizes_and_last_uses(store: SessionStore) -> Iterator[tuple[str, int, float]]:
    """Yield each session's id, the bytes of its files, and when its log was last written."""
    for session_id in store.ids():
        folder = store.folder / session_id
        with contextlib.suppress(FileNotFoundError):  # deleted just now
            last_use = (folder / LOG_NAME).stat().st_mtime
            yield session_id, bytes_in(folder), last_use
