"""What answering and verification both need of sources: an entry's document, and passages of the reference library."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.agents.react import LibraryPassage, Tools
from memory_bank.bank.interaction_tree import Entry


def document_of(entry: Entry) -> str:
    """The id of an entry's document, which tells it from others of the same name; its name where it has no id."""
    return str(entry.metadata.get("source_id") or entry.metadata.get("source", ""))


def search_library(queries: Iterable[str], tools: Tools) -> list[LibraryPassage]:
    """The passages of the reference library for some queries, each once."""
    found = {(passage.source_id, passage.start): passage for query in queries for passage in tools.search(query)}
    return list(found.values())
