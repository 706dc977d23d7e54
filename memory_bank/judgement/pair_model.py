"""The trained judge of pairs: whether B follows from A, contradicts it, or neither (specification 7).

Two networks, loaded at the first question. The small one reads English, Chinese, German and French and judges every
pair. What it does not take for unrelated, or differs in a figure alone, is judged by the large one too, which reads
English, is right more often, and counts for more; of very many, the likeliest contradictions are. Where the small one
judges alone, a contradiction must be surer. Answers are kept by the words of a pair, so a pair costs once. Where a
network cannot be loaded the error says so; who asks goes on without its judgement.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import ModelFileError
from memory_bank.judgement.encoding import encode, words_of_second
from memory_bank.judgement.statement import Statement
from memory_bank.judgement.weights import read_weights
from memory_bank.modules.documents.language import language_of
from memory_bank.modules.parallel import processors
from memory_bank.task_kind import KINDS, TaskKind
from memory_bank.values.values import differ_in_a_value

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

SMALL, LARGE, CALIBRATION = "small", "large", "calibration.json"

LARGE_SHARE = 0.75
"""What the large network's probabilities count beside the small one's, chosen on the held-out dossiers."""
MAY_BE = 0.1
"""Probability of a contradiction from which a differing figure is worth a second reading."""
MOST_AT_ONCE, MOST_SHARE = 48, 8
"""Pairs of one question to the model that the large network reads: so many, or one in so many where that is more. Only
many like statements come to it."""
REFUSED = 0.35
"""Probability from which a task is taken for one that is refused; of the corpus's 887 other tasks none comes to it."""
_CHARACTERS_IN_BATCH = 12_000
_KEPT = 50_000
_THREADS = 2

Pair = tuple[Statement, Statement]


class Judgement(NamedTuple):
    """Probabilities that B follows from A, that it does neither, and that it contradicts it; they add up to one."""

    entails: float
    neutral: float
    contradicts: float


class FoundAnswer(NamedTuple):
    """How likely a statement answers a question, and the characters of it that do."""

    probability: float
    start: int
    end: int


class PairModel:
    """Both networks with their calibration. Safe to share between threads: they take turns by the batch."""

    def __init__(self, folder: Path) -> None:
        try:
            calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
            self.conflict_between = float(calibration["conflict_between"])
            self.conflict_inside = float(calibration["conflict_inside"])
            self._passed_on = float(calibration["passed_on"])
            self._alone = float(calibration["alone"])
            small, large = (float(calibration["temperature"][name]) for name in (SMALL, LARGE))
            answers = float(calibration["answers"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelFileError(str(folder / CALIBRATION), f"{type(error).__name__}: {error}") from error
        self.small = Network(folder, SMALL, small, answers)
        self.large = Network(folder, LARGE, large)
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

    def forget(self) -> None:
        """Judge every pair anew, for a measurement."""
        with self._keeping:
            self._kept.clear()

    def _judge(self, pairs: list[Pair]) -> list[Judgement]:
        found = self.small.probabilities(pairs)
        english = np.array([_is_english(pair) for pair in pairs], bool)
        unsure = found[:, 1] <= self._passed_on
        may_be = found[:, 2] >= MAY_BE
        figure = [bool(may_be[n]) and differ_in_a_value(a.text, b.text) for n, (a, b) in enumerate(pairs)]
        wanted = [n for n in range(len(pairs)) if english[n] and (unsure[n] or figure[n])]
        passed_on = sorted(wanted, key=lambda n: -found[n, 2])[: max(MOST_AT_ONCE, len(pairs) // MOST_SHARE)]
        larger = self.large.probabilities([pairs[n] for n in passed_on])
        found[passed_on] = LARGE_SHARE * larger + (1 - LARGE_SHARE) * found[passed_on]
        found[~english] = _less_sure(found[~english], self._alone)
        return [Judgement(*map(float, row)) for row in found]


class Network:
    """One network with its tokenizer."""

    def __init__(self, folder: Path, name: str, temperature: float, answers: float = 0.0) -> None:
        self._temperature = temperature
        self._answers = answers
        self._path = folder / f"{name}.onnx"
        self._session = _session(self._path)
        self._tokenizer = _tokenizer(folder / f"{name}_tokenizer.json")
        self._turn = threading.Lock()

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Of (entails, neutral, contradicts): pairs × 3."""
        logits = np.zeros((len(pairs), 3), np.float32)
        for chosen, (found,) in self._run(["pair"], pairs, compared=True):
            logits[chosen] = found
        return _softmax(logits / self._temperature)

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """Whether each statement answers a question, and with which of its words."""
        pairs = [(Statement(question), one) for one in statements]
        answers = [FoundAnswer(0.0, 0, 0)] * len(pairs)
        for chosen, (logits, spans) in self._run(["answers", "span"], pairs, compared=False):
            for n, logit, span in zip(chosen, logits[:, 0], spans, strict=True):
                start, end = self._span(pairs[n], span)
                answers[n] = FoundAnswer(float(1 / (1 + np.exp(-logit - self._answers))), start, end)
        return answers

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is."""
        ((_, (logits,)),) = self._run(["kind"], [(Statement(task), Statement(""))], compared=False)
        probabilities = _softmax(logits)[0]
        best, second = (KINDS[int(n)] for n in np.argsort(-probabilities)[:2])
        return second if best is TaskKind.BEYOND and probabilities.max() < REFUSED else best

    def _run(
        self, outputs: Sequence[str], pairs: Sequence[Pair], *, compared: bool
    ) -> Iterator[tuple[list[int], list[NDArray[np.float32]]]]:
        """What the network says of some pairs, batch by batch of about one length: their places, and the outputs."""
        order = sorted(range(len(pairs)), key=lambda n: _length(pairs[n]))
        start = 0
        while start < len(order):
            size = max(1, min(64, _CHARACTERS_IN_BATCH // max(1, _length(pairs[order[start]]))))
            chosen = order[start : start + size]
            ids, mask, second = encode(self._tokenizer, [pairs[n] for n in chosen], compared=compared)
            try:
                with self._turn:
                    found = self._session.run(list(outputs), {"ids": ids, "mask": mask, "second": second})
            except Exception as error:  # its errors have no common type but this one
                raise ModelFileError(str(self._path), str(error)) from error
            yield chosen, found
            start += size

    def _span(self, pair: Pair, logits: NDArray[np.float32]) -> tuple[int, int]:
        """The likeliest stretch of the second text: from the best start to the best end not before it."""
        first, offsets = words_of_second(self._tokenizer, pair)
        if not offsets:
            return 0, 0
        own = logits[first : first + len(offsets)]
        scores = np.triu(own[:, :1] + own[:, 1][None, :])
        scores[np.tril_indices(len(offsets), -1)] = -np.inf
        start, end = np.unravel_index(int(scores.argmax()), scores.shape)
        return offsets[start][0], offsets[end][1]


def load_pair_model() -> PairModel:
    """The model that comes with the program; `ModelFileError` where it, or what runs it, is missing or damaged."""
    with _LOADING:
        found = _loaded()
    if isinstance(found, ModelFileError):
        raise ModelFileError(found.file, found.reason)
    return found


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _loaded() -> PairModel | ModelFileError:
    """The model, or why there is none: neither is looked for twice."""
    try:
        return PairModel(Path(str(files("memory_bank.judgement") / "data")))
    except ModelFileError as error:
        return error


def _session(path: Path) -> InferenceSession:
    try:
        import onnxruntime  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(_THREADS, processors())
        options.inter_op_num_threads = 1
        # Threads that wait must sleep: where another program wants the same cores, spinning ones cost it dearly.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        kept = path.with_suffix(".safetensors")
        weights = read_weights(kept) if kept.is_file() else {}
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
        options.add_external_initializers(list(weights), values)
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


def _less_sure(probabilities: NDArray[np.float32], by: float) -> NDArray[np.float32]:
    """Probabilities with the odds of a contradiction lowered by e to the power of `by`."""
    lowered = probabilities * np.exp([0, 0, -by]).astype(np.float32)
    shares: NDArray[np.float32] = lowered / lowered.sum(axis=1, keepdims=True)
    return shares


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = raised / raised.sum(axis=1, keepdims=True)
    return shares
