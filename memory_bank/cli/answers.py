"""Answers of exported sessions: `ask` for one more, `verify` one that is there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from memory_bank.agents.research import Research, ResearchRound
from memory_bank.asking import ask
from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.spoken import said_by
from memory_bank.cli.exports import exported_events
from memory_bank.cli.grammar import given
from memory_bank.cli.output import DONE, FAILED, fail, say
from memory_bank.embedding_choice import as_begun
from memory_bank.errors import UsageError
from memory_bank.judgement.judge import why_without
from memory_bank.one_line import one_line
from memory_bank.session import Parts
from memory_bank.settings import load_settings
from memory_bank.verifying import read_again


def answer(parsed: argparse.Namespace) -> int:
    """Its answer with the passages, and how it was looked for."""
    if not parsed.question.strip():
        raise UsageError("--question is empty; say what is to be answered from the memory")
    settings = load_settings(**given(llm_provider=parsed.engine))
    events = exported_events(parsed.export)
    bank = Bank.replay(events)
    parts = Parts.asking(as_begun(settings, next(iter(events), None)))
    asked = ask(bank, parts.embedder, parsed.question, parts.researcher(), parts.framework)
    for research in asked.research:
        say(_researched(research), sys.stderr)
    for remark in asked.remarks:
        say(f"answer: {one_line(remark.what)}", sys.stderr)
    if asked.usage.calls:
        say(f"used: {asked.usage.in_words}", sys.stderr)
    passages = [_cited(bank, citation) for citation in asked.answer.citations]
    say("\n\n".join([asked.answer.text, *(["\n".join(passages)] if passages else [])]))
    return DONE


def _researched(research: Research) -> str:
    """Round by round what was asked for, how it was looked for, the pages that this found; then why it ended."""
    lines = [line for number, one in enumerate(research.rounds, start=1) for line in _round(number, one)]
    return "\n".join([*lines, f"stopped: {research.stopped}"])


def _round(number: int, one: ResearchRound) -> Iterator[str]:
    looked = dict.fromkeys(query for need in one.plan.needs for query in (need.keywords, need.sentence))
    yield f"round {number}: {one_line(' | '.join(one.requests))}"
    if added := [query for query in looked if query not in one.requests]:
        yield f"  looked for: {one_line(' | '.join(added))}"
    if one.plan.page_ids:
        yield f"  opened: {', '.join(one.plan.page_ids)}"
    yield f"  pages: {', '.join(one.page_ids) or 'none'}"
    yield from (f"  note: {one_line(remark.what)}" for remark in one.remarks)


def _cited(bank: Bank, citation: Citation) -> str:
    entry = bank.trees.entry(citation.entry_id)
    passage = entry.text[citation.start : citation.end]
    page = f"p. {citation.page}" if citation.page else ""
    where = ", ".join(filter(None, (citation.source, page, said_by(entry, citation.start, citation.end))))
    return f"[{citation.number}] {one_line(where)}: {one_line(passage)}"


def verify(parsed: argparse.Namespace) -> int:
    """Whether the citations of an export's answer hold, read again."""
    events = exported_events(parsed.export)
    if (found := read_again(Bank.replay(events), events[0])) is None:
        return fail(str(why_without()), FAILED)
    for fault in found.faults:
        say(f"{one_line(fault.why)}\n  {one_line(fault.sentence)}")
    say(f"{found.holding} of {found.sentences} sentences of the answer hold")
    return FAILED if found.faults else DONE
