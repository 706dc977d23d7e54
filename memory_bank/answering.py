"""From a step's findings to the answer a person reads: sentences with citations, disputes, rejections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from memory_bank.agents.react import Quote, Statement, StepResult
from memory_bank.bank.answer import HEADING, NO_ANSWER, NO_PASSAGE, Answer, Citation, Dispute, Rejection
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim
from memory_bank.one_line import one_line

REFUTED = "What the documents say on this was refuted."
UNANSWERED = "The documents do not say:"


@dataclass
class _Citations:
    """Numbers passages in the order in which the answer uses them; the same passage keeps its number."""

    bank: Bank
    known: dict[tuple[str, int, int], Citation] = field(default_factory=dict)

    def of(self, quote: Quote) -> Citation | None:
        """The citation of a passage; None when no entry of its source, nor a verification's record, holds it."""
        place = self.place(quote)
        return self.cite(*place) if place else self._of_evidence(quote)

    def _of_evidence(self, quote: Quote) -> Citation | None:
        """The citation of what a source said to a verification, in the record of that."""
        said = f"{quote.source}: {quote.text}"
        for entry in self.bank.trees:
            conflict = self.bank.conflicts.get(str(entry.metadata.get("conflict_id")))
            heard = conflict.evidence if conflict else ()
            found = next((one for one in heard if f"{one.source}: {one.passage}" == said), None)
            at = entry.text.find(said)
            if found is not None and at >= 0:
                end = at + len(said)
                return self.cite(entry.id, end - len(quote.text), end, quote.source, found.page)
        return None

    def place(self, quote: Quote) -> tuple[str, int, int] | None:
        """Entry, start and end of a passage, as the entry really has it."""
        for entry in self._entries(quote):
            if quote.source != entry.metadata.get("source"):
                continue
            exact = quote.entry_id and entry.text[quote.start : quote.end] == quote.text
            start = quote.start if exact else entry.text.find(quote.text)
            if start >= 0:
                return entry.id, start, start + len(quote.text)
        return None

    def _entries(self, quote: Quote) -> Iterable[Entry]:
        """Where a passage may stand: in the entry it names, or in any."""
        trees = self.bank.trees
        if quote.entry_id is None:
            return trees
        return [trees.entry(quote.entry_id)] if quote.entry_id in trees else []

    def cite(self, entry_id: str, start: int, end: int, source: str | None = None, page: int | None = None) -> Citation:
        """The citation of a stretch of an entry; `source` and `page` where they are not the entry's own."""
        key = (entry_id, start, end)
        if key not in self.known:
            entry = self.bank.trees.entry(entry_id)
            self.known[key] = Citation(
                number=len(self.known) + 1,
                entry_id=entry_id,
                start=start,
                end=end,
                source=source or str(entry.metadata.get("source", "")),
                page=_page(entry, start) if source is None else page,
            )
        return self.known[key]


def _page(entry: Entry, offset: int) -> int | None:
    """The page that a character of an entry stands on; an entry may reach over several."""
    pages: list[list[int]] = entry.metadata.get("pages", [])
    return next((page for start, page in reversed(pages) if start <= offset), entry.metadata.get("page"))


def compose_answer(bank: Bank, result: StepResult | None, unfinished: str = "") -> Answer:
    """The answer to the task from the last step that worked on it (None when there was none).

    What was refuted or came into dispute since the step is left out. `unfinished` says why the work broke off.
    """
    citations = _Citations(bank)
    statements = result.statements if result else ()
    judged = [(statement, _against(statement, citations)) for statement in statements]
    aside = {conflict.id for _statement, against in judged for conflict in against}
    lines = [_line(statement, citations) for statement, against in judged if not against]
    named = dict.fromkeys([*(result.conflicts if result else ()), *sorted(aside)])
    bearing = [bank.conflicts[found] for found in named if found in bank.conflicts]
    disputed = [_dispute(conflict, citations) for conflict in bearing if conflict.undecided]
    rejected = [
        Rejection(conflict_id=conflict.id, text=claim.text, why=conflict.reason or "")
        for conflict in bearing
        for claim in {one.text: one for one in conflict.refuted}.values()
    ]
    said = _under_headings(lines)
    if not said and not disputed:
        found = "" if aside else (result.answer if result else "")
        said = found or (REFUTED if aside else _why_nothing(bank, unfinished))
    unanswered = [f"{UNANSWERED} {one_line(part)}" for part in result.unanswered] if result else ()
    return Answer(
        text="\n\n".join(
            part for part in (said, *unanswered, *(_dispute_text(dispute) for dispute in disputed)) if part
        ),
        affirmed="\n".join(line.text for line in lines if line.affirmed),
        disputed=tuple(disputed),
        rejected=tuple(rejected),
        citations=tuple(citations.known.values()),
    )


def _against(statement: Statement, citations: _Citations) -> list[Conflict]:
    """Conflicts that forbid a sentence: a passage of it is a claim that they bar."""
    places = [citations.place(quote) for quote in statement.quotes]
    return [
        conflict
        for conflict in citations.bank.conflicts.values()
        if any(place and claim.overlaps(*place) for claim in conflict.barred for place in places)
    ]


def _why_nothing(bank: Bank, unfinished: str) -> str:
    """Nothing was found, or nothing could be done."""
    if unfinished:
        return f"No answer could be given: {unfinished}"
    last = bank.insight_doc.completed_tasks[-1:]
    if last and last[0].status == "failed":
        return f"No answer could be given, for the last step failed: {last[0].context}"
    return NO_ANSWER


@dataclass(frozen=True)
class _Line:
    text: str
    affirmed: bool
    heading: str | None = None


def _under_headings(lines: Sequence[_Line]) -> str:
    """The lines of an answer, each group under its heading."""
    parts: list[str] = []
    for heading, group in groupby(lines, key=lambda line: line.heading):
        parts += [f"{HEADING}{one_line(heading)}"] if heading else []
        parts.append("\n".join(line.text for line in group))
    return "\n\n".join(parts)


def _line(statement: Statement, citations: _Citations) -> _Line:
    found = [citation for quote in statement.quotes if (citation := citations.of(quote)) is not None]
    marks = "".join(f"[{citation.number}]" for citation in dict.fromkeys(found))
    value = f"{statement.value}: " if statement.value else ""
    sentence = statement.text if statement.text is not None else " ".join(f"“{q.text}”" for q in statement.quotes)
    borne = bool(found) and len(found) == len(statement.quotes)
    return _Line(f"{value}{sentence} {marks or NO_PASSAGE}", affirmed=borne, heading=statement.heading)


def _dispute(conflict: Conflict, citations: _Citations) -> Dispute:
    first, second = (_side(side, citations) for side in conflict.sides)
    return Dispute(conflict_id=conflict.id, sides=(first, second))


def _side(claims: Sequence[Claim], citations: _Citations) -> str:
    """What one side says, in the words of the first of its sources."""
    sources = ", ".join(dict.fromkeys(name for claim in claims for name in citations.bank.sources_of(claim)))
    marks = "".join(f"[{citations.cite(claim.entry_id, claim.start, claim.end).number}]" for claim in claims)
    return f"{sources}: “{claims[0].text}” {marks}"


def _dispute_text(dispute: Dispute) -> str:
    return "In dispute, with no evidence that settles it:\n" + "\n".join(f"- {side}" for side in dispute.sides)
