"""What people read of Markdown documents: nodes, conflicts and answers with their quotations as plain text.

Only the view: what is stored stays as it is, and so does every place that a citation or claim names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Evidence
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.text.wording import Wording, one_line
from memory_bank.views.markdown import Readable, readable
from memory_bank.views.timeline import Task

_MARKDOWN = "text/markdown"
_ToPlain = Callable[[str], str]
_Place = tuple[str, int, int]
"""A record, and where a passage of it begins and ends."""


def entry_source(bank: Bank, entry: Entry) -> Source | None:
    """The document a record comes from: by its id, or by its name for what a step brought. None if there is none."""
    by_id = bank.sources.get(str(entry.metadata.get("source_id")))
    return by_id or next((each for each in bank.sources.values() if each.name == entry.metadata.get("source")), None)


def read_record(bank: Bank, entry: Entry) -> Readable:
    """The text of a record as a person reads it."""
    document = entry_source(bank, entry)
    is_markdown = document is not None and document.media_type == _MARKDOWN
    return readable(entry.text) if is_markdown else Readable(entry.text)


def read_node(bank: Bank, node: Node) -> Node:
    """A node with its claims and its summary as a person reads them."""
    if all(read_record(bank, entry).text == entry.text for entry in bank.trees.entries(node.id)):
        return node
    return node.model_copy(
        update={
            "claims": _read_claims(bank, node.claims),
            "summary": readable(node.summary).text,
            "context": readable(node.context).text,
        }
    )


def read_conflict(bank: Bank, conflict: Conflict) -> Conflict:
    """A conflict with its statements and its evidence as a person reads them."""
    to_plain = _replacer(_quotations(bank, _places(conflict.parties)))
    return conflict.model_copy(
        update={
            "claims": _read_claims(bank, conflict.claims),
            "supporters": tuple(_read_claims(bank, side) for side in conflict.supporters),
            "evidence": tuple(_read_evidence(bank, each) for each in conflict.evidence),
            "description": to_plain(conflict.description),
            "reason": conflict.reason and to_plain(conflict.reason),
        }
    )


def read_conflicts(bank: Bank, answer: Answer) -> dict[str, Conflict]:
    """The conflicts that an answer tells of, by id, as a person reads them."""
    return {conflict.id: read_conflict(bank, conflict) for conflict in _conflicts_of(bank, answer)}


def _conflicts_of(bank: Bank, answer: Answer) -> list[Conflict]:
    ids = [*(each.conflict_id for each in answer.disputed), *(each.conflict_id for each in answer.rejected)]
    return [bank.conflicts[each] for each in ids if each in bank.conflicts]


def read_answer(bank: Bank, answer: Answer) -> Answer:
    """An answer whose quotations of Markdown are as a person reads them."""
    claims = [claim for each in _conflicts_of(bank, answer) for claim in each.parties]
    to_plain = _replacer(_quotations(bank, (*_places(answer.citations), *_places(claims))))
    return answer.model_copy(
        update={
            "text": to_plain(answer.text),
            "affirmed": to_plain(answer.affirmed),
            "disputed": tuple(
                each.model_copy(update={"sides": tuple(map(to_plain, each.sides))}) for each in answer.disputed
            ),
            "rejected": tuple(each.model_copy(update={"text": to_plain(each.text)}) for each in answer.rejected),
            "lines": tuple(to_plain(each) for each in answer.lines),
        }
    )


def read_insight_doc(bank: Bank) -> InsightDoc:
    """The Insight Doc with the quotations in its tasks as a person reads them."""
    to_plain, doc = _quotation_replacer(bank), bank.insight_doc
    current = doc.current_task
    return doc.model_copy(
        update={
            "completed_tasks": tuple(
                task.model_copy(update={"description": to_plain(task.description), "context": to_plain(task.context)})
                for task in doc.completed_tasks
            ),
            "current_task": current and current.model_copy(update={"description": to_plain(current.description)}),
        }
    )


def read_tasks(bank: Bank, tasks: Iterable[Task]) -> list[Task]:
    """Tasks of the timeline with their quotations as a person reads them."""
    to_plain = _quotation_replacer(bank)
    return [replace(task, description=to_plain(task.description), context=to_plain(task.context)) for task in tasks]


def _quotation_replacer(bank: Bank) -> _ToPlain:
    """Writes plainly a text that may quote what the answer cites or what contradicts itself."""
    claims = (claim for conflict in bank.conflicts.values() for claim in conflict.parties)
    citations = bank.answer.citations if bank.answer else ()
    return _replacer(_quotations(bank, (*_places(citations), *_places(claims))))


def _read_claims(bank: Bank, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    read = []
    for claim in claims:
        record = read_record(bank, bank.trees.entry(claim.entry_id)) if claim.entry_id in bank.trees else Readable("")
        text = record.quote(claim.start, claim.end) if record.changes else claim.text
        read.append(claim.model_copy(update={"text": text}))
    return tuple(read)


def _read_evidence(bank: Bank, evidence: Evidence) -> Evidence:
    if evidence.entry_id is None or evidence.entry_id not in bank.trees:
        return evidence
    entry = bank.trees.entry(evidence.entry_id)
    record, start = read_record(bank, entry), entry.text.find(evidence.passage)
    if not record.changes or start < 0:
        return evidence
    return evidence.model_copy(update={"passage": record.quote(start, start + len(evidence.passage))})


def _places(passages: Iterable[Claim | Citation]) -> Iterator[_Place]:
    return ((each.entry_id, each.start, each.end) for each in passages)


def _quotations(bank: Bank, places: Iterable[_Place]) -> dict[str, str]:
    """The passages as they stand in Markdown, and on one line, each with what a person reads in its place."""
    quotations: dict[str, str] = {}
    for entry_id, start, end in places:
        if entry_id in bank.trees:
            entry = bank.trees.entry(entry_id)
            record, source = read_record(bank, entry), entry.text[start:end]
            if record.changes and (plain := record.quote(start, end)) != source:
                quotations |= {source: plain, one_line(source): one_line(plain)}
    return quotations


def _replacer(quotations: dict[str, str]) -> _ToPlain:
    """Writes a text with plain quotations; a text of ours stays one."""
    longest_first = sorted(filter(None, quotations), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))

    def to_plain(text: str) -> str:
        if not longest_first:
            return text
        if isinstance(text, Wording):
            return Wording(text.template, **{name: to_plain(value) for name, value in text.values.items()})
        return pattern.sub(lambda found: quotations[found[0]], text)

    return to_plain
