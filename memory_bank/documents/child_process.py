"""Start a separate process for work on an untrusted file, and limit its resources."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The directory that holds the package `memory_bank`."""

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Each further thread of these libraries takes 41 MB of address space, even when idle."""
_PASSED_ON = frozenset("PATH HOME LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH TMPDIR TEMP TMP SYSTEMROOT TZ".split())
"""Variables that Python and the system libraries need. No other is passed on, so a hijacked parser finds no API key."""


def command_of(module: str) -> list[str]:
    """The command that runs a module of this package."""
    return [sys.executable, "-m", module]


def environment() -> dict[str, str]:
    """The environment for the process: one thread, no API keys, and the package importable from any directory."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    inherited = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    return {**inherited, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def start_module(module: str) -> subprocess.Popen[bytes]:
    """Start a module of this package, with pipes to its standard input and output."""
    return subprocess.Popen(  # noqa: S603 - no part of the command comes from outside
        command_of(module),
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def limit(memory: int, seconds: float) -> None:
    """Limit the address space (bytes) and the processor time of this process, as far as the system allows.

    It also stops the process from writing to files; pipes still work, and reading a file needs nothing else.

    The parent process enforces the time limit too; these limits still hold when the parent is gone.
    """
    limits = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(seconds)), (resource.RLIMIT_FSIZE, 0))
    for kind, wanted in limits:
        _, hard = resource.getrlimit(kind)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(ValueError, OSError):  # not every system supports each limit
            resource.setrlimit(kind, (value, value))
