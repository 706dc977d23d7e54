"""Connects a session to its owner's long-term memory. A failure is reported once, and the session goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator

from memory_bank.bank.errors import LongTermError
from memory_bank.bank.events import Event, Notice
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.session.recorder import Recorder
from memory_bank.text.wording import Wording, mark_for_translation

UNAVAILABLE = Wording("long-term memory could not be used")
_WITHOUT = mark_for_translation("The work goes on without long-term memory, which could not be used: {reason}")


class LongTermLink:
    """The connection; without an owner nobody uses it. `known` are recalled texts, which are not stored again."""

    def __init__(self, recorder: Recorder, owner: Owner | None, memory: Callable[[], LongTermMemory]) -> None:
        """`memory` opens the store; it is called when the store is needed."""
        self.recorder = recorder
        self.owner = owner
        self.known: list[str] = []
        self._open = memory
        self._reported = False

    @property
    def memory(self) -> LongTermMemory:
        """The memory. `LongTermError` if it cannot be opened."""
        return self._open()

    def tell(self, error: LongTermError) -> Generator[Event, None, None]:
        """Record a notice that memory could not be used, and why; once in a run."""
        if not self._reported:
            self._reported = True
            yield self.recorder.record(Notice(message=Wording(_WITHOUT, reason=error)))


def is_unavailable_notice(event: Event) -> bool:
    """Whether an event says that memory could not be used."""
    return isinstance(event, Notice) and isinstance(event.message, Wording) and event.message.template == _WITHOUT
