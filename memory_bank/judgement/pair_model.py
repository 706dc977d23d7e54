"""The trained judge of pairs: whether B follows from A, contradicts it, or neither (specification 7).

Two networks, loaded at the first question. The small one reads English, Chinese, German and French and judges every
pair. What it does not take for unrelated is judged by the large one, which reads English and is right more often.
Answers are kept by the words of a pair, so a pair costs once. Where a network cannot be loaded the error says so; who
asks goes on without its judgement.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import ModelFileError
from memory_bank.judgement.encoding import encode
from memory_bank.judgement.statement import Statement
from memory_bank.modules.documents.language import language_of
from memory_bank.modules.parallel import processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

SMALL, LARGE, CALIBRATION = "small", "large", "calibration.json"

_CHARACTERS_IN_BATCH = 12_000
_KEPT = 50_000
_THREADS = 2

Pair = tuple[Statement, Statement]


class Judgement(NamedTuple):
    """Probabilities that B follows from A, that it does neither, and that it contradicts it; they add up to one."""

    entails: float
    neutral: float
    contradicts: float


class PairModel:
    """Both networks with their calibration. Safe to share between threads: they take turns by the batch."""

    def __init__(self, folder: Path) -> None:
        try:
            calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
            self.conflict_between = float(calibration["conflict_between"])
            self.conflict_inside = float(calibration["conflict_inside"])
            self._passed_on = float(calibration["passed_on"])
            temperatures = calibration["temperature"]
        except (OSError, ValueError, KeyError) as error:
            raise ModelFileError(str(folder / CALIBRATION), str(error)) from error
        self.small = Network(folder, SMALL, float(temperatures[SMALL]))
        self.large = Network(folder, LARGE, float(temperatures[LARGE]))
        self._keeping = threading.Lock()
        self._kept: OrderedDict[bytes, Judgement] = OrderedDict()

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """How the second statement of each pair stands to the first."""
        keys = [_key(*pair) for pair in pairs]
        with self._keeping:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        known |= zip(missing, self._judge(list(missing.values())), strict=True)
        with self._keeping:
            for key in missing:
                self._kept[key] = known[key]
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return [known[key] for key in keys]

    def _judge(self, pairs: list[Pair]) -> list[Judgement]:
        found = self.small.probabilities(pairs)
        passed_on = [n for n, pair in enumerate(pairs) if found[n, 1] <= self._passed_on and _is_english(pair)]
        found[passed_on] = self.large.probabilities([pairs[n] for n in passed_on])
        return [Judgement(*map(float, row)) for row in found]


class Network:
    """One network with its tokenizer."""

    def __init__(self, folder: Path, name: str, temperature: float) -> None:
        self._temperature = temperature
        self._session = _session(folder / f"{name}.onnx")
        self._tokenizer = _tokenizer(folder / f"{name}_tokenizer.json")
        self._turn = threading.Lock()

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Of (entails, neutral, contradicts): pairs × 3."""
        order = sorted(range(len(pairs)), key=lambda n: _length(pairs[n]))
        logits = np.zeros((len(pairs), 3), np.float32)
        start = 0
        while start < len(order):
            size = max(1, min(64, _CHARACTERS_IN_BATCH // max(1, _length(pairs[order[start]]))))
            chosen = order[start : start + size]
            ids, mask, second = encode(self._tokenizer, [pairs[n] for n in chosen])
            given = {"ids": ids, "mask": mask, "second": second}
            with self._turn:
                logits[chosen] = self._session.run(["pair"], given)[0]
            start += size
        return _softmax(logits / self._temperature)


@lru_cache(maxsize=1)
def load_pair_model() -> PairModel:
    """The model that comes with the program; `ModelFileError` where it, or what runs it, is missing or damaged."""
    return PairModel(Path(str(files("memory_bank.judgement") / "data")))


def _session(path: Path) -> InferenceSession:
    try:
        import onnxruntime  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(_THREADS, processors())
        options.inter_op_num_threads = 1
        # Threads that wait must sleep: where another program wants the same cores, spinning ones cost it dearly.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common type but this one
        raise ModelFileError(str(path), str(error)) from error


def _tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415

        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain exceptions
        raise ModelFileError(str(path), str(error)) from error


def _is_english(pair: Pair) -> bool:
    """Whether the large network reads the language of a pair."""
    words = " ".join(f"{one.context} {one.text}" for one in pair)
    language = language_of(words)
    return language == "en" or (language is None and words.isascii())


def _key(a: Statement, b: Statement) -> bytes:
    words = "\0".join((a.context, a.text, b.context, b.text))
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _length(pair: Pair) -> int:
    return sum(min(len(one.text), 400) + min(len(one.context), 200) for one in pair)


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = raised / raised.sum(axis=1, keepdims=True)
    return shares
