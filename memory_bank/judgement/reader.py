"""What an engine asks the answer model: whether a statement answers a question, and what kind of task one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory_bank.errors import ModelFileError
from memory_bank.judgement.pair_model import FoundAnswer, load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.task_kind import TaskKind


class Reader(Protocol):
    """Whoever reads statements for an answer."""

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """Whether each statement answers a question, and with which of its words."""
        ...

    def kind(self, task: str) -> TaskKind:
        """What kind of task a person's sentence is."""
        ...


class NoReader:
    """Finds no answer in anything, and takes every task for a question about a fact."""

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        """None, of every statement."""
        del question
        return [FoundAnswer(0.0, 0, 0)] * len(statements)

    def kind(self, task: str) -> TaskKind:
        """A fact, of every task."""
        del task
        return TaskKind.FACT


def shared_reader() -> Reader:
    """The model that comes with the program, or `NoReader` where it cannot be loaded."""
    try:
        return load_pair_model().small
    except ModelFileError:
        return NoReader()
