"""The answer: what it stands by, what stays in dispute, what it rejected, and where each sentence comes from."""

from __future__ import annotations

from memory_bank.bank.value import Id, Value

NO_ANSWER = "The documents hold no answer to this."
HEADING = "## "
"""Begins a line that stands above a group of sentences and says nothing itself."""
NO_PASSAGE = "(no passage found)"
"""Stands after a written sentence that no passage bears: it is shown, and not affirmed."""


class Citation(Value):
    """Number `[n]` in the text: the passage `entry.text[start:end]`."""

    number: int
    entry_id: Id
    start: int
    end: int
    source: str
    page: int | None = None


class Dispute(Value):
    """A dispute that bears on the task: both sides, each with its source."""

    conflict_id: Id
    sides: tuple[str, str]


class Rejection(Value):
    """A claim the answer does not make, and why."""

    conflict_id: Id
    text: str
    why: str


class Answer(Value):
    """`text` is what a person reads, disputes included; `affirmed` is the part the answer stands by."""

    text: str
    affirmed: str
    disputed: tuple[Dispute, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    citations: tuple[Citation, ...] = ()
