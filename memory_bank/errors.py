"""Everything that can go wrong, as one tree.

Every message is one line a person can act on: what happened, where, what to do now.

MemoryBankError
├── UsageError               the caller asked for something that cannot be done (exit code 2)
│   ├── SettingsError            a setting has a value that is not allowed
│   ├── UnreadableDocumentError  a file that cannot be read, with the reason
│   └── ImportRefusedError       an export that is not valid, not known or not consistent
├── AgentError               an agent's judgement could not be had (retried once, then the step fails)
├── SessionNotFoundError     no session of that id in the store
└── CorruptLogError          an event log that cannot be read or does not add up
"""

from __future__ import annotations


class MemoryBankError(Exception):
    """Root of all errors this package raises on purpose."""


class UsageError(MemoryBankError):
    """The request itself cannot be served; nothing was changed."""


class SettingsError(UsageError):
    """A setting has a value that is not allowed."""

    def __init__(self, variable: str, value: str, allowed: str) -> None:
        self.variable, self.value, self.allowed = variable, value, allowed
        super().__init__(f"{variable} is {value!r}; allowed: {allowed}")


class UnreadableDocumentError(UsageError):
    """A document that cannot be read. `name` is shown to people and never used as a path."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name}: {reason}")


class ImportRefusedError(UsageError):
    """An export that is not valid JSON, not our format, of an unknown version, or inconsistent."""


class AgentError(MemoryBankError):
    """An agent's judgement could not be had."""

    def __init__(self, agent: str, reason: str) -> None:
        self.agent, self.reason = agent, reason
        super().__init__(f"{agent}: {reason}")


class SessionNotFoundError(MemoryBankError):
    """No session of that id in the store."""


class CorruptLogError(MemoryBankError):
    """An event log that cannot be read or whose events do not fit together."""
