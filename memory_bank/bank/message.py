"""The messages of a step, as an acting framework exchanged them."""

from __future__ import annotations

from typing import Any, Literal

from memory_bank.bank.usage import ModelCall, Remark
from memory_bank.bank.value import Value


class ToolCall(Value):
    """A tool that the acting agent asked for. `id` is the provider's, empty for one written as a tag."""

    name: str
    arguments: dict[str, Any]
    id: str = ""


class Message(Value):
    """One message of a step. `from_memory` marks what was read from the bank: it is never stored again as new.

    `source` names the document a tool result came from, `title` is that of a page; `reasoning` is what a model thought
    before it spoke.
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


class Turn(Value):
    """One round of a step: what the model said, what its tools brought, and the requests it took."""

    messages: tuple[Message, ...]
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()
