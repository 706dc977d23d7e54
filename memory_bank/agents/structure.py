"""Structure: condense one cluster into a summary and checkable claims."""

from __future__ import annotations

from memory_bank.agents.agent import Agent
from memory_bank.bank.spoken import SpokenTurn
from memory_bank.bank.value import Value


class StructureInput(Value):
    """One cluster, with its context and keywords from Classification.

    In a chat, `turns` say who said what and when, as character offsets in `content`. `document` is what is known of the
    text that it is a part of: file, title, date, and how it begins.
    """

    content: str
    context: str
    keywords: tuple[str, ...]
    turns: tuple[SpokenTurn, ...] = ()
    document: str = ""


class FoundClaim(Value):
    """A checkable statement of the content: `text` is exactly `content[start:end]`."""

    text: str
    start: int
    end: int


class StructureOutput(Value):
    """A summary of the cluster's key information, evidence and logic, and its claims."""

    summary: str
    claims: tuple[FoundClaim, ...]


STRUCTURE = Agent("structure", StructureInput, StructureOutput, temperature=0.1, top_p=0.8)
