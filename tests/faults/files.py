"""Any operation on a file, made to fail at its n-th call; everything else is done as ever.

The seam is what the standard library offers: `open`, the raw file behind it, and the calls of `os`. Only what lies
under one folder is counted and can fail.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

IN_OS = {"fsync": "fsync", "rename": "replace", "unlink": "unlink", "mkdir": "mkdir", "rmdir": "rmdir"}
"""The operations that are calls of `os`, by its name for them."""


@dataclass(frozen=True)
class FileFault:
    """The n-th `operation` fails with an error, with `half` of a write written, or with all later ones (`onwards`)."""

    operation: str
    number: int
    error: int
    half: bool = False
    onwards: bool = False

    def __str__(self) -> str:
        how = f"{' half' if self.half else ''}{' onwards' if self.onwards else ''}"
        return f"{self.operation} {self.number} {errno.errorcode[self.error]}{how}"


class Files:
    """The files under a folder. `counts` tells how often each operation was called, `failed` how often it did."""

    def __init__(self, root: Path, fault: FileFault | None = None) -> None:
        self.root, self.fault = str(root), fault
        self.counts: Counter[str] = Counter()
        self.failed = 0

    def due(self, operation: str, path: object) -> bool:
        """Count an operation on a path; whether it is the one that is to fail."""
        if not str(path).startswith(self.root):
            return False
        self.counts[operation] += 1
        fault = self.fault
        if fault is None or fault.operation != operation:
            return False
        number = self.counts[operation]
        due = number >= fault.number if fault.onwards else number == fault.number
        self.failed += due
        return due

    def check(self, operation: str, path: object) -> None:
        """Raise the fault's error if this operation is the one to fail."""
        if self.due(operation, path):
            raise self.wrong(path)

    def wrong(self, path: object) -> OSError:
        """The error, as the operating system raises it."""
        assert self.fault is not None
        return OSError(self.fault.error, os.strerror(self.fault.error), str(path))

    @contextmanager
    def patched(self) -> Iterator[None]:
        """The operations of this process go through here."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(io, "open", self._opening(io.open))
            patch.setattr(builtins, "open", self._opening(builtins.open))
            for operation, name in IN_OS.items():
                patch.setattr(os, name, self._calling(operation, getattr(os, name)))
            yield

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any) -> Any:
            if not str(file).startswith(self.root) or "b" not in mode:
                return real(file, mode, buffering, *more, **named)
            self.check("open", file)
            raw = _File(self, os.fspath(file), mode.replace("b", ""))
            return raw if buffering == 0 else io.BufferedReader(raw) if mode == "rb" else io.BufferedWriter(raw)

        return opened

    def _calling(self, operation: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(path: Any, *more: Any, **named: Any) -> Any:
            where = Path(f"/proc/self/fd/{path}").readlink() if isinstance(path, int) else path
            self.check(operation, where)
            return real(path, *more, **named)

        return called


class _File(io.FileIO):
    """A file whose reads, writes and cuts can fail."""

    def __init__(self, files: Files, path: str, mode: str) -> None:
        super().__init__(path, mode)
        self._files, self._where = files, path

    def readinto(self, buffer: Any) -> int:
        self._files.check("read", self._where)
        return super().readinto(buffer) or 0

    def readall(self) -> bytes:
        self._files.check("read", self._where)
        return super().readall()

    def write(self, data: Any) -> int:
        if self._files.due("write", self._where):
            if self._files.fault is not None and self._files.fault.half:
                super().write(bytes(data)[: len(data) // 2])
            raise self._files.wrong(self._where)
        return super().write(data)

    def truncate(self, size: int | None = None) -> int:
        self._files.check("truncate", self._where)
        return super().truncate(size)
