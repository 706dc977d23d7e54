"""Verifies every affirmed sentence of an answer: `python -m memory_bank verify EXPORT`.

Quoted words must stand in the cited passage, a written sentence must be borne by its passages (pair model, as when it
was affirmed), a difference or sum must be right, and no reference source may contradict the sentence, unless it cites
that passage or a verification counted it for the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.settings import load_settings
from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.grounding import Grounding, SourceText
from memory_bank.judgement.judge import PairJudge, model_load_error, shared_judge
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.session.answer_lines import Line, affirmed_statements
from memory_bank.session.embedding_choice import settings_as_recorded
from memory_bank.text.values.arithmetic import is_computed_correctly
from memory_bank.text.wording import Wording

_QUOTED = re.compile(r"“([^”]*)”")
_QUOTATION = re.compile(r"(?:[^“]*: )?(?:“.*?”\s*)+", re.DOTALL)
"""A sentence that consists of quotations, with or without their value before them."""


@dataclass(frozen=True)
class Fault:
    """A sentence that failed the check, and why."""

    sentence: str
    why: str


@dataclass(frozen=True)
class VerificationReport:
    """How many sentences were checked, and the faults found."""

    sentences: int
    faults: tuple[Fault, ...]

    @property
    def holding(self) -> int:
        """Sentences without a fault."""
        return self.sentences - len({fault.sentence for fault in self.faults})


def verify_session_answer(bank: Bank) -> VerificationReport | None:
    """Verify a session's answer with the bundled networks; None if they are not installed."""
    if model_load_error():
        return None
    embedder = load_embedder(settings_as_recorded(load_settings(), bank.settings).embedding_model)
    return verify_answer(bank, embedder, shared_judge())


def verify_answer(bank: Bank, embedder: Embedder, judge: PairJudge) -> VerificationReport:
    """Verify the affirmed part of a session's answer; without an answer there are no sentences."""
    lines = affirmed_statements(bank.answer) if bank.answer else []
    sources = list(_source_statements(bank))
    grounding = Grounding(embedder, judge)
    faults = [fault for line in lines for fault in _faults(line, bank, grounding)]
    alike = candidates([Statement(line.text) for line in lines], [statement for _, statement in sources], embedder)
    pairs = [(i, j) for i, j in alike if not _is_weighed(lines[i], sources[j][1].text, bank)]
    contradictions = judge_both_ways([(Statement(lines[i].text), sources[j][1]) for i, j in pairs], judge)
    faults += [
        Fault(
            lines[i].text, Wording("{source} says otherwise: “{text}”", source=sources[j][0], text=sources[j][1].text)
        )
        for (i, j), probability in zip(pairs, contradictions, strict=True)
        if probability >= judge.conflict_between
    ]
    return VerificationReport(len(lines), tuple(faults))


def _faults(line: Line, bank: Bank, grounding: Grounding) -> Iterator[Fault]:
    if not line.citations:
        yield Fault(line.text, Wording("no passage is cited"))
        return
    texts = []
    for citation in line.citations:
        passage = _passage(citation, bank)
        if passage is None:
            yield Fault(line.text, Wording("[{number}] leads to no passage of its document", number=citation.number))
        else:
            texts.append(SourceText(citation.source, passage))
    if not texts:
        return
    passages = [each.text for each in texts]
    missing = [quoted for quoted in _QUOTED.findall(line.text) if not _is_quoted(quoted, passages)]
    yield from (Fault(line.text, Wording("not in the passage: “{text}”", text=quoted)) for quoted in missing)
    if not is_computed_correctly(line.text, passages):
        yield Fault(line.text, "the difference or sum does not come out")
    if not missing and not _QUOTATION.fullmatch(line.text) and not grounding.quotes(line.text, texts):
        yield Fault(line.text, Wording("its passages do not bear it"))


def _passage(citation: Citation, bank: Bank) -> str | None:
    """The words that a citation points to, if they exist and come from the document that it names."""
    if citation.entry_id not in bank.trees:
        return None
    entry = bank.trees.entry(citation.entry_id)
    inside = 0 <= citation.start < citation.end <= len(entry.text)
    words = entry.text[citation.start : citation.end]
    conflict = bank.conflicts.get(str(entry.metadata.get("conflict_id")))
    evidence = conflict.evidence if conflict else ()  # the record of a verification holds passages of its sources
    in_evidence = any(each.source == citation.source and words in each.passage for each in evidence)
    return words if inside and (in_evidence or entry.metadata.get("source") == citation.source) else None


def _is_quoted(text: str, passages: Sequence[str]) -> bool:
    """Whether a passage holds the text word for word, however it is broken into lines."""
    return any(" ".join(text.split()) in " ".join(passage.split()) for passage in passages)


def _is_weighed(line: Line, passage: str, bank: Bank) -> bool:
    """Whether a passage was weighed already: the sentence cites it, or a verdict counted it for what it quotes."""
    cited = [words for citation in line.citations if (words := _passage(citation, bank))]
    return any(_is_quoted(words, [passage]) or _is_quoted(passage, [words]) for words in cited) or any(
        each.passage == passage and each.supports in (side, "both") and _is_quoted(claim.text, [line.text])
        for conflict in bank.conflicts.values()
        for each in conflict.evidence
        for side, claims in zip(("first", "second"), conflict.sides, strict=True)
        for claim in claims
    )


def _source_statements(bank: Bank) -> Iterator[tuple[str, Statement]]:
    """What the reference sources say, as far as the session holds it: their entries, and the evidence of verdicts."""
    references = {source.id: source for source in bank.sources.values() if source.role == "reference"}
    for entry in bank.trees:
        source = references.get(str(entry.metadata.get("source_id", "")))
        if source is not None:
            placed = statements_of(entry.text, source.title or "")
            yield from ((source.name, each.statement) for each in placed)
    names = {source.name for source in references.values()}
    for conflict in bank.conflicts.values():
        yield from ((each.source, Statement(each.passage)) for each in conflict.evidence if each.source in names)
