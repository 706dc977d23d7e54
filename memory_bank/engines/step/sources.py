"""The texts that the marks in an agent's answer can cite: nodes of memory, tool results, and conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory_bank.agents.react import EnhancedPrompt, Tools
from memory_bank.bank.above import Above
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.message import Message
from memory_bank.bank.usage import Remark
from memory_bank.judgement.grounding import SourceText


@dataclass
class Sources:
    """The texts that a mark can cite: nodes of memory, and tool results by number. Collects the remarks too."""

    prompt: EnhancedPrompt
    marked: Mapping[int, Message]
    tools: Tools
    conflicts: tuple[Conflict, ...] = ()
    remarks: list[Remark] = field(default_factory=list)
    barring: set[str] = field(default_factory=set)
    """Ids of the conflicts for which a sentence was left out."""

    def __post_init__(self) -> None:
        self.conflicts = self.tools.conflicts()

    def note(self, kind: Literal["dropped", "repaired"], what: str) -> None:
        """Record what was done to the answer."""
        self.remarks.append(Remark(kind=kind, what=what))

    def texts(self, mark: str) -> list[SourceText]:
        """The texts that a mark cites; none for an unknown mark."""
        if mark[0] not in "nrx":
            return []
        number = int(mark[1:])
        if mark[0] == "x":
            conflict = self.conflict(f"x{number}")
            if conflict is None:
                return []
            return [*self._claims(conflict), *self.evidence(conflict)]
        if mark[0] == "r":
            message = self.marked.get(number)
            if message is None:
                return []
            pages = ((0, message.page),) if message.page else ()
            name, title = message.source or message.name or "", message.title or ""
            return [SourceText(name, message.content, pages=pages, title=title)]
        entries = self.tools.deep_retrieval(f"n{number}")
        return [
            SourceText(
                str(entry.metadata.get("source", "")),
                entry.text,
                entry.id,
                self._barred(entry.id),
                tuple(entry.page_starts),
                title=str(entry.metadata.get("title", "")),
                above=Above.of_metadata(entry.metadata),
            )
            for entry in entries
            if not entry.records_verification
        ]

    def conflict(self, mark: str) -> Conflict | None:
        """The conflict of a mark."""
        return next((conflict for conflict in self.conflicts if conflict.id == mark), None)

    @staticmethod
    def evidence(conflict: Conflict) -> list[SourceText]:
        """The passages that a verification weighed."""
        return [SourceText(each.source, each.passage, each.entry_id, title=each.title) for each in conflict.evidence]

    def _claims(self, conflict: Conflict) -> list[SourceText]:
        """The claims of a conflict where they stand; the refuted ones are barred.

        Those of an undecided one are not: told together they are the dispute.
        """
        nodes = (conflict.merged_into,) if conflict.merged_into else conflict.node_ids
        entries = {entry.id: entry for node in nodes for entry in self.tools.deep_retrieval(node)}
        texts = []
        for claim in conflict.parties:
            entry = entries.get(claim.entry_id)
            text = entry.text[claim.start : claim.end] if entry else claim.text
            barred = ((0, len(text)),) if claim in conflict.refuted else ()
            pages = ((0, claim.page),) if claim.page else ()
            texts.append(SourceText(claim.source, text, claim.entry_id, barred, pages, claim.start))
        return texts

    def all_marks(self) -> list[str]:
        """Every valid mark."""
        node_ids = [node.id for node in self.prompt.nodes]
        return [*node_ids, *(f"r{number}" for number in self.marked)]

    def _barred(self, entry_id: str) -> tuple[tuple[int, int], ...]:
        barred = (claim for conflict in self.conflicts for claim in conflict.barred)
        return tuple((claim.start, claim.end) for claim in barred if claim.entry_id == entry_id)
