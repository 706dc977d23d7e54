"""Where a session keeps its vectors: in memory, or in a database by setting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pymilvus import MilvusClient

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.events import Event
from memory_bank.bank.settings import Settings
from memory_bank.search.milvus_vectors import MilvusVectors, MilvusVectorStore
from memory_bank.search.vector_index import VectorIndex
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests.builders import NOON
from tests.step_clock import StepClock

SETTINGS = Settings(embedding_model="hash")
LETTERS = (Upload("one.txt", b"The mill closed in 1967."), Upload("two.txt", b"The mill was closed in 1968."))


def events(folder: Path, parts: Parts) -> list[Event]:
    session = Session.create("When?", LETTERS, settings=SETTINGS, sessions=folder, session_id="s", parts=parts)
    for _event in session.run():
        pass
    return session.events


@pytest.mark.slow
def test_a_session_is_the_same_with_its_vectors_in_a_database_and_leaves_none_there(tmp_path: Path) -> None:
    address = str(tmp_path / "vectors.db")
    here = events(tmp_path / "here", replace(Parts.standard(SETTINGS), clock=StepClock(NOON)))
    kept = replace(Parts.standard(SETTINGS), clock=StepClock(NOON), vectors=MilvusVectorStore(address).vectors)
    assert events(tmp_path / "there", kept) == here
    client = MilvusClient(uri=address)
    assert client.list_collections() == []
    client.close()


def test_the_setting_says_where_vectors_are_kept(tmp_path: Path) -> None:
    assert Parts.standard(SETTINGS).vectors is VectorIndex
    settings = Settings(embedding_model="hash", vector_uri=str(tmp_path / "vectors.db"))
    assert isinstance(Parts.standard(settings).vectors(3), MilvusVectors)
    assert "vector_uri" not in settings.public()
    with pytest.raises(SettingsError, match="VECTOR_URI"):
        Parts.standard(Settings(embedding_model="hash", vector_uri="http://127.0.0.1:9"))
