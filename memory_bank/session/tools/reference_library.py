"""The reference library: documents uploaded as sources to check against, searched by passage."""

from __future__ import annotations

import logging
from bisect import bisect_right
from dataclasses import dataclass

from memory_bank.agents.react import LibraryPassage
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.source import Source
from memory_bank.documents import Document
from memory_bank.documents.source_reader import SourceReader
from memory_bank.judgement.statement import TITLE_CHARACTERS, Statement, reading_of
from memory_bank.search.embedding import Embedder
from memory_bank.search.retrieval import NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.text.chunking import chunk
from memory_bank.text.document_head import document_head
from memory_bank.text.shortening import shorten

PASSAGE_TOKENS = 120
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReferenceStatement:
    """A statement of a reference source: `passage.text[start:end]` of the passage that holds it."""

    statement: Statement
    passage: LibraryPassage
    start: int
    end: int


class ReferenceLibrary:
    """Searches the reference sources of a session. Each source is read once, at the first search after it was added."""

    def __init__(self, bank: Bank, reader: SourceReader, embedder: Embedder) -> None:
        self._bank = bank
        self._reader = reader
        self._embedder = embedder
        self._passages: dict[str, LibraryPassage] = {}
        self._statements: list[ReferenceStatement] = []
        self._read: set[str] = set()
        self._index = RetrievalIndex(embedder, lambda passage_id: NodeText(self._passages[passage_id].text))

    def search(self, query: str, k: int) -> tuple[LibraryPassage, ...]:
        """The k best passages for a query, best first; none if there are no sources.

        A source whose file is missing from the session's folder is skipped; the step goes on.
        """
        self._refresh()
        if not self._passages:
            return ()
        return tuple(self._passages[hit.id] for hit in self._index.retrieve(query, RetrievalSettings(k=k)))

    def statements(self) -> tuple[ReferenceStatement, ...]:
        """All statements of the sources, in order."""
        self._refresh()
        return tuple(self._statements)

    def _refresh(self) -> None:
        for source in self._bank.sources.values():
            readable = source.refused is None and source.id in self._bank.ingested
            if source.role != "reference" or not readable or source.id in self._read:
                continue
            self._read.add(source.id)
            try:
                document = self._reader.take(source)
            except UnreadableDocumentError as error:
                _log.warning("reference %s is passed over: %s", source.id, error)
            else:
                self._add(source, document)

    def _add(self, source: Source, document: Document) -> None:
        """Index the passages of a document and collect its statements."""
        sections = [heading.start for heading in document.headings]
        spans = chunk(document.text, PASSAGE_TOKENS, self._embedder.count_tokens, sections)
        passages = []
        first_line = next(filter(None, map(str.strip, document.text.splitlines())), "")
        title = document.title or shorten(document_head(document.text) or first_line, TITLE_CHARACTERS)
        reading = reading_of(document.text, document.title or "")
        for number, span in enumerate(spans):
            text = span.of(document.text).strip()
            if text:
                start = document.text.index(text, span.start)
                passage_id = f"{source.id}.{number}"
                passage = LibraryPassage(
                    source_id=source.id,
                    source=source.name,
                    text=text,
                    start=start,
                    end=start + len(text),
                    page=document.page_at(start),
                    title=title,
                    above=reading.above(start),
                )
                passages.append(passage)
                self._passages[passage_id] = passage
                self._index.mark(passage_id)
        for placed in reading.statements:
            number = bisect_right(passages, placed.start, key=lambda passage: passage.start) - 1
            if number >= 0 and placed.end <= passages[number].end:
                passage = passages[number]
                start, end = placed.start - passage.start, placed.end - passage.start
                self._statements.append(ReferenceStatement(placed.statement, passage, start, end))
