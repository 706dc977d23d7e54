"""Read statements for answers: whether they answer a question, and what kind of task a sentence is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from memory_bank.bank.errors import ModelFileError
from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.pair_model import FoundAnswer, PairModel, is_english, load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.text.sentences import sentences
from memory_bank.text.values.arithmetic import Computation
from memory_bank.text.values.values import ValueKind, extract_values

# Chosen on 60 English questions on 12 sets of public documents that the networks were not trained on: of 48 with an
# answer 25 are answered right and 6 wrong, and the 12 others left unanswered. With .1, which was near a logistic
# regression over 477 other questions, most of them of the corpus, these are 23, 8 and 11. Of 104 held-out ones of the
# corpus 85 are answered right instead of 87.
FIRST_WEIGHT = 0.2
"""How much the log odds of the small network count beside those of the large one."""
WRONG_KIND = 0.45
"""What the log odds lose where a question for a number, date or person is answered with another kind of value."""
BASE = 0.2
"""What is added, so that an answer has a probability of at least .5."""
UNREAD = -3.5
"""The large network's log odds for less likely answers, which it does not read: as for the least likely tenth of those
that it reads."""
LOWERED = 0.5
"""What the log odds lose that the small network gives to a statement or question that is not English: so of 6 held-out
questions without an answer 5 are left unanswered, and of 10 others 8 are answered right."""
LEAST = 1e-5
"""Probability below which, and above one minus which, no difference is made."""
READ_AGAIN = 12
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

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is."""

    def computation(self, question: str) -> Computation:
        """What a question asks to be computed of figures that the documents give separately."""


class NoReader:
    """Finds no answers, and classifies every task as a question for one fact."""

    def answers(self, _question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """No answer in any statement."""
        return [FoundAnswer(0.0, 0, 0)] * len(statements)

    def kind(self, _task: str) -> TaskKind:
        """A fact for every task."""
        return TaskKind.FACT

    def computation(self, _question: str) -> Computation:
        """Nothing."""
        return Computation.NONE


class SecondReader:
    """The small network finds answers; the large one judges the likeliest again.

    The small network often takes a statement on the same subject for an answer.
    """

    def __init__(self, model: PairModel) -> None:
        self._model = model

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """How likely each statement answers a question, and which of its words do."""
        found = self._model.small.answers(question, statements)
        fitting = VALUE_KINDS.get(self.kind(question)) if statements else None
        asked = Statement(question)
        english = [n for n, statement in enumerate(statements) if is_english((statement, asked))]
        likeliest = sorted(english, key=lambda n: -found[n].probability)[:READ_AGAIN]
        second = self._model.large.second_reading(question, [statements[n] for n in likeliest])
        read_again = dict.fromkeys(english, UNREAD) | dict(zip(likeliest, second, strict=True))
        certain = np.clip(np.array([one.probability for one in found], np.float64), LEAST, 1 - LEAST)
        odds = np.log(certain / (1 - certain))
        for n, (one, statement) in enumerate(zip(found, statements, strict=True)):
            if n in read_again:
                odds[n] = FIRST_WEIGHT * odds[n] + read_again[n] + BASE
            else:
                odds[n] -= LOWERED
            values = extract_values(statement.text[one.start : one.end]) if fitting else ()
            if fitting and fitting.isdisjoint(value.kind for value in values):
                odds[n] -= WRONG_KIND
        probabilities = 1 / (1 + np.exp(-odds))
        return [one._replace(probability=float(p)) for one, p in zip(found, probabilities, strict=True)]

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is; several sentences that ask are several questions."""
        kind = self._model.small.kind(task)
        asking = sum(span.of(task).rstrip().endswith(("?", "？")) for span in sentences(task))
        return TaskKind.SEVERAL if kind is not TaskKind.BEYOND and asking > 1 else kind

    def computation(self, question: str) -> Computation:
        """What a question asks to be computed of figures that the documents give separately."""
        return self._model.small.computation(question)


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
