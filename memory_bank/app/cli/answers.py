"""`ask` a question of an exported session, and `verify` the answer of one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from memory_bank.agents.research import ResearchRound
from memory_bank.app.cli.exports import exported_events
from memory_bank.app.cli.grammar import set_options
from memory_bank.app.cli.output import DONE, FAILED, fail, write_line
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import load_settings
from memory_bank.bank.spoken import said_by
from memory_bank.bank.task_kind import UNDERSTOOD
from memory_bank.judgement.judge import model_load_error
from memory_bank.session.answer_check import verify_session_answer
from memory_bank.session.embedding_choice import settings_as_recorded
from memory_bank.session.memory_qa import ask
from memory_bank.session.session import Parts
from memory_bank.text.wording import one_line
from memory_bank.views.readable import read_answer, read_record


def answer_from_export(parsed: argparse.Namespace) -> int:
    """Print the answer with its passages; how it was researched goes to stderr."""
    if not parsed.question.strip():
        raise UsageError("--question is empty; say what is to be answered from the memory")
    settings = load_settings(**set_options(llm_provider=parsed.engine, task_kind=parsed.kind))
    bank = Bank.replay(exported_events(parsed.export))
    parts = Parts.asking(settings_as_recorded(settings, bank.settings))
    result = ask(bank, parts, parsed.question, settings.task_kind)
    if result.understood is not None and not result.is_refusal:
        write_line(UNDERSTOOD[result.understood], sys.stderr)
    for research in result.research:
        for number, each in enumerate(research.rounds, start=1):
            write_line("\n".join(_round_lines(number, each)), sys.stderr)
        write_line(f"stopped: {research.stopped}", sys.stderr)
    for remark in result.remarks:
        write_line(f"answer: {one_line(remark.what)}", sys.stderr)
    if result.usage.calls:
        write_line(f"used: {result.usage.in_words}", sys.stderr)
    passages = passage_lines(bank, result.answer)
    write_line("\n\n".join([read_answer(bank, result.answer).text, *(["\n".join(passages)] if passages else [])]))
    return DONE


def _round_lines(number: int, research_round: ResearchRound) -> Iterator[str]:
    plan, requests = research_round.plan, research_round.requests
    queries = dict.fromkeys(query for need in plan.needs for query in (need.keywords, need.sentence))
    yield f"round {number}: {one_line(' | '.join(requests))}"
    if added := [query for query in queries if query not in requests]:
        yield f"  looked for: {one_line(' | '.join(added))}"
    if plan.page_ids:
        yield f"  opened: {', '.join(plan.page_ids)}"
    yield f"  pages: {', '.join(research_round.page_ids) or 'none'}"
    yield from (f"  note: {one_line(remark.what)}" for remark in research_round.remarks)


def verify_export(parsed: argparse.Namespace) -> int:
    """Check the citations of an export's answer again."""
    if (verified := verify_session_answer(Bank.replay(exported_events(parsed.export)))) is None:
        return fail(str(model_load_error()), FAILED)
    for fault in verified.faults:
        write_line(f"{one_line(fault.why)}\n  {one_line(fault.sentence)}")
    write_line(f"{verified.holding} of {verified.sentences} sentences of the answer hold")
    return FAILED if verified.faults else DONE


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
