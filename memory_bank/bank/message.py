"""The messages of a step between the model and its tools."""

from __future__ import annotations

from typing import Any, Literal

from memory_bank.bank.usage import ModelCall, Remark
from memory_bank.bank.value import Value


class ToolCall(Value):
    """A tool call of the acting agent. `id` comes from the provider; it is empty for a call written as a tag."""

    name: str
    arguments: dict[str, Any]
    id: str = ""


class Message(Value):
    """One message of a step.

    `from_memory` marks a tool's result that is not material: it is read from the bank, or is a word of the tool to the
    agent, such as a refusal.
    `source` is the document a tool result came from, `title` the title of its page; `reasoning` is the model's
    reasoning before its output.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    name: str | None = None
    source: str | None = None
    title: str | None = None
    page: int | None = None
    from_memory: bool = False
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @property
    def is_material(self) -> bool:
        """Whether it is new: it enters memory, can be cited by its mark, and lets `visit` open the addresses in it."""
        return self.role == "tool" and not self.from_memory


class StepTurn(Value):
    """One round of a step: the model's message, its tools' results, and the requests made."""

    messages: tuple[Message, ...]
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()
