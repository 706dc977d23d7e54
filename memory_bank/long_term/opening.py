"""Open the long-term memory that the settings name."""

from __future__ import annotations

import threading
from pathlib import Path

from memory_bank.bank.errors import LongTermError, SettingsError
from memory_bank.bank.settings import Settings
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.search.embedding import DEFAULT_MODEL, MULTILINGUAL_MODEL, Embedder, load_embedder
from memory_bank.search.multilingual_embedder import runs_here

FILE = "long_term.db"
"""Name of the file in the storage directory, used when LONG_TERM_URI is not set."""
INCLUDED = (MULTILINGUAL_MODEL, DEFAULT_MODEL)
"""The bundled models: a memory made with one of them is opened with it, whatever the default for a new memory is."""
_memories: dict[str, LongTermMemory] = {}
_opening = threading.Lock()


def open_memory(settings: Settings) -> LongTermMemory:
    """Long-term memory in Milvus. Nothing is loaded or connected until a call needs it."""
    return _memory(settings.long_term_uri or str(settings.storage_dir / FILE), settings)


def shared_memory(settings: Settings) -> LongTermMemory:
    """The one memory of this process for its URI, kept open: a Milvus Lite file can be opened only once."""
    uri = settings.long_term_uri or str(settings.storage_dir.resolve() / FILE)
    with _opening:
        if uri not in _memories:
            _memories[uri] = _memory(uri, settings)
        return _memories[uri]


def model_for_new(settings: Settings) -> str:
    """The model for a memory that does not exist yet: the one that is set, else the multilingual one if it runs here.

    In English the multilingual model finds what is relevant to a question as well as the English one, with the same
    thresholds (`tests/long_term/test_policy.py`); for Chinese the English one is too weak.
    """
    if "embedding_model" in settings.model_fields_set:
        return settings.embedding_model
    return MULTILINGUAL_MODEL if runs_here() else DEFAULT_MODEL


def _memory(uri: str, settings: Settings) -> LongTermMemory:
    """A memory that uses the model its records were made with, whatever the settings say now."""
    new = model_for_new(settings)
    store = MilvusStore(uri, Path(new).name, others=INCLUDED if new in INCLUDED else ())

    def embedder() -> Embedder:
        name = store.model()
        try:
            return load_embedder(new if name == Path(new).name else name)
        except SettingsError as error:  # a model that this computer cannot run: no reason to fail a task
            raise LongTermError(f"its model cannot be loaded here: {error}") from error

    return LongTermMemory(store, embedder)
