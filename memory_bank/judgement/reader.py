"""Read statements for answers: whether they answer a question, and what kind of task a sentence is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from memory_bank.bank.errors import ModelFileError
from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.pair_model import FoundAnswer, PairModel, is_english, load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.text.sentences import sentences
from memory_bank.text.values.values import ValueKind, extract_values

# The four figures below are a logistic regression over held-out questions of the corpus with earlier networks; none
# that was tried with these ones is clearly better. Of 248 questions, 87 have no answer: 77 % of those are left
# unanswered and 70 % of the others answered right; with the small network alone 61 % and 70 %.
UNRELATED_WEIGHT = 0.33
"""How much the log odds that the large network calls statement and question related add to those of an answer."""
WRONG_KIND = 0.55
"""What the log odds lose where a question for a number, date or person is answered with another kind of value."""
LOWERED = 0.8
"""What the log odds of every answer lose, so that an answer has a probability of at least .5."""
UNREAD, OTHER_LANGUAGE = -1.0, -4.0
"""The log odds of being related where the large network does not read: less likely answers, and other languages.

Of 39 questions of file 10 without an answer (Chinese, German, French) 32 are left unanswered so, 25 with -1, and of 65
others 59 are answered right, 60 with -1. Of questions in another language than the statements there is no such file.
"""
READ_AGAIN = 6
"""Most statements that are read again for a question."""
_FIGURES = frozenset({ValueKind.NUMBER, ValueKind.QUANTITY, ValueKind.ORDINAL, ValueKind.DATE})
VALUE_KINDS = {
    TaskKind.COUNT: _FIGURES,
    TaskKind.WHEN: frozenset({ValueKind.DATE, ValueKind.QUANTITY}),
    TaskKind.WHO: frozenset({ValueKind.NAME}),
}
"""The kinds of value that answer a question for a number, a date or a person."""


class Reader(Protocol):
    """Finds answers in statements, and classifies tasks."""

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """How likely each statement answers a question, and which of its words do."""
        ...

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is."""
        ...


class NoReader:
    """Finds no answers, and classifies every task as a question for one fact."""

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """No answer in any statement."""
        del question
        return [FoundAnswer(0.0, 0, 0)] * len(statements)

    def kind(self, task: str) -> TaskKind:
        """A fact for every task."""
        del task
        return TaskKind.FACT


class SecondReader:
    """The small network finds answers; the large one reads the likeliest again, with the question beside each.

    The small network often takes a statement on the same subject for an answer. To the large one, which was trained on
    pairs of statements, such a statement is unrelated to the question with its answer.
    """

    def __init__(self, model: PairModel) -> None:
        self._model = model

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """How likely each statement answers a question, and which of its words do."""
        found = self._model.small.answers(question, statements)
        fitting = VALUE_KINDS.get(self.kind(question)) if statements else None
        likeliest = sorted(range(len(found)), key=lambda n: -found[n].probability)[:READ_AGAIN]
        spans = [statement.text[one.start : one.end].strip() for statement, one in zip(statements, found, strict=True)]
        pairs = {n: (Statement(statements[n].text), Statement(f"{question} {spans[n]}")) for n in likeliest}
        english = [n for n, pair in pairs.items() if is_english(pair)]
        unrelated = self._model.large.probabilities([pairs[n] for n in english])[:, 1]
        related = {n: -_log_odds(float(probability)) for n, probability in zip(english, unrelated, strict=True)}
        return [
            one._replace(probability=_adjusted(one.probability, related.get(n, unread), fits=_fits(span, fitting)))
            for n, (one, span, unread) in enumerate(zip(found, spans, map(_unread, statements), strict=True))
        ]

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is; several sentences that ask are several questions."""
        kind = self._model.small.kind(task)
        return TaskKind.SEVERAL if kind is not TaskKind.BEYOND and _asks_several(task) else kind


def _asks_several(task: str) -> bool:
    return sum(span.of(task).rstrip().endswith(("?", "？")) for span in sentences(task)) > 1


def _unread(statement: Statement) -> float:
    """The log odds of being related for a statement that the large network does not read."""
    return UNREAD if is_english((statement,)) else OTHER_LANGUAGE


def _adjusted(probability: float, related: float, *, fits: bool) -> float:
    odds = _log_odds(probability) + UNRELATED_WEIGHT * related - LOWERED - (0.0 if fits else WRONG_KIND)
    return 1 / (1 + math.exp(-odds))


def _fits(span: str, fitting: frozenset[ValueKind] | None) -> bool:
    """Whether the words that answer hold a value of a fitting kind; True where any kind fits."""
    return fitting is None or any(value.kind in fitting for value in extract_values(span))


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-5), 1 - 1e-5)
    return math.log(clipped / (1 - clipped))


def kind_besides_beyond(task: str) -> TaskKind | None:
    """If a task may be beyond the embedded engine, what else it likeliest is; None if it is not, or nobody can say."""
    try:
        return load_pair_model().small.kind_besides_beyond(task)
    except ModelFileError:
        return None


def shared_reader() -> Reader:
    """The bundled networks, or `NoReader` where they cannot be loaded."""
    try:
        return SecondReader(load_pair_model())
    except ModelFileError:
        return NoReader()
