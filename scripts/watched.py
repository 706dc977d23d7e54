"""What a fuzzed process may not do: touch a file outside its folder, start anything, or speak in more than a line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_LONGEST_LINE = 500
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HERE = -1
"""What an audit event has for a folder where a path is relative to the working directory."""


class Fault(Exception):  # noqa: N818 - a finding, not an error of this program
    """What the program under test should not have done."""


def check_line(text: str) -> str:
    """The text, if it is one printable line of bounded length; else a `Fault`."""
    if not text or not text.isprintable() or len(text) > _LONGEST_LINE:
        raise Fault(f"not one printable line of at most {_LONGEST_LINE} characters: {text[:_LONGEST_LINE]!r}")
    return text


class Watch:
    """Tells of every change of a file outside `folder`, and of every process or connection that is begun.

    `may_start` is the one command that is meant to be. It holds for the rest of the process, as audit hooks do; what C
    code writes by itself it does not see.
    """

    def __init__(self, folder: Path, tell: Callable[[str], object], may_start: Sequence[str] = ()) -> None:
        self._folder, self._may_start = folder.resolve(), list(may_start)
        self._tell = tell
        sys.addaudithook(self._heard)

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        if event in _STARTED:
            meant = {"subprocess.Popen": self._may_start, "socket.sendmsg": None}  # None: to where it is connected
            if event not in meant or given[1] != meant[event]:
                self._tell(f"{event} {given!r:.200}")
        elif event == "open":
            path, mode, flags = given
            if flags & _WRITES or (mode and set(mode) & set("wax+")):
                self._look(event, path, _HERE)
        elif event in _CHANGED:
            for path, folder in _CHANGED[event](given):
                self._look(event, path, folder)

    def _look(self, event: str, path: object, folder: int) -> None:
        if not isinstance(path, str | bytes | os.PathLike) or path == os.devnull:
            return  # a file that is open already
        beside = Path.cwd() if folder == _HERE else Path(f"/proc/self/fd/{folder}").readlink()
        place = beside / os.fsdecode(path)
        # What a link leads to is opened; all else is done to the link itself.
        real = place.resolve() if event == "open" else place.parent.resolve() / place.name
        if not real.is_relative_to(self._folder):
            self._tell(f"{event} {str(real)!r:.200}")


_Places = Callable[[tuple[Any, ...]], list[tuple[object, int]]]
_STARTED = {
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"),
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"),
}


def _one(given: tuple[Any, ...]) -> list[tuple[object, int]]:
    return [(given[0], given[-1])]


_CHANGED: dict[str, _Places] = {
    **dict.fromkeys(("os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.chown", "os.utime"), _one),
    **dict.fromkeys(("os.rename", "os.link"), lambda given: [(given[0], given[2]), (given[1], given[3])]),
    "os.symlink": lambda given: [(given[1], given[2])],
    "os.truncate": lambda given: [(given[0], _HERE)],
}
"""The audit events that change files: the paths of each, and the open folders that they are relative to."""
