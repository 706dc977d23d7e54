"""What a command says to a person, and with which exit code it ends."""

from __future__ import annotations

import sys
from typing import TextIO

from memory_bank.one_line import one_line

DONE, FAILED, BAD_USAGE = 0, 1, 2


def say(text: str, stream: TextIO | None = None) -> None:
    """A text and the end of its line, at once."""
    target = stream or sys.stdout
    target.write(text + "\n")
    target.flush()


def fail(message: str, code: int) -> int:
    """One line on stderr; the exit code, for the caller to return."""
    say(f"memory_bank: {one_line(message)}", sys.stderr)
    return code
