"""A session's way to the long-term memory of its owner. What fails there is told once, and the work goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator

from memory_bank.errors import LongTermError
from memory_bank.events import Event, Notice
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.recorder import Recorder

AWAY = "long-term memory could not be used"
_WITHOUT = "The work goes on without long-term memory, which could not be used: "


class Continuity:
    """Off without an owner: then nobody asks for the memory. `known` is what was recalled: it is never kept again."""

    def __init__(self, recorder: Recorder, owner: Owner | None, memory: Callable[[], LongTermMemory]) -> None:
        """`memory` opens the store when it is first needed."""
        self.recorder = recorder
        self.owner = owner
        self.known: list[str] = []
        self._open = memory
        self._told = False

    @property
    def memory(self) -> LongTermMemory:
        """The memory. `LongTermError` where it cannot be opened."""
        return self._open()

    def tell(self, error: LongTermError) -> Generator[Event, None, None]:
        """Say that memory could not be used, and why; once in a run."""
        if not self._told:
            self._told = True
            yield self.recorder.record(Notice(message=f"{_WITHOUT}{error}"))


def tells_away(event: Event) -> bool:
    """Whether an event says that memory could not be used."""
    return isinstance(event, Notice) and event.message.startswith(_WITHOUT)
