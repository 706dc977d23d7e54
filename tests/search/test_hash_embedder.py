from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.search.hash_embedder import HashEmbedder


@settings(deadline=None)  # the first Chinese character loads a dictionary
@given(st.lists(st.text(max_size=60), max_size=5))
def test_rows_are_of_length_one_and_depend_on_their_text_alone(texts: list[str]) -> None:
    embedder = HashEmbedder()
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimension)
    assert vectors.dtype == np.float32
    for text, vector in zip(texts, vectors, strict=True):
        length = float(np.linalg.norm(vector))
        assert length == 0 or abs(length - 1) < 1e-6
        assert (embedder.embed([text])[0] == vector).all()


def test_common_words_make_near() -> None:
    everest, higher, music = HashEmbedder().embed(
        ["the height of Everest", "Everest is of great height", "a song about rain"]
    )
    assert everest @ higher > 0.6
    assert abs(everest @ music) < 0.3


def test_vectors_are_the_same_on_every_machine() -> None:
    """Python's own hash differs from process to process; this one must not."""
    (vector,) = HashEmbedder(8).embed(["Everest Everest height"])
    expected = np.zeros(8)
    expected[[2, 4]] = (2 / 3) ** 0.5, (1 / 3) ** 0.5  # "everest" twice, "height" once
    np.testing.assert_allclose(vector, expected, atol=1e-6)


def test_the_model_says_what_it_is() -> None:
    embedder = HashEmbedder(32)
    assert (embedder.name, embedder.dimension) == ("hash", 32)
    assert embedder.count_tokens("It was 8,849 m.") == 4
    assert embedder.max_tokens > 10**9
