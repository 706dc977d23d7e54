"""Everything that can go wrong, as one tree.

Every message is one line a person can act on: what happened, where, what to do now.

MemoryBankError
├── UsageError               the caller asked for something that cannot be done (exit code 2)
│   ├── SettingsError            a setting has a value that is not allowed
│   ├── UnreadableDocumentError  a file that cannot be read, with the reason
│   └── ImportRefusedError       an export that is not valid, not known or not consistent
├── AgentError               an agent's judgement could not be had
│   ├── InvalidOutputError       the model answered with something else: retried once, shown its error
│   ├── ModelUnavailableError    time-out, no connection, 429, 5xx, empty answer: retried once, after a wait
│   ├── ModelRequestError        the server does not take this request (too long, say): not retried
│   ├── UnreadableImageError     an image is damaged or of a kind that is not read: not retried
│   └── ModelRefusedError        wrong key, model or address: not retried, and the run stops
├── RunStoppedError          a model's server refused; the run ends here and goes on once a setting is changed
├── BudgetError              the session has spent what it may; it ends with the best answer so far
├── ToolError                a tool could not do what it was asked; the acting agent is told
├── ModelFileError           a model that comes with the program is missing or damaged; work goes on without it
├── StorageError             the disk is full or fails; the run ends here and goes on once that is put right
├── SessionNotFoundError     no session of that id in the store
├── LongTermError            long-term memory is away, full or of another model; work goes on without it
│   └── NotKeptError         one record cannot be kept as it is; others can
└── CorruptLogError          an event log that cannot be read or does not add up
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import ClassVar

from memory_bank.bank.usage import ModelCall


class MemoryBankError(Exception):
    """Root of all errors this package raises on purpose."""


class UsageError(MemoryBankError):
    """The request itself cannot be served; nothing was changed."""


class SettingsError(UsageError):
    """A setting has a value that is not allowed. `all` are those that were found with it, itself first."""

    def __init__(self, variable: str, value: str, allowed: str) -> None:
        self.variable, self.value, self.allowed = variable, value, allowed
        self.all: tuple[SettingsError, ...] = (self,)
        super().__init__(f"{variable} is {value!r}; allowed: {allowed}")

    @classmethod
    def together(cls, wrong: Sequence[SettingsError]) -> SettingsError:
        """The first of several, at least one, which knows them all."""
        wrong[0].all = tuple(wrong)
        return wrong[0]


class UnreadableDocumentError(UsageError):
    """A document that cannot be read. `name` is shown to people and never used as a path."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name}: {reason}")


def raise_if_of_the_disk(error: UnreadableDocumentError) -> None:
    """Raise the `OSError` behind it, if there is one: not the file is at fault, and it can be read another time.

    One that is not there never can, as in an import; nor one whose content sends its reader to a place that no file
    has, which the operating system calls an invalid argument.
    """
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno not in (None, errno.ENOENT, errno.EINVAL):
        raise cause


class ImportRefusedError(UsageError):
    """An export that is not valid JSON, not our format, of an unknown version, or inconsistent."""


class AgentError(MemoryBankError):
    """An agent's judgement could not be had.

    `said` is what the model said, `calls` the requests it took, `wait` the seconds before it may be tried again.
    """

    retried: ClassVar[bool] = True

    def __init__(
        self, agent: str, reason: str, *, said: str = "", calls: tuple[ModelCall, ...] = (), wait: float = 0.0
    ) -> None:
        self.agent, self.reason, self.said, self.calls, self.wait = agent, reason, said, calls, wait
        self.request = 1  # which request of the judgement it was
        super().__init__(f"{agent}: {reason}")


class InvalidOutputError(AgentError):
    """A model answered, but not with what was asked for; told so, it may do better."""


class ModelUnavailableError(AgentError):
    """A model's server did not answer this time."""


class ModelRequestError(AgentError):
    """A model's server will not take this one request; another it may."""

    retried: ClassVar[bool] = False


class UnreadableImageError(AgentError):
    """An image cannot be read; trying again changes nothing."""

    retried: ClassVar[bool] = False


class ModelRefusedError(AgentError):
    """A model's server will not answer until a person changes a setting."""

    retried: ClassVar[bool] = False


class RunStoppedError(MemoryBankError):
    """The run cannot go on until a person changes a setting; everything recorded is kept."""


class BudgetError(MemoryBankError):
    """The session has spent the tokens or the money it was given."""


class ToolError(MemoryBankError):
    """A tool could not do what it was asked. The text is for the acting agent: what happened, and what else to do."""


class ModelFileError(MemoryBankError):
    """A model that comes with the program, or the library that runs it, is missing or damaged."""

    def __init__(self, file: str, reason: str) -> None:
        self.file, self.reason = file, reason
        said = reason.splitlines()[0] if reason.strip() else "no reason given"
        super().__init__(f"{file} cannot be loaded ({said}); make train makes it anew")


class StorageError(MemoryBankError):
    """A file could not be read or written; everything recorded before is kept, and the work can go on from there."""

    @classmethod
    def of(cls, error: OSError) -> StorageError:
        """What the operating system said, in words for a person, without the path."""
        kept = "everything recorded so far is kept"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return cls(f"the disk is full; {kept}: make room, then let the session go on")
        what = error.strerror or type(error).__name__
        return cls(f"a file could not be used ({what}); {kept}: put that right, then let the session go on")

    @classmethod
    def outside_session(cls, error: OSError) -> StorageError:
        """The same of work that is no session's, or of none that has begun."""
        what = error.strerror or str(error) or type(error).__name__
        return cls(f"a file could not be used ({what}): make room or put that right, then try again")


class SessionNotFoundError(MemoryBankError):
    """No session of that id in the store."""


class LongTermError(MemoryBankError):
    """Long-term memory could not do what it was asked within its deadline. The work goes on without it, and says so."""


class NotKeptError(LongTermError):
    """One record cannot be kept as it is; long-term memory itself is well, and takes others."""


class CorruptLogError(MemoryBankError):
    """An event log that cannot be read or whose events do not fit together."""
