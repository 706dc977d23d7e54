"""The ingestion figure measures what it says, on a small text and without the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_bank.engines.offline.classification import PASSAGE_TOKENS
from memory_bank.evaluation import bench_ingestion
from memory_bank.evaluation.bench_ingestion import CHARACTERS, ingestion_figures
from memory_bank.modules.chunking import chunk
from memory_bank.modules.hash_embedder import HashEmbedder


@pytest.fixture(autouse=True)
def _without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    monkeypatch.setattr(bench_ingestion, "SentenceEmbedder", HashEmbedder)


@pytest.mark.parametrize("characters", [2_000, 60_000])
def test_a_small_run_gives_the_figure(characters: int) -> None:
    (figure,) = ingestion_figures(characters / CHARACTERS)
    assert f"{characters:,} characters" in figure.name
    assert figure.target == "<= 1.5"
    assert figure.reference is not None
    assert figure.value > 0
    assert figure.reference > 0
    assert figure.ratio == pytest.approx(figure.value / figure.reference)


def test_the_text_is_as_long_as_it_says_and_no_part_of_it_is_repeated() -> None:
    """A repeated passage would be embedded once and flatter the ingestion."""
    text = bench_ingestion.prose(CHARACTERS)
    assert len(text) == CHARACTERS
    openings = [span.of(text)[:250] for span in chunk(text, PASSAGE_TOKENS, HashEmbedder().count_tokens)]
    assert len(openings) > 500
    assert len(set(openings)) >= 0.99 * len(openings)


def test_the_reference_embeds_the_whole_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []

    class Counting(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            embedded.extend(texts)
            return super().embed(texts)

    monkeypatch.setattr(bench_ingestion, "SentenceEmbedder", Counting)
    text = bench_ingestion.prose(60_000)
    assert bench_ingestion._seconds_to_embed(text) > 0
    assert "".join(embedded) == text
