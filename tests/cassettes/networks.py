"""What the networks said in a recorded session, kept with its cassette.

Each kind of processor rounds a network's numbers a little differently, which can add a candidate to a prompt or take
one away. Replayed with the numbers of its recording, a session asks the same on every processor.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder


class Kept(dict[str, str]):
    """What was said, by a hash of what was read. `used` are the keys that were looked up or added."""

    def __init__(self, *known: dict[str, str]) -> None:
        super().__init__(*known)
        self.used: set[str] = set()

    def only_used(self) -> dict[str, str]:
        """What this session needed, in a fixed order."""
        return {key: self[key] for key in sorted(self.used)}


class KeptJudge:
    """A pair model whose judgements are taken from what is kept, and kept where they are new."""

    def __init__(self, judge: PairJudge, kept: Kept) -> None:
        self._judge, self._kept = judge, kept
        self.conflict_between, self.conflict_inside = judge.conflict_between, judge.conflict_inside

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        """As the pair model: probabilities to four digits."""
        keys = [_key("pair", one.text, one.context, other.text, other.context) for one, other in pairs]
        new = [place for place, key in enumerate(keys) if key not in self._kept]
        for place, judgement in zip(new, self._judge.judge([pairs[place] for place in new]), strict=True):
            self._kept[keys[place]] = json.dumps([round(float(each), 4) for each in judgement])
        self._kept.used.update(keys)
        return [PairJudgement(*json.loads(self._kept[key])) for key in keys]


class KeptEmbedder:
    """An embedder whose vectors are taken from what is kept, a byte for each component, and kept where they are new."""

    def __init__(self, embedder: Embedder, kept: Kept) -> None:
        self._embedder, self._kept = embedder, kept
        self.name, self.dimension, self.max_tokens = embedder.name, embedder.dimension, embedder.max_tokens
        self.count_tokens = embedder.count_tokens

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length one, of shape (texts, dimension)."""
        keys = [_key("text", text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        for key, vector in zip(new, self._embedder.embed(list(new.values())), strict=True):
            scaled = np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8)
            self._kept[key] = b64encode(scaled.tobytes()).decode()
        self._kept.used.update(keys)
        rows = [np.frombuffer(b64decode(self._kept[key]), np.int8) for key in keys]
        vectors = np.array(rows, np.float32).reshape(len(rows), self.dimension)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def _key(*read: str) -> str:
    """A hash of what a network read; 64 bits tell the few thousand of a session apart."""
    return hashlib.sha256(json.dumps(read).encode("utf-8", "surrogatepass")).hexdigest()[:16]
