"""Independent waits side by side: the one thread pool. Results come in the order of the work, whatever ends first.

Also how many processors there are for those who bring threads of their own.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")
_log = logging.getLogger(__name__)


def in_order(
    work: Iterable[Callable[[], Result]], limit: int, late: Callable[[Result], object]
) -> Generator[Result, None, None]:
    """The results of `work`, in its order, at most `limit` at a time; an exception is raised in its place.

    The next piece of work is taken only when there is room, so that a caller can stop in between. Whoever stops
    early hands over what is still running to `late`, in order: it may have been paid for.
    """
    pool = ThreadPoolExecutor(limit, thread_name_prefix="judge")
    waiting: deque[Future[Result]] = deque()
    try:
        for piece in work:
            waiting.append(pool.submit(piece))
            if len(waiting) == limit:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True)
        for future in waiting:
            error = future.exception()
            if error is None:
                late(future.result())
            else:  # whoever stopped early waits for nothing any more, and gets the reason for which it stopped
                _log.warning("work that was no longer waited for failed", exc_info=error)


def processors() -> int:
    """Count the processors this process may use, within a container's share, which libraries do not see."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = Path("/sys/fs/cgroup/cpu.max")
    quota, period = share.read_text().split() if share.is_file() else ("max", "")
    return available if quota == "max" else max(1, min(available, int(quota) // int(period)))
