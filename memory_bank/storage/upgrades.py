"""The one door for what an older version of the program wrote: exports, and the logs of sessions on the disk.

A change of the format adds one to `VERSION` and a step to `STEPS` under the number of the version that it starts from.
The rest of the program knows the newest format only. A step is given the JSON of an export, or `{"version": …,
"events": […]}` for a log, and returns it in the next version; what it returns is validated like any other.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory_bank.bank.errors import CorruptLogError
from memory_bank.storage.atomic_files import write_whole

VERSION = 1
Step = Callable[[dict[str, Any]], dict[str, Any]]
STEPS: dict[int, Step] = {}
"""Version 1 is the first, so there is nothing to upgrade yet."""


class UnknownVersionError(ValueError):
    """A version that this program neither writes nor can upgrade."""


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """The document in the newest version. A step that fails on a damaged document raises what it raises."""
    version = document.get("version")
    while type(version) is int and version in STEPS:
        version += 1
        document = {**STEPS[version - 1](document), "version": version}
    if type(version) is not int or version != VERSION:
        raise UnknownVersionError(version)
    return document


def log_name(version: int) -> str:
    """The name of a log of that version: an older program does not mistake a newer log for its own."""
    return "events.jsonl" if version == 1 else f"events.{version}.jsonl"


def upgrade_log(folder: Path) -> None:
    """Write a session's log in the newest version, if only an older one is there; the older file stays as it is.

    `CorruptLogError` if it cannot be read, an older program is still writing it, or a newer one wrote it.
    """
    if (folder / log_name(VERSION)).is_file():
        return
    for version in sorted(STEPS, reverse=True):
        if (folder / log_name(version)).is_file():
            _upgrade(folder, version)
            return
    if any(folder.glob("events.*.jsonl")):
        raise CorruptLogError(
            f"session {folder.name} was written by a newer version of this program; update the program"
        )


def _upgrade(folder: Path, version: int) -> None:
    path = folder / log_name(version)
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CorruptLogError(
                f"{path.name} is still being written by an older version of this program; stop it"
            ) from error
        if (folder / log_name(VERSION)).is_file():  # another process has just upgraded it
            return
        lines = [line for line in file if line.endswith(b"\n")]  # a crash cuts the last one short
        try:
            events = upgraded({"version": version, "events": [json.loads(line) for line in lines]})["events"]
            texts = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise CorruptLogError(
                f"{path.name} of version {version} cannot be upgraded; it was left as it is"
            ) from error
        write_whole(folder / log_name(VERSION), "".join(texts).encode())
