"""Cache vectors by the hashes of their texts, in memory of bounded size."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray


class VectorCache:
    """The vectors of a model's texts: the `size` used last are kept, others computed. Safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def embed(
        self, texts: Sequence[str], compute: Callable[[list[str]], Sequence[NDArray[np.float32]]], dimension: int
    ) -> NDArray[np.float32]:
        """The vectors of the texts, shape (len(texts), dimension); `compute` gets all unknown texts at once."""
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        text_of = dict(zip(keys, texts, strict=True))
        with self._lock:
            vectors = {key: self._vectors[key] for key in text_of if key in self._vectors}
        missing = {key: text for key, text in text_of.items() if key not in vectors}
        vectors |= zip(missing, compute(list(missing.values())), strict=True)
        with self._lock:
            for key, vector in vectors.items():
                self._vectors[key] = vector.copy()  # a view would keep its whole batch in memory
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        return np.array([vectors[key] for key in keys], dtype=np.float32).reshape(len(keys), dimension)
