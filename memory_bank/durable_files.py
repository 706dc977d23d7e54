"""Files that are there whole or not at all, whatever ends the process, and last through a loss of power."""

from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path
from typing import IO


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in its place once all of it is on the disk; an older one stays until then. `OSError`.

    Who may read it stays as it was.
    """
    part = _part(path)
    try:
        with part.open("wb", buffering=0) as file:
            if path.exists():
                shutil.copymode(path, part)
            write_all(file, data)
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def write_output(path: Path, text: str) -> None:
    """Write to where a person said: a file as `write_whole` does, by a link where it leads; a device as it is."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
    else:
        write_whole(target, text.encode())
        sync_folder(target.parent)


def move_whole(path: Path, target: Path) -> None:
    """Move a file, perhaps to another disk: it is gone from its old place only when it lasts in the new one.

    `OSError`, with the file where it was.
    """
    part = _part(target)
    try:
        with path.open("rb") as source, part.open("wb", buffering=0) as file:
            shutil.copyfileobj(source, file)
            os.fsync(file.fileno())
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    path.unlink()


def write_all(file: IO[bytes], data: bytes) -> None:
    """Write all of it: a disk that is nearly full takes less at a time than it is given. `OSError`."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def sync_folder(folder: Path) -> None:
    """Have the names in a folder last: what was made, moved or renamed in it. `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _part(path: Path) -> Path:
    """Where a file is written first, beside its place; of a short name however long the other's is."""
    return path.with_name(f"{path.name[:40]}.{zlib.crc32(os.fsencode(path.name)):08x}.part")
