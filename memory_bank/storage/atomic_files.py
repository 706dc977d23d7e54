"""Write files atomically and durably: a file is complete or absent, even after a crash or a power failure."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_whole(path: Path, data: bytes) -> None:
    """Write a file and put it in place only when all of it is on disk; until then an older one stays. `OSError`.

    The permissions of an older file are kept.
    """
    with _replacing(path) as file:
        if path.exists():
            shutil.copymode(path, _temporary_path(path))
        write_all(file, data)


def write_output(path: Path, text: str) -> None:
    """Write to a path that a person named: a file with `write_whole`, following links; a device directly."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
    else:
        write_whole(target, text.encode())
        sync_folder(target.parent)


def move_whole(path: Path, target: Path) -> None:
    """Move a file, also to another disk. The original is removed only when the copy is durable.

    `OSError`: the original is still there.
    """
    with path.open("rb") as source, _replacing(target) as file:
        shutil.copyfileobj(source, file)
    sync_folder(target.parent)
    path.unlink()


def write_all(file: IO[bytes], data: bytes) -> None:
    """Write all of the data: one `write` to a nearly full disk may take only a part of it. `OSError`."""
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[file.write(remaining) :]


def sync_folder(folder: Path) -> None:
    """Make changes of names in a folder durable: files that were created, moved or renamed. `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file that replaces `path` once it is written and synced; an `OSError` removes it."""
    temporary = _temporary_path(path)
    try:
        with temporary.open("wb", buffering=0) as file:
            yield file
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _temporary_path(path: Path) -> Path:
    """The path of the temporary file beside `path`; its name is short however long the other is."""
    return path.with_name(f"{path.name[:40]}.{zlib.crc32(os.fsencode(path.name)):08x}.part")
