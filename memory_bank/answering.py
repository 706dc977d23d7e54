"""From a step's findings to the answer a person reads: sentences with citations, disputes, rejections."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_bank.agents.react import Statement, StepResult
from memory_bank.bank.answer import Answer, Citation, Dispute, Rejection
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim

NOTHING = "The documents hold no answer to this."


@dataclass
class _Citations:
    """Numbers passages in the order in which the answer uses them; the same passage keeps its number."""

    bank: Bank
    known: dict[tuple[str, int, int], Citation] = field(default_factory=dict)

    def cite(self, entry_id: str, start: int, end: int) -> Citation:
        key = (entry_id, start, end)
        if key not in self.known:
            entry = self.bank.trees.entry(entry_id)
            self.known[key] = Citation(
                number=len(self.known) + 1,
                entry_id=entry_id,
                start=start,
                end=end,
                source=str(entry.metadata.get("source", "")),
                page=_page(entry, start),
            )
        return self.known[key]


def _page(entry: Entry, offset: int) -> int | None:
    """The page that a character of an entry stands on; an entry may reach over several."""
    pages: list[list[int]] = entry.metadata.get("pages", [])
    return next((page for start, page in reversed(pages) if start <= offset), entry.metadata.get("page"))


def compose_answer(bank: Bank, result: StepResult | None) -> Answer:
    """The answer to the task from the last step that worked on it (None when there was none)."""
    citations = _Citations(bank)
    statements = result.statements if result else ()
    lines = [_line(bank, statement, citations) for statement in statements]
    affirmed = "\n".join(lines)
    bearing = [bank.conflicts[found] for found in (result.conflicts if result else ()) if found in bank.conflicts]
    disputed = [_dispute(conflict, citations) for conflict in bearing if conflict.status == "disputed"]
    rejected = [
        Rejection(conflict_id=conflict.id, text=claim.text, why=conflict.reason or "")
        for conflict in bearing
        for claim in conflict.refuted
    ]
    said = affirmed if lines or disputed else (result.answer if result and result.answer else NOTHING)
    parts = [part for part in (said, *(_dispute_text(dispute) for dispute in disputed)) if part]
    return Answer(
        text="\n\n".join(parts),
        affirmed=affirmed,
        disputed=tuple(disputed),
        rejected=tuple(rejected),
        citations=tuple(citations.known.values()),
    )


def _line(bank: Bank, statement: Statement, citations: _Citations) -> str:
    passage = bank.trees.entry(statement.entry_id).text[statement.start : statement.end]
    citation = citations.cite(statement.entry_id, statement.start, statement.end)
    value = f"{statement.value}: " if statement.value else ""
    return f"{value}“{passage}” [{citation.number}]"


def _dispute(conflict: Conflict, citations: _Citations) -> Dispute:
    first, second = (_side(claim, citations) for claim in conflict.claims)
    return Dispute(conflict_id=conflict.id, sides=(first, second))


def _side(claim: Claim, citations: _Citations) -> str:
    citation = citations.cite(claim.entry_id, claim.start, claim.end)
    return f"{claim.source}: “{claim.text}” [{citation.number}]"


def _dispute_text(dispute: Dispute) -> str:
    return "In dispute, with no evidence that settles it:\n" + "\n".join(f"- {side}" for side in dispute.sides)
