"""Verify a conflict without a model server: gather passages for and against each side, judge them, weigh them.

Sources are the reference library and the other documents in memory. Too little evidence is `inconclusive`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message
from memory_bank.engines.offline.sources import document_of, search_library
from memory_bank.engines.offline.verification.evidence import SourceStatement, voices
from memory_bank.engines.offline.verification.weighing import MOST, weigh
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.same_dispute import reuse_verdict
from memory_bank.judgement.same_thing import TWO_THINGS, same_thing
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.embedding import Embedder
from memory_bank.text.difference import is_copy
from memory_bank.text.wording import Wording, mark_for_translation, one_line

MOST_NODES = 12
"""Nodes of the memory whose claims may speak for or against a side."""
_VERDICT_WORDS: dict[Verdict, str] = {
    "first": mark_for_translation("The first claim holds. {reason}"),
    "second": mark_for_translation("The second claim holds. {reason}"),
    "both": mark_for_translation("Both claims hold. {reason}"),
    "neither": mark_for_translation("Neither claim holds. {reason}"),
    "inconclusive": mark_for_translation("It cannot be settled. {reason}"),
}


def verify(
    prompt: EnhancedPrompt, conflict: Conflict, tools: Tools, embedder: Embedder, judge: PairJudge
) -> StepResult:
    """The verdict on a conflict with every passage weighed; reused if the same dispute was settled before."""
    verifier = _Verifier(prompt, conflict, tools, embedder, judge)
    verification = reuse_verdict(conflict, tools.conflicts(), judge) or verifier.verification()
    return StepResult(
        answer=Wording(_VERDICT_WORDS[verification.verdict], reason=verification.reason),
        messages=verifier.messages(verification),
        verification=verification,
    )


@dataclass
class _Verifier:
    """Gathers and weighs the statements of sources on a conflict."""

    prompt: EnhancedPrompt
    conflict: Conflict
    tools: Tools
    embedder: Embedder
    judge: PairJudge

    @property
    def asked(self) -> list[str]:
        """The queries: the texts of both claims."""
        return list(dict.fromkeys(claim.text for claim in self.conflict.claims))

    def verification(self) -> Verification:
        """The verdict of the references and the other documents; without a reference, both of two things hold."""
        statements = [*self._from_references(), *self._from_memory()]
        found = voices(self.conflict, statements, self.embedder, self.judge)
        has_reference = any(voice.said.is_reference for voice in found)
        return (None if has_reference else self._of_two_things()) or weigh(self.conflict, found)

    def _of_two_things(self) -> Verification | None:
        """The verdict that both claims hold, where every document of one side is likely about another thing."""
        pairs = {(one.source, other.source) for one, other in product(*self.conflict.sides)}
        alike = max(self._alike(*pair) for pair in pairs)
        if alike >= TWO_THINGS:
            return None
        first, second = (one_line(claim.source) for claim in self.conflict.claims)
        reason = Wording("{first} and {second} are likely about two different things.", first=first, second=second)
        return Verification(
            conflict_id=self.conflict.id, verdict="both", reason=reason, confidence=round(min(MOST, 1 - alike), 2)
        )

    def _alike(self, source: str, other: str) -> float:
        """The probability that two documents are about the same thing; 1 where it cannot be told."""
        said, other_said = self._claims_of(source), self._claims_of(other)
        if source == other or not (said and other_said):
            return 1.0
        return same_thing(said, other_said, self.embedder, self.judge)

    def _claims_of(self, source: str) -> list[Statement]:
        """What a document says in the nodes of the conflict."""
        nodes = (node for node in self.prompt.nodes if node.id in self.conflict.node_ids)
        return [statement_of(claim) for node in nodes for claim in node.claims if claim.source == source]

    def messages(self, verification: Verification) -> tuple[Message, ...]:
        """What was asked and found, with every passage that was weighed, for the record."""
        first, second = (f"{claim.source}: {claim.text}" for claim in self.conflict.claims)
        weighed = tuple(
            Message(
                role="tool",
                name="search" if evidence.entry_id is None else "deep_retrieval",
                content=f"{evidence.source}: {evidence.passage}\n(supports: {evidence.supports})",
                source=evidence.source,
                page=evidence.page,
                from_memory=evidence.entry_id is not None,
            )
            for evidence in verification.evidence
        )
        queries = "\n".join(["Searched for:", *self.asked])
        verdict = f"Verdict: {verification.verdict} ({verification.confidence:.2f}). {verification.reason}"
        return (
            Message(role="user", content=f"{self.prompt.task.description}\nFirst: {first}\nSecond: {second}"),
            Message(role="assistant", content=queries),
            *weighed,
            Message(role="assistant", content=verdict),
        )

    def _from_references(self) -> Iterator[SourceStatement]:
        """The statements of the reference library."""
        passages = search_library(self.asked, self.tools)
        texts: dict[str, str] = {}
        for passage in sorted(passages, key=lambda passage: (passage.source_id, passage.start)):
            texts[passage.source_id] = f"{texts.get(passage.source_id, '')}\n\n{passage.text}".strip()
        for passage in passages:
            for placed in statements_of(passage.text, passage.source, above=passage.above):
                source_id, text = passage.source_id, texts[passage.source_id]
                yield SourceStatement(
                    source_id, passage.source, placed.statement, text, is_reference=True, page=passage.page
                )

    def _from_memory(self) -> Iterator[SourceStatement]:
        """The claims of the other documents: not the two that disagree, and no copies of these."""
        researched = (self.tools.research(query)[:MOST_NODES] for query in self.asked)
        nodes = {node.id: node for found in researched for node in found}
        nodes |= {node.id: node for node in self.prompt.nodes}
        entries = [entry for node_id in nodes for entry in self.tools.deep_retrieval(node_id)]
        by_document: dict[str, dict[str, Entry]] = {}
        for entry in entries:
            if not entry.records_verification:
                by_document.setdefault(document_of(entry), {})[entry.id] = entry
        texts = {document: "\n\n".join(entry.text for entry in own.values()) for document, own in by_document.items()}
        entry_documents = {entry_id: document for document, own in by_document.items() for entry_id in own}
        parties = [(entry_documents.get(claim.entry_id, claim.source), claim) for claim in self.conflict.parties]
        party_texts = {texts.get(document, claim.text) for document, claim in parties}
        aside = {document for document, text in texts.items() if any(is_copy(text, party) for party in party_texts)}
        aside |= {document for document, _claim in parties}
        for claim in (claim for node in nodes.values() for claim in node.claims):
            document = entry_documents.get(claim.entry_id, claim.source)
            if document not in aside:
                said, text = statement_of(claim), texts.get(document, claim.text)
                yield SourceStatement(document, claim.source, said, text, page=claim.page, entry_id=claim.entry_id)
