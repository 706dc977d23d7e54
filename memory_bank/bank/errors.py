"""The exceptions of this package, in one hierarchy.

Every message is one line that a person can act on: what happened, where, and what to do now.

MemoryBankError
├── UsageError               the caller asked for something that cannot be done (exit code 2)
│   ├── SettingsError            a setting has a value that is not allowed
│   ├── UnreadableDocumentError  a file that cannot be read, with the reason
│   └── ImportRefusedError       an export that is not valid, not known or not consistent
├── AgentError               an agent could not make a judgement
│   ├── InvalidOutputError       the answer has the wrong form: retried once, with the error in the prompt
│   ├── ModelUnavailableError    time-out, no connection, 429, 5xx, empty answer: retried once, after a wait
│   ├── ModelRequestError        the server rejects this request (for example as too long): not retried
│   ├── UnreadableImageError     an image is damaged or of an unsupported type: not retried
│   └── ModelRefusedError        wrong key, model or address: not retried, and the run stops
├── RunStoppedError          a model's server refused; the run stops and can continue once a setting is changed
├── BudgetError              the token or cost limit is reached; the session ends with the best answer so far
├── ToolError                a tool call failed; the acting agent gets the message
├── ModelFileError           a bundled model is missing or damaged; work continues without it
├── StorageError             the disk is full or fails; the run stops and can continue once that is fixed
├── SessionNotFoundError     no session of that id in the store
├── LongTermError            long-term memory is unreachable, full or of another model; work continues without it
│   └── NotKeptError         one record cannot be stored as it is; others can
└── CorruptLogError          an event log that cannot be read, or whose events do not fit together
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from memory_bank.text.wording import Wording

if TYPE_CHECKING:
    from memory_bank.bank.usage import ModelCall


class MemoryBankError(Exception):
    """Base class of all errors that this package raises on purpose."""


class UsageError(MemoryBankError):
    """The request cannot be served; nothing was changed."""


class SettingsError(UsageError):
    """A setting has a value that is not allowed. `all` lists every wrong setting of the same check, this one first."""

    def __init__(self, variable: str, value: str, allowed: str) -> None:
        self.variable, self.value, self.allowed = variable, value, allowed
        self.all: tuple[SettingsError, ...] = (self,)
        super().__init__(
            Wording("{variable} is {value}; allowed: {reason}", variable=variable, value=f"{value!r}", reason=allowed)
        )

    @classmethod
    def together(cls, errors: Sequence[SettingsError]) -> SettingsError:
        """Combine one or more errors: the first of them, with all of them in `all`."""
        errors[0].all = tuple(errors)
        return errors[0]


def not_installed(extra: str) -> str:
    """What a person does where an optional part of the program is missing."""
    return f"{extra!r} is not installed: run make setup in a copy of the repository, or pip install '.[{extra}]' there"


class UnreadableDocumentError(UsageError):
    """A document that cannot be read. `name` is shown to people and never used as a path."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name}: {reason}")


def raise_disk_error(error: UnreadableDocumentError) -> None:
    """Raise the `OSError` that caused the error, if the disk is at fault: the file can then be read another time.

    Two causes are the file's own fault and do not count: the file does not exist, as in an import (`ENOENT`), or its
    content makes the reader seek to an impossible offset (`EINVAL`).
    """
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno not in (None, errno.ENOENT, errno.EINVAL):
        raise cause


class ImportRefusedError(UsageError):
    """An export that is not valid JSON, not our format, of an unknown version, or inconsistent."""


class AgentError(MemoryBankError):
    """An agent could not make a judgement.

    `said` is the model's output, `calls` the requests made, `wait` the seconds to wait before a retry.
    """

    retried: ClassVar[bool] = True

    def __init__(
        self, agent: str, reason: str, *, said: str = "", calls: tuple[ModelCall, ...] = (), wait: float = 0.0
    ) -> None:
        self.agent, self.reason, self.said, self.calls, self.wait = agent, reason, said, calls, wait
        self.request = 1  # the number of the request within the judgement
        super().__init__(f"{agent}: {reason}")


class InvalidOutputError(AgentError):
    """A model answered in the wrong form; shown the error, it may do better."""


class ModelUnavailableError(AgentError):
    """A model's server did not answer this time."""


class ModelRequestError(AgentError):
    """A model's server rejects this request; it may accept another one."""

    retried: ClassVar[bool] = False


class UnreadableImageError(AgentError):
    """An image cannot be read; a retry would not help."""

    retried: ClassVar[bool] = False


class ModelRefusedError(AgentError):
    """A model's server refuses all requests until a person changes a setting."""

    retried: ClassVar[bool] = False


class RunStoppedError(MemoryBankError):
    """The run cannot continue until a person changes a setting; everything recorded is kept."""


class BudgetError(MemoryBankError):
    """The session has used up its limit of tokens or money."""


class ToolError(MemoryBankError):
    """A tool call failed. The message is for the acting agent: what happened, and what to do instead."""


class ModelFileError(MemoryBankError):
    """A bundled model, or the library that runs it, is missing or damaged."""

    def __init__(self, file: str, reason: str) -> None:
        self.file, self.reason = file, reason
        first_line = reason.splitlines()[0] if reason.strip() else "no reason given"
        super().__init__(f"{file} cannot be loaded ({first_line}); make train makes it anew")


class StorageError(MemoryBankError):
    """A file could not be read or written; everything recorded before is kept, and the work can continue from there."""

    @classmethod
    def of(cls, error: OSError) -> StorageError:
        """The error of the operating system in words for a person, without the path."""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return cls(
                Wording("the disk is full; everything recorded so far is kept: make room, then let the session go on")
            )
        return cls(
            Wording(
                "a file could not be used ({detail}); everything recorded so far is kept: put that right, then let "
                "the session go on",
                detail=error.strerror or type(error).__name__,
            )
        )

    @classmethod
    def outside_session(cls, error: OSError) -> StorageError:
        """The same for work outside a session, or before one has begun."""
        cause = error.strerror or str(error) or type(error).__name__
        return cls(
            Wording("a file could not be used ({detail}): make room or put that right, then try again", detail=cause)
        )


class SessionNotFoundError(MemoryBankError):
    """No session of that id in the store."""


class LongTermError(MemoryBankError):
    """Long-term memory failed or missed its deadline. The work continues without it, and reports that."""


class NotKeptError(LongTermError):
    """One record cannot be stored as it is; long-term memory itself works and accepts others."""


class CorruptLogError(MemoryBankError):
    """An event log that cannot be read or whose events do not fit together."""
