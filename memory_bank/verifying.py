"""Reads every sentence that an answer stands by again: `python -m memory_bank verify EXPORT`.

The words stand where the citation says, a written sentence follows from its passages (pair model), a difference or sum
comes out, and nothing that a source says contradicts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.embedding_choice import as_begun
from memory_bank.events import Event
from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.judge import SAME, PairJudge, shared_judge, why_without
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.modules.answer_lines import Line, statements
from memory_bank.modules.embedding import Embedder, load_embedder
from memory_bank.settings import load_settings
from memory_bank.values.arithmetic import comes_out

_QUOTED = re.compile(r"“([^”]*)”")
_QUOTATION = re.compile(r"(?:[^“]*: )?(?:“.*?”\s*)+", re.DOTALL)
"""A sentence that is its quotations, with the value that they give before them."""


@dataclass(frozen=True)
class Fault:
    """A sentence that does not hold, and why."""

    sentence: str
    why: str


@dataclass(frozen=True)
class Verified:
    """How many sentences were read, and those that do not hold."""

    sentences: int
    faults: tuple[Fault, ...]

    @property
    def holding(self) -> int:
        """Sentences without a fault."""
        return self.sentences - len({fault.sentence for fault in self.faults})


def read_again(bank: Bank, first: Event) -> Verified | None:
    """A session's answer read again by the networks that come with the program; None where they are not there.

    `first` is the session's first event: it names the embedding model.
    """
    if why_without():
        return None
    settings = as_begun(load_settings(), first)
    embedder = load_embedder(settings.embedding_model, settings.embedding_cache)
    return verify_answer(bank, embedder, shared_judge())


def verify_answer(bank: Bank, embedder: Embedder, judge: PairJudge) -> Verified:
    """Read the affirmed part of a session's answer again; nothing is there to read where it has none."""
    affirmed = bank.answer.model_copy(update={"text": bank.answer.affirmed, "disputed": ()}) if bank.answer else None
    lines = statements(affirmed) if affirmed else []
    sources = list(_said_by_sources(bank))
    faults = [fault for line in lines for fault in _faults(line, bank, judge)]
    pairs = candidates([Statement(line.text) for line in lines], [one for _, one in sources], embedder)
    against = judge_both_ways([(Statement(lines[i].text), sources[j][1]) for i, j in pairs], judge)
    faults += [
        Fault(lines[i].text, f"{sources[j][0]} says otherwise: “{sources[j][1].text}”")
        for (i, j), sure in zip(pairs, against, strict=True)
        if sure >= judge.conflict_between
    ]
    return Verified(len(lines), tuple(faults))


def _faults(line: Line, bank: Bank, judge: PairJudge) -> Iterator[Fault]:
    if not line.citations:
        yield Fault(line.text, "no passage is cited")
        return
    passages = []
    for citation in line.citations:
        passage = _passage(citation, bank)
        if passage is None:
            yield Fault(line.text, f"[{citation.number}] leads to no passage of its document")
        else:
            passages.append(passage)
    if not passages:
        return
    unsaid = [one for one in _QUOTED.findall(line.text) if not _stands(one, passages)]
    yield from (Fault(line.text, f"not in the passage: “{one}”") for one in unsaid)
    if not comes_out(line.text, passages):
        yield Fault(line.text, "the difference or sum does not come out")
    if not unsaid and not _QUOTATION.fullmatch(line.text) and not _bears(passages, line.text, judge):
        yield Fault(line.text, "its passages do not bear it")


def _passage(citation: Citation, bank: Bank) -> str | None:
    """The words that a citation leads to, if they are there and of the document that it names."""
    if citation.entry_id not in bank.trees:
        return None
    entry = bank.trees.entry(citation.entry_id)
    inside = 0 <= citation.start < citation.end <= len(entry.text)
    words = entry.text[citation.start : citation.end]
    conflict = bank.conflicts.get(str(entry.metadata.get("conflict_id")))
    evidence = conflict.evidence if conflict else ()  # what a source said to a verification stands in its record
    heard = any((one.source, one.passage) == (citation.source, words) for one in evidence)
    return words if inside and (heard or entry.metadata.get("source") == citation.source) else None


def _stands(quoted: str, passages: Sequence[str]) -> bool:
    return any(" ".join(quoted.split()) in " ".join(passage.split()) for passage in passages)


def _bears(passages: Sequence[str], sentence: str, judge: PairJudge) -> bool:
    if any(" ".join(sentence.split()) in " ".join(passage.split()) for passage in passages):
        return True
    (judged,) = judge.judge([(Statement(" ".join(passages)), Statement(sentence))])
    return judged.entails >= SAME


def _said_by_sources(bank: Bank) -> Iterator[tuple[str, Statement]]:
    """What the reference sources say, as far as the session kept it: their entries, and the evidence of verdicts."""
    references = {source.id: source for source in bank.sources.values() if source.role == "reference"}
    for entry in bank.trees:
        source = references.get(str(entry.metadata.get("source_id", "")))
        if source is not None:
            yield from ((source.name, one.statement) for one in statements_of(entry.text, source.title or ""))
    names = {source.name for source in references.values()}
    for conflict in bank.conflicts.values():
        yield from ((one.source, Statement(one.passage)) for one in conflict.evidence if one.source in names)
