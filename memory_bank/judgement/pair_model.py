"""The trained judge of pairs: does B follow from A, contradict it, or neither? (specification 7, `docs/models.md`)

One int8 ONNX network for the process, loaded at the first question. Answers are kept by the words of a pair, so a
pair costs once. Where the model cannot be loaded the error says so; who asks goes on without its judgement.
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
from memory_bank.modules.parallel import processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MODEL, TOKENIZER, CALIBRATION = "pair_model.onnx", "pair_tokenizer.json", "pair_model.json"

_TOKENS_IN_BATCH = 4096
_KEPT = 50_000
_THREADS = 2


class Judgement(NamedTuple):
    """Probabilities that B follows from A, that it does neither, and that it contradicts it; they add up to one."""

    entails: float
    neutral: float
    contradicts: float


class PairModel:
    """The network with its calibration. Safe to share between threads: they take turns by the batch."""

    def __init__(self, folder: Path) -> None:
        self._session = _session(folder / MODEL)
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415

            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
            self._temperature = float(calibration["temperature"])
            self.conflict_between = float(calibration["conflict_between"])
            self.conflict_inside = float(calibration["conflict_inside"])
        except Exception as error:  # the tokenizer's library raises plain exceptions
            raise ModelFileError(str(folder), str(error)) from error
        self._turn = threading.Lock()
        self._kept: OrderedDict[bytes, Judgement] = OrderedDict()

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Judgement]:
        """How the second statement of each pair stands to the first."""
        keys = [_key(a, b) for a, b in pairs]
        with self._turn:
            missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._kept}
        found = dict(zip(missing, self._run(list(missing.values())), strict=True))
        with self._turn:
            made = {key: found.get(key) or self._kept[key] for key in keys}
            for key, judgement in made.items():
                self._kept[key] = judgement
                self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return [made[key] for key in keys]

    def _run(self, pairs: list[tuple[Statement, Statement]]) -> list[Judgement]:
        order = sorted(range(len(pairs)), key=lambda n: _length(pairs[n]))
        logits = np.zeros((len(pairs), 3), np.float32)
        start = 0
        while start < len(order):
            # Sorted by length: those at the end of a batch are its longest.
            size = max(1, min(64, _TOKENS_IN_BATCH // max(1, _length(pairs[order[min(start + 31, len(order) - 1)]]) // 3)))
            chosen = order[start : start + size]
            ids, mask, second = encode(self._tokenizer, [pairs[n] for n in chosen])
            with self._turn:
                logits[chosen] = self._session.run(["pair"], {"ids": ids, "mask": mask, "second": second})[0]
            start += size
        return [Judgement(*map(float, row)) for row in _softmax(logits / self._temperature)]


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


def _key(a: Statement, b: Statement) -> bytes:
    return hashlib.blake2b(
        "\0".join((a.context, a.text, b.context, b.text)).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()


def _length(pair: tuple[Statement, Statement]) -> int:
    return sum(min(len(one.text), 400) + min(len(one.context), 200) for one in pair)


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = raised / raised.sum(axis=1, keepdims=True)
    return shares
