"""The long-term memory that the settings name."""

from __future__ import annotations

import threading
from pathlib import Path

from memory_bank.errors import LongTermError, SettingsError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.modules.embedding import DEFAULT_MODEL, MULTILINGUAL_MODEL, Embedder, load_embedder
from memory_bank.modules.multilingual_embedder import runs_here
from memory_bank.settings import Settings

FILE = "long_term.db"
"""In the storage directory, where no LONG_TERM_URI is set."""
INCLUDED = (MULTILINGUAL_MODEL, DEFAULT_MODEL)
"""The models that come with this program: a memory of one is opened with it, though another is set or would be new."""
_memories: dict[str, LongTermMemory] = {}
_opening = threading.Lock()


def open_memory(settings: Settings) -> LongTermMemory:
    """Long-term memory in Milvus. Nothing is loaded or connected before the first call that needs it."""
    return _memory(settings.long_term_uri or str(settings.storage_dir / FILE), settings)


def shared_memory(settings: Settings) -> LongTermMemory:
    """The one long-term memory of this process for its place: a file of Milvus Lite is open once, and stays so."""
    uri = settings.long_term_uri or str(settings.storage_dir.resolve() / FILE)
    with _opening:
        if uri not in _memories:
            _memories[uri] = _memory(uri, settings)
        return _memories[uri]


def model_for_new(settings: Settings) -> str:
    """The model for a memory that there is not yet: the one that is set, else one for all that a person may speak.

    In English the multilingual model tells what bears on a question as well as the other one does, by the same
    thresholds (`tests/long_term/test_policy.py`); of Chinese the other one knows too little.
    """
    if "embedding_model" in settings.model_fields_set:
        return settings.embedding_model
    return MULTILINGUAL_MODEL if runs_here() else DEFAULT_MODEL


def _memory(uri: str, settings: Settings) -> LongTermMemory:
    """A memory whose model is that of its records: settings that change, or another session's, do not matter to it."""
    new = model_for_new(settings)
    store = MilvusStore(uri, Path(new).name, others=INCLUDED if new in INCLUDED else ())

    def embedder() -> Embedder:
        name = store.model()
        try:
            return load_embedder(new if name == Path(new).name else name)
        except SettingsError as error:  # a model that this computer cannot run: no reason to fail a task
            raise LongTermError(f"its model cannot be loaded here: {error}") from error

    return LongTermMemory(store, embedder)
