"""The passages under an answer on a terminal."""

from __future__ import annotations

from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.spoken import said_by
from memory_bank.text.one_line import one_line
from memory_bank.views.readable import read_record


def passage_lines(bank: Bank, answer: Answer) -> list[str]:
    """The passages that an answer cites: number, file, page and speaker where known, and the words."""
    lines = []
    for citation in answer.citations:
        entry = bank.trees.entry(citation.entry_id)
        page = f"p. {citation.page}" if citation.page else ""
        where = ", ".join(filter(None, (citation.source, page, said_by(entry, citation.start, citation.end))))
        passage = read_record(bank, entry).quote(citation.start, citation.end)
        lines.append(f"[{citation.number}] {one_line(where)}: {one_line(passage)}")
    return lines
