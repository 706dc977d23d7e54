"""Which addresses a step may visit: those that something it read names, word for word.

A document can order an obedient model to write what it knows into the address of somebody else's server, and reading
that page would tell it. What a model makes up itself is therefore not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_bank.bank.bank import Bank

_ADDRESS = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)


class NamedAddresses:
    """Addresses in the task, in the records, and in what tools brought; safe from any thread."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._brought: set[str] = set()

    def note(self, *texts: str) -> None:
        """Note the addresses in what a tool brings: the step may use them before it is recorded."""
        for text in texts:
            self._brought.update(_ADDRESS.findall(text))

    def __contains__(self, url: str) -> bool:
        """Whether something names it; a slash at its end, and the place in the page, make no difference."""
        wanted = url.strip().partition("#")[0].rstrip("/")
        return bool(wanted) and any(wanted in text for text in self._texts())

    def _texts(self) -> Iterator[str]:
        yield self._bank.insight_doc.task_goal
        yield from tuple(self._brought)
        yield from (entry.text for entry in self._bank.trees)
        for turns in self._bank.turns.values():  # of a step that goes on after the process died
            for message in (message for turn in turns for message in turn.messages if message.role == "tool"):
                yield message.source or ""
                yield message.content
