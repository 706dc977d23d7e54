"""Sessions that are too old, or too much together, are removed: a server that runs for years needs a bounded disk."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from memory_bank.bank.event_log import LOG_NAME, is_held
from memory_bank.errors import MemoryBankError
from memory_bank.session_store import SessionStore, bytes_in
from memory_bank.settings import Settings

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Bounds:
    """How long a session is kept after its last event, and how many bytes all of them may take. None: no bound."""

    age: timedelta | None = None
    bytes: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> Bounds:
        """The bounds that the settings name."""
        days, megabytes = settings.sessions_kept_days, settings.sessions_max_mb
        return cls(None if days is None else timedelta(days=days), None if megabytes is None else megabytes * 1_000_000)

    @property
    def any(self) -> bool:
        """Whether anything is ever removed."""
        return self.age is not None or self.bytes is not None


def clean(
    store: SessionStore, bounds: Bounds, in_use: Callable[[str], bool], now: Callable[[], float] = time.time
) -> list[str]:
    """Remove what is beyond the bounds, least recently used first, and say which sessions went.

    A session that is `in_use` stays, and one that another process runs. What cannot be removed is told in the server's
    log and tried again next time.
    """
    store.sweep()
    removed: list[str] = []
    held = dict(_held(store))
    total = sum(size for size, _used in held.values())
    for session_id, (size, used) in sorted(held.items(), key=lambda item: item[1][1]):
        old = bounds.age is not None and now() - used > bounds.age.total_seconds()
        much = bounds.bytes is not None and total > bounds.bytes
        if not (old or much) or in_use(session_id):
            continue
        try:
            if is_held(store.folder / session_id / LOG_NAME):
                continue
            store.delete(session_id)
        except (MemoryBankError, OSError) as error:
            _log.warning("session %s could not be removed: %s", session_id, error)
        else:
            total -= size
            removed.append(session_id)
    return removed


def _held(store: SessionStore) -> Iterator[tuple[str, tuple[int, float]]]:
    """Of each session the bytes of its files, and when its log was written last."""
    for session_id in store.ids():
        folder = store.folder / session_id
        with contextlib.suppress(FileNotFoundError):  # it went just now
            used = (folder / LOG_NAME).stat().st_mtime
            yield session_id, (bytes_in(folder), used)
