"""Output of commands, and their exit codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from memory_bank.storage.atomic_files import write_output
from memory_bank.text.wording import one_line

DONE, FAILED, BAD_USAGE = 0, 1, 2


def write_line(text: str, stream: TextIO | None = None) -> None:
    """Write a line and flush it."""
    target = stream or sys.stdout
    target.write(text + "\n")
    target.flush()


def write_result(text: str, out: Path | None) -> None:
    """Write a text to the file that `--out` names, or without one to stdout."""
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_output(out, text)


def fail(message: str, code: int) -> int:
    """Write an error line to stderr; returns the exit code, for the caller to return."""
    write_line(f"memory_bank: {one_line(message)}", sys.stderr)
    return code
