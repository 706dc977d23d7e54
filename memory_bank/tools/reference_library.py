"""The person's reference library: documents uploaded as sources to check against, searched by passage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_bank.agents.react import Passage
from memory_bank.bank.bank import Bank
from memory_bank.modules.chunking import chunk
from memory_bank.modules.documents import read_document
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.retrieval import NodeText, RetrievalIndex, RetrievalSettings

PASSAGE_TOKENS = 120


@dataclass(frozen=True)
class _Stored:
    source_id: str
    source: str
    text: str
    start: int
    end: int
    page: int | None


class ReferenceLibrary:
    """Reads the session's reference sources when it is first searched, and again only for new ones."""

    def __init__(self, bank: Bank, folder: Path, embedder: Embedder) -> None:
        self._bank = bank
        self._folder = folder
        self._embedder = embedder
        self._passages: dict[str, _Stored] = {}
        self._read: set[str] = set()
        self._index = RetrievalIndex(embedder, self._describe)

    def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The k passages that fit a query best, best first; none when there is no library.

        `UnreadableDocumentError` when a source that was read before is gone from the session's folder.
        """
        self._refresh()
        if not self._passages:
            return ()
        found = []
        for hit in self._index.retrieve(query, RetrievalSettings(k=k)):
            stored = self._passages[hit.id]
            found.append(
                Passage(
                    source_id=stored.source_id,
                    source=stored.source,
                    text=stored.text,
                    start=stored.start,
                    end=stored.end,
                    page=stored.page,
                    score=round(float(hit.score), 6),
                )
            )
        return tuple(found)

    def _refresh(self) -> None:
        for source in self._bank.sources.values():
            readable = source.refused is None and source.id in self._bank.ingested
            if source.role != "reference" or not readable or source.id in self._read:
                continue
            self._read.add(source.id)
            document = read_document(self._folder / source.path, source.name)
            sections = [heading.start for heading in document.headings]
            spans = chunk(document.text, PASSAGE_TOKENS, self._embedder.count_tokens, sections)
            for number, span in enumerate(spans):
                text = document.text[span.start : span.end].strip()
                if text:
                    start = document.text.index(text, span.start)
                    passage_id = f"{source.id}.{number}"
                    self._passages[passage_id] = _Stored(
                        source.id, source.name, text, start, start + len(text), document.page_at(start)
                    )
                    self._index.mark(passage_id)

    def _describe(self, passage_id: str) -> NodeText:
        return NodeText(self._passages[passage_id].text)
