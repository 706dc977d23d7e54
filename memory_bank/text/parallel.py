"""The one thread pool, which yields results in the order of the work; loading once; the number of usable processors."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, wraps
from pathlib import Path
from typing import TypeVar, TypeVarTuple

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")
_log = logging.getLogger(__name__)


def in_order(
    work: Iterable[Callable[[], Result]], limit: int, late: Callable[[Result], object]
) -> Generator[Result, None, None]:
    """Run `work`, at most `limit` pieces at a time; yield the results in order, and raise an exception in its place.

    The next piece is taken only when a thread is free, so that a caller can stop in between. If it stops early, the
    results of the pieces still running go to `late`, in order, because they may have been paid for.
    """
    pool = ThreadPoolExecutor(limit, thread_name_prefix="judge")
    pending: deque[Future[Result]] = deque()
    try:
        for piece in work:
            pending.append(pool.submit(piece))
            if len(pending) == limit:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True)
        for future in pending:
            error = future.exception()
            if error is None:
                late(future.result())
            else:  # the caller has stopped and gets its own exception, so this one is only logged
                _log.warning("work that was no longer waited for failed", exc_info=error)


def loaded_once(load: Callable[[*Arguments], Result]) -> Callable[[*Arguments], Result]:
    """Cache what a function loads, by its arguments; two threads that need it at once do not load it twice."""
    loading, cached = threading.Lock(), lru_cache(maxsize=4)(load)

    @wraps(load)
    def loaded(*arguments: *Arguments) -> Result:
        with loading:
            return cached(*arguments)

    return loaded


def processors() -> int:
    """The number of processors this process may use, within its container's CPU quota, which libraries ignore."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota_file = Path("/sys/fs/cgroup/cpu.max")
    quota, period = quota_file.read_text().split() if quota_file.is_file() else ("max", "")
    return available if quota == "max" else max(1, min(available, int(quota) // int(period)))
