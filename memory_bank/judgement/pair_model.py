"""The trained pair model: whether statement B follows from A, contradicts it, or neither (specification 7).

Two networks, loaded on first use. The small one reads English, Chinese, German and French and judges every pair. The
large one reads only English, is more accurate, and counts for more. It judges the pairs that the small one does not
call unrelated, or that differ only in a figure; when there are very many, the likeliest contradictions. Where the small
one judges alone, a contradiction needs a higher probability. Judgements are cached by the texts of a pair, so a pair
costs once. Where a network cannot be loaded the error says so, and the caller goes on without its judgement.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import ModelFileError
from memory_bank.bank.task_kind import KINDS, TaskKind
from memory_bank.judgement.encoding import encode, words_of_second
from memory_bank.judgement.statement import Statement
from memory_bank.text.emphasis import without_emphasis
from memory_bank.text.language_detection import detect_language
from memory_bank.text.parallel import loaded_once, processors
from memory_bank.text.values.arithmetic import Computation
from memory_bank.text.values.values import differ_in_a_value, equal_in_values, values_agree

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

SMALL, LARGE, CALIBRATION = "small", "large", "calibration.json"
PRODUCTS = "products.onnx"
"""A product of a row of 8-bit numbers with weights that are all as large as can be."""

LARGE_SHARE = 0.75
"""Weight of the large network's probabilities against the small one's, chosen on the held-out dossiers."""
SECOND_READING_THRESHOLD = 0.1
"""Probability of a contradiction from which a pair with a differing figure goes to the large network."""
MOST_AT_ONCE, MOST_SHARE = 48, 8
"""Most pairs of one call that the large network judges: `MOST_AT_ONCE`, or one in `MOST_SHARE` where that is more."""
REFUSED, DOUBTED = 0.5, 0.3
"""Probabilities that a task is beyond the embedded engine: from the first it is refused, from the second the person is
asked; a question that a passage answers is never refused. Of the corpus, which this was trained on, all 73
such tasks are refused, none of the 887 others, and of 2,340 questions on real documents 42; 20 are asked about."""
COMPUTED = 0.75
"""Probability from which a question asks for a computation: three in four of those that do, in the corpus. On documents
by others every value computed for a less likely one was an answer to something else."""
AGREEING = 1.0
"""By how much the odds of a contradiction are lowered (e to the power of it) where the values of two English statements
agree. Of 148 contradictions found in held-out dossiers two are lost so, and of 22 false alarms two; "completed in 1970"
contradicts "completed on 21 July 1970" no longer."""
EQUAL_ALONE = 2.0
"""The same where the small network judges alone and all values are equal. Chosen by hand: of four such alarms in the
Chinese dossiers of file 21 three were wrong; where values only agree, as above, contradictions are lost for nothing."""
SAYS_ITSELF = (1.0, 0.0, 0.0)
"""Of two statements in the same words: no network learned from such, and to them the one contradicts the other."""
_BEFORE_SIGN = re.compile(r" (?=[^\w\s])")
_CHARACTERS_IN_BATCH = 12_000
_CACHED_JUDGEMENTS, _CACHED_TASKS = 50_000, 500
_THREADS = 2

Pair = tuple[Statement, Statement]


class PairJudgement(NamedTuple):
    """Probabilities that B follows from A, that neither holds, and that B contradicts A; they add up to one."""

    entails: float
    neutral: float
    contradicts: float


class FoundAnswer(NamedTuple):
    """How likely a statement answers a question, and the span of characters that does."""

    probability: float
    start: int
    end: int


class PairModel:
    """Both networks with their calibration. Thread-safe: threads take turns batch by batch."""

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
        self._cache_lock = threading.Lock()
        self._cache: OrderedDict[bytes, PairJudgement] = OrderedDict()

    def judge(self, pairs: Sequence[Pair]) -> list[PairJudgement]:
        """Whether the first statement of each pair entails or contradicts the second."""
        texts = ("\0".join((a.context, a.text, b.context, b.text)) for a, b in pairs)
        keys = [hashlib.blake2b(each.encode("utf-8", "surrogatepass"), digest_size=16).digest() for each in texts]
        with self._cache_lock:
            judgements = {key: self._cache[key] for key in keys if key in self._cache}
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in judgements}
        judgements |= zip(missing, self._judge_uncached(list(missing.values())), strict=True)
        with self._cache_lock:
            for key in missing:
                self._cache[key] = judgements[key]
            while len(self._cache) > _CACHED_JUDGEMENTS:
                self._cache.popitem(last=False)
        return [judgements[key] for key in keys]

    def forget(self) -> None:
        """Clear the cache, for a measurement."""
        with self._cache_lock:
            self._cache.clear()

    def _judge_uncached(self, pairs: list[Pair]) -> list[PairJudgement]:
        probabilities = self.small.probabilities(pairs)
        english = np.array([is_english(pair) for pair in pairs], bool)
        eligible = [
            n
            for n, (a, b) in enumerate(pairs)
            if english[n]
            and (
                probabilities[n, 1] <= self._passed_on
                or (probabilities[n, 2] >= SECOND_READING_THRESHOLD and differ_in_a_value(a.text, b.text))
            )
        ]
        limit = max(MOST_AT_ONCE, len(pairs) // MOST_SHARE)
        passed_on = sorted(eligible, key=lambda n: -probabilities[n, 2])[:limit]
        larger = self.large.probabilities([pairs[n] for n in passed_on])
        probabilities[passed_on] = LARGE_SHARE * larger + (1 - LARGE_SHARE) * probabilities[passed_on]
        probabilities[~english] = _with_lower_odds(probabilities[~english], self._alone)
        for n, (a, b) in enumerate(pairs):
            if _plain(a.text) == _plain(b.text):
                probabilities[n] = SAYS_ITSELF
            elif values_agree(a.text, b.text) if english[n] else equal_in_values(a.text, b.text):
                lowered = _with_lower_odds(probabilities[n : n + 1], AGREEING if english[n] else EQUAL_ALONE)
                probabilities[n] = lowered[0]
        return [PairJudgement(*map(float, row)) for row in probabilities]


class Network:
    """One network with its tokenizer."""

    def __init__(self, folder: Path, name: str, temperature: float, answers: float = 0.0) -> None:
        self._temperature = temperature
        self._answers = answers
        self._path = folder / f"{name}.onnx"
        self._session = _load_session(self._path)
        self._tokenizer = _load_tokenizer(folder / f"{name}_tokenizer.json")
        self._session_lock = threading.Lock()
        self._read_task = lru_cache(maxsize=_CACHED_TASKS)(self._read_task_anew)

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Probabilities of (entails, neutral, contradicts): pairs × 3."""
        logits = np.zeros((len(pairs), 3), np.float32)
        for indices, (batch_logits,) in self.run(["pair"], pairs, compared=True):
            logits[indices] = batch_logits
        return _softmax(logits / self._temperature)

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """How likely each statement answers a question, and which of its words do."""
        pairs = [(Statement(question), statement) for statement in statements]
        answers = [FoundAnswer(0.0, 0, 0)] * len(pairs)
        for indices, (logits, span_logits) in self.run(["answers", "span"], pairs, compared=False):
            for n, logit, spans in zip(indices, logits[:, 0], span_logits, strict=True):
                start, end = self._best_span(pairs[n], spans)
                answers[n] = FoundAnswer(float(1 / (1 + np.exp(-logit - self._answers))), start, end)
        return answers

    def second_reading(self, question: str, statements: Sequence[Statement]) -> NDArray[np.float32]:
        """The log odds that each statement answers a question, by the large network's head for it."""
        pairs = [(Statement(question), statement) for statement in statements]
        log_odds = np.zeros(len(pairs), np.float32)
        for indices, (logits,) in self.run(["answers"], pairs, compared=False):
            log_odds[indices] = logits[:, 0]
        return log_odds

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is."""
        besides, chance, beyond, _ = self._read_task(task)
        return TaskKind.BEYOND if beyond > chance and beyond >= REFUSED else besides

    def kind_besides_beyond(self, task: str) -> TaskKind | None:
        """If a task may be beyond the embedded engine, the likeliest of the other kinds; else None."""
        besides, _, beyond, _ = self._read_task(task)
        return besides if beyond >= DOUBTED else None

    def computation(self, question: str) -> Computation:
        """What a question asks to be computed of figures that the documents give separately."""
        return self._read_task(question)[3]

    def _read_task_anew(self, task: str) -> tuple[TaskKind, float, float, Computation]:
        """The likeliest kind that the embedded engine can do, how likely it and one beyond it are, what is computed."""
        pair = Statement(task), Statement("")
        ((_, (kinds, computations)),) = self.run(["kind", "computation"], [pair], compared=False)
        chances = dict(zip(KINDS, map(float, _softmax(kinds)[0]), strict=True))
        beyond = chances.pop(TaskKind.BEYOND)
        besides = max(chances, key=lambda kind: chances[kind])
        asked, chance = max(zip(Computation, _softmax(computations)[0], strict=True), key=lambda one: float(one[1]))
        return besides, chances[besides], beyond, asked if chance >= COMPUTED else Computation.NONE

    def run(
        self, outputs: Sequence[str], pairs: Sequence[Pair], *, compared: bool
    ) -> Iterator[tuple[list[int], list[NDArray[np.float32]]]]:
        """Run the network in batches of pairs of similar length; yields the pairs' indices with the outputs.

        `compared` marks in the second text of a pair which values differ from the first's.
        """
        order = sorted(range(len(pairs)), key=lambda n: _length(pairs[n]))
        start = 0
        while start < len(order):
            size = max(1, min(64, _CHARACTERS_IN_BATCH // max(1, _length(pairs[order[start]]))))
            indices = order[start : start + size]
            ids, mask, second = encode(self._tokenizer, [pairs[n] for n in indices], compared=compared)
            try:
                with self._session_lock:
                    results = self._session.run(list(outputs), {"ids": ids, "mask": mask, "second": second})
            except Exception as error:  # its errors have no common type but this one
                raise ModelFileError(str(self._path), str(error)) from error
            yield indices, results
            start += size

    def _best_span(self, pair: Pair, logits: NDArray[np.float32]) -> tuple[int, int]:
        """The character span of the second text with the highest start and end logits, its end not before its start."""
        first, offsets = words_of_second(self._tokenizer, pair)
        if not offsets:
            return 0, 0
        own = logits[first : first + len(offsets)]
        scores = np.triu(own[:, :1] + own[:, 1][None, :])
        scores[np.tril_indices(len(offsets), -1)] = -np.inf
        start, end = np.unravel_index(int(scores.argmax()), scores.shape)
        return offsets[start][0], offsets[end][1]


def load_pair_model() -> PairModel:
    """The bundled model, loaded once; `ModelFileError` where it, or its runtime, is missing or damaged."""
    model = _model_or_error()
    if isinstance(model, ModelFileError):
        raise ModelFileError(model.file, model.reason)
    return model


@loaded_once
def _model_or_error() -> PairModel | ModelFileError:
    """The model, or why it cannot be loaded; either is cached, so loading is tried once."""
    try:
        return PairModel(Path(str(files("memory_bank.judgement") / "data")))
    except ModelFileError as error:
        return error


def _load_session(path: Path) -> InferenceSession:
    try:
        import onnxruntime  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(_THREADS, processors())
        options.inter_op_num_threads = 1
        # Where products saturate, this keeps them exact, so that every processor judges alike. It makes others slower.
        options.add_session_config_entry("session.x64quantprecision", "1" if _products_saturate() else "0")
        # Waiting threads must sleep: spinning ones slow down other programs that want the same cores.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common type but this one
        raise ModelFileError(str(path), str(error)) from error


@lru_cache(maxsize=1)
def _products_saturate() -> bool:
    """Whether sums of products of 8-bit numbers are cut off on this processor, as on those without VNNI."""
    import onnxruntime  # noqa: PLC0415

    graph = (files("memory_bank.judgement") / "data" / PRODUCTS).read_bytes()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    row = np.full((1, session.get_inputs()[0].shape[1]), 255, np.uint8)
    (products,) = session.run(None, {"given": row})
    return bool((products != row.sum(dtype=np.int32) * 127).any())


def _load_tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415

        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain exceptions
        raise ModelFileError(str(path), str(error)) from error


def is_english(statements: Iterable[Statement]) -> bool:
    """Whether the large network can read the language of a pair, or of a single statement."""
    words = " ".join(f"{statement.context} {statement.text}" for statement in statements)
    language = detect_language(words)
    return language == "en" or (language is None and words.isascii())


def _plain(text: str) -> str:
    """The words and signs of a text, whatever is emphasised."""
    return _BEFORE_SIGN.sub("", " ".join(without_emphasis(text).casefold().split()))


def _length(pair: Pair) -> int:
    """Characters that the network reads of a pair, roughly."""
    return sum(min(len(statement.text), 400) + min(len(statement.context), 200) for statement in pair)


def _with_lower_odds(probabilities: NDArray[np.float32], by: float) -> NDArray[np.float32]:
    """Probabilities with the odds of a contradiction divided by e to the power of `by`."""
    lowered = probabilities * np.exp([0, 0, -by]).astype(np.float32)
    normalised: NDArray[np.float32] = lowered / lowered.sum(axis=1, keepdims=True)
    return normalised


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: NDArray[np.float32] = exponentials / exponentials.sum(axis=1, keepdims=True)
    return probabilities
