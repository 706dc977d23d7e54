"""Cross-validation without a model server: passages for and against each side are gathered, judged, and weighed.

The reference library is asked first, then the other documents in memory, then the web where that is allowed and the
rest settles nothing. Too little evidence is `inconclusive`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Verification
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.verification.report import report
from memory_bank.engines.offline.verification.same_dispute import settled_before
from memory_bank.engines.offline.verification.voices import Authority, Said, Voice, voices
from memory_bank.engines.offline.verification.weighing import weigh
from memory_bank.errors import ToolError
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.statement import statements_of
from memory_bank.modules.copies import copied
from memory_bank.modules.embedding import Embedder

MOST_PAGES = 3
"""Pages of the web that are read for one verification."""


def verify(
    prompt: EnhancedPrompt, conflict: Conflict, tools: Tools, embedder: Embedder, judge: PairJudge
) -> StepResult:
    """A verdict on a conflict with every passage that was weighed, or that of the same dispute elsewhere."""
    hearing = _Hearing(prompt, conflict, tools, embedder, judge)
    verification = settled_before(conflict, tools.conflicts(), judge) or hearing.verification()
    return report(prompt, conflict, verification, hearing)


@dataclass
class _Hearing:
    """A conflict and whoever can be heard on it. `asked` and `missed` are for the record."""

    prompt: EnhancedPrompt
    conflict: Conflict
    tools: Tools
    embedder: Embedder
    judge: PairJudge
    missed: list[str] = field(default_factory=list)

    @property
    def asked(self) -> list[str]:
        """What is searched for."""
        return list(dict.fromkeys(claim.text for claim in self.conflict.claims))

    def verification(self) -> Verification:
        """The verdict of the sources and the other documents; of the web too where those settle nothing."""
        said = [*self._from_references(), *self._from_memory()]
        outcome = weigh(self.conflict, heard := self._voices(said))
        if outcome.verdict == "inconclusive" and self.tools.web:
            said += self._from_web()
            outcome = weigh(self.conflict, heard := self._voices(said))
        return Verification(
            conflict_id=self.conflict.id,
            verdict=outcome.verdict,
            reason=outcome.reason,
            confidence=outcome.confidence,
            evidence=tuple(voice.evidence for voice in heard),
        )

    def _voices(self, said: list[Said]) -> list[Voice]:
        return voices(self.conflict, said, self.embedder, self.judge)

    def _from_references(self) -> Iterator[Said]:
        """What the person's reference library says."""
        found = {(one.source_id, one.start): one for query in self.asked for one in self.tools.search(query)}
        texts: dict[str, str] = {}
        for _place, passage in sorted(found.items()):
            texts[passage.source_id] = f"{texts.get(passage.source_id, '')}\n\n{passage.text}".strip()
        for passage in found.values():
            for placed in statements_of(passage.text, passage.source):
                yield Said(
                    passage.source_id,
                    passage.source,
                    Authority.REFERENCE,
                    placed.statement,
                    texts[passage.source_id],
                    page=passage.page,
                )

    def _from_memory(self) -> Iterator[Said]:
        """What documents other than the two that disagree, and copies of these, say."""
        nodes = {node.id: node for query in self.asked for node in self.tools.research(query)}
        nodes |= {node.id: node for node in self.prompt.nodes}
        entries = [entry for node_id in nodes for entry in self.tools.deep_retrieval(node_id)]
        texts, document_of = _documents(entries)
        parties = [(_document(claim, document_of), claim) for claim in self.conflict.parties]
        names = {document for document, _claim in parties}
        said = {texts.get(document, claim.text) for document, claim in parties}
        copies = {document for document, text in texts.items() if any(copied(text, theirs) for theirs in said)}
        for claim in (claim for node in nodes.values() for claim in node.claims):
            document = _document(claim, document_of)
            if document not in names | copies:
                text = texts.get(document, claim.text)
                yield Said(
                    document,
                    claim.source,
                    Authority.MATERIAL,
                    statement_of(claim),
                    text,
                    page=claim.page,
                    entry_id=claim.entry_id,
                )

    def _from_web(self) -> Iterator[Said]:
        """What pages of the web say: their text where pages may be read, else what the search shows of them."""
        try:
            pages = self.tools.web_search(self.asked[0])[:MOST_PAGES]
        except ToolError as error:
            self.missed.append(str(error))
            return
        for page in pages:
            text = page.text
            if "visit" in self.tools.offered:
                try:
                    text = self.tools.visit(page.url).text
                except ToolError as error:
                    self.missed.append(str(error))
            for placed in statements_of(text, page.title):
                yield Said(page.url, page.url, Authority.WEB, placed.statement, text)


def _documents(entries: Iterable[Entry]) -> tuple[dict[str, str], dict[str, str]]:
    """The text of each document behind some entries, and the document of each entry.

    The record of a verification speaks of claims and makes none.
    """
    parts: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        if "conflict_id" not in entry.metadata:
            document = str(entry.metadata.get("source_id") or entry.metadata.get("source", ""))
            parts.setdefault(document, {})[entry.id] = entry
    texts = {document: "\n\n".join(entry.text for entry in found.values()) for document, found in parts.items()}
    return texts, {entry_id: document for document, found in parts.items() for entry_id in found}


def _document(claim: Claim, document_of: dict[str, str]) -> str:
    return document_of.get(claim.entry_id, claim.source)
