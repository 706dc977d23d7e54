"""Any operation on long-term memory, made to fail at its n-th call: before it was done, or after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_bank.bank.errors import LongTermError
from tests.long_term.in_memory import InMemoryStore

OPERATIONS = ("add", "search", "get", "update", "touch", "records", "count")
"""What a session does with a store."""


@dataclass(frozen=True)
class MemoryFault:
    """The n-th operation fails; with `done`, its answer is lost and what it does is done."""

    number: int
    done: bool = False

    def __str__(self) -> str:
        return f"memory {self.number}{' done' if self.done else ''}"


class FailingStore:
    """A store of which one operation fails. `counted` tells how many there were, `failed` how many failed."""

    def __init__(self, store: InMemoryStore, fault: MemoryFault | None = None) -> None:
        self._store, self.fault = store, fault
        self.counted = self.failed = 0

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._store, name)
        return self._counting(real) if name in OPERATIONS else real

    def _counting(self, real: Any) -> Any:
        def called(*given: Any, **named: Any) -> Any:
            self.counted += 1
            if self.fault is None or self.counted != self.fault.number:
                return real(*given, **named)
            self.failed += 1
            if self.fault.done:
                real(*given, **named)
            raise LongTermError("long-term memory does not answer; nothing was changed")

        return called
