"""Structure: compresses one cluster into a summary and checkable claims."""

from __future__ import annotations

from memory_bank.agents.agent import Agent
from memory_bank.bank.spoken import Spoken
from memory_bank.bank.value import Value


class StructureInput(Value):
    """One cluster, with what Classification said of it.

    `turns` are those of a chat, in the characters of the content: who said what, and when.
    """

    content: str
    context: str
    keywords: tuple[str, ...]
    turns: tuple[Spoken, ...] = ()


class FoundClaim(Value):
    """A checkable statement of the content: `text` is exactly `content[start:end]`."""

    text: str
    start: int
    end: int


class StructureOutput(Value):
    """Key information, evidence and logic of the cluster, and its claims."""

    summary: str
    claims: tuple[FoundClaim, ...]


STRUCTURE = Agent("structure", StructureInput, StructureOutput, temperature=0.1, top_p=0.8)
