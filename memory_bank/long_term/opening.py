"""The long-term memory that the settings name."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.modules.embedding import load_embedder
from memory_bank.settings import Settings

FILE = "long_term.db"
"""In the storage directory, where no LONG_TERM_URI is set."""


def open_memory(settings: Settings) -> LongTermMemory:
    """Long-term memory in Milvus. Nothing is loaded or connected before the first call that needs it."""
    uri = settings.long_term_uri or str(settings.storage_dir / FILE)
    store = MilvusStore(uri, Path(settings.embedding_model).name)
    return LongTermMemory(store, partial(load_embedder, settings.embedding_model))
