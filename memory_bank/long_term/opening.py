"""The long-term memory that the settings name."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.modules.embedding import load_embedder
from memory_bank.settings import Settings

FILE = "long_term.db"
"""In the storage directory, where no LONG_TERM_URI is set."""


def open_memory(settings: Settings) -> LongTermMemory:
    """Long-term memory in Milvus. Nothing is loaded or connected before the first call that needs it."""
    return _memory(settings.long_term_uri or str(settings.storage_dir / FILE), settings.embedding_model)


def shared_memory(settings: Settings) -> LongTermMemory:
    """The one long-term memory of this process for its place: a file of Milvus Lite is open once, and stays so."""
    return _shared(settings.long_term_uri or str(settings.storage_dir.resolve() / FILE), settings.embedding_model)


@cache
def _shared(uri: str, model: str) -> LongTermMemory:
    return _memory(uri, model)


def _memory(uri: str, model: str) -> LongTermMemory:
    return LongTermMemory(MilvusStore(uri, Path(model).name), partial(load_embedder, model))
