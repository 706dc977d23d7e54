"""The ingestion figure, on a small text and without models."""

from __future__ import annotations

from functools import partial

import pytest

from memory_bank.app.evaluation import bench_sessions
from memory_bank.app.evaluation.bench_sessions import CHARACTERS, ingestion_figures
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts
from memory_bank.text.chunking import PASSAGE_TOKENS, chunk

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the embedding model and the judging networks, which take minutes for these texts."""
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    monkeypatch.setattr(Parts, "standard", staticmethod(partial(Parts.standard, judge=NoJudge())))
    monkeypatch.setattr(bench_sessions, "SentenceEmbedder", HashEmbedder)


def test_a_small_run_gives_the_figure() -> None:
    (figure,) = ingestion_figures(60_000 / CHARACTERS)
    assert "60,000 characters" in figure.name
    assert figure.target == "<= 2.5"
    assert figure.value > 0
    assert figure.reference


def test_the_text_is_as_long_as_it_says_and_no_part_of_it_is_repeated() -> None:
    """A repeated passage would be embedded once and flatter the ingestion."""
    text = bench_sessions.prose(CHARACTERS)
    assert len(text) == CHARACTERS
    openings = [span.of(text)[:250] for span in chunk(text, PASSAGE_TOKENS, HashEmbedder().count_tokens)]
    assert len(openings) > 500
    assert len(set(openings)) >= 0.99 * len(openings)
