"""A process of its own for work on a file that is not to be trusted: how it is started, and what it may use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The directory from which the modules of this package can be run."""

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Each further thread of these libraries takes 41 MB of address space, whether it works or not."""
_PASSED_ON = frozenset("PATH HOME LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH TMPDIR TEMP TMP SYSTEMROOT TZ".split())
"""What Python and the system's libraries need. All else stays here: a parser that was taken over finds no key."""


def command_of(module: str) -> list[str]:
    """The command that runs a module of this package."""
    return [sys.executable, "-m", module]


def environment() -> dict[str, str]:
    """The environment for it: one thread, no key, and the package on the path, wherever the working directory is."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    kept = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    return {**kept, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def limit(memory: int, seconds: float) -> None:
    """Bound the address space (bytes) and the processor time of this process, as far as the system lets it.

    Nor can it write to any file from then on, only to pipes: work on a file has no need to.

    Whoever started it still ends it when its time is over; these bounds hold when that one is gone.
    """
    if os.name == "posix":
        import resource  # noqa: PLC0415 - other systems have none

        bounds = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(seconds)), (resource.RLIMIT_FSIZE, 0))
        for kind, wanted in bounds:
            _, most = resource.getrlimit(kind)
            bound = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            with suppress(ValueError, OSError):  # not every system bounds both
                resource.setrlimit(kind, (bound, bound))
