"""The kinds of task, in the order of the network's outputs."""

from __future__ import annotations

from enum import StrEnum

from memory_bank.text.wording import Wording


class TaskKind(StrEnum):
    """What a task asks for, which decides the form of its answer."""

    FACT = "fact"
    COUNT = "count"
    WHEN = "when"
    WHO = "who"
    WHY = "why"
    HOW = "how"
    LIST = "list"
    DATES = "dates"
    COMPARISON = "comparison"
    CHANGES = "changes"
    SUMMARY = "summary"
    SEVERAL = "several"
    BEYOND = "beyond"


KINDS = tuple(TaskKind)

UNDERSTOOD = {
    TaskKind.FACT: Wording("Understood as: a question for one fact."),
    TaskKind.COUNT: Wording("Understood as: a question for a number."),
    TaskKind.WHEN: Wording("Understood as: a question for a date or time."),
    TaskKind.WHO: Wording("Understood as: a question for a person or an organisation."),
    TaskKind.WHY: Wording("Understood as: a question for a reason."),
    TaskKind.HOW: Wording("Understood as: a question for how something is done."),
    TaskKind.LIST: Wording("Understood as: a list is wanted."),
    TaskKind.DATES: Wording("Understood as: all dates are wanted, in order."),
    TaskKind.COMPARISON: Wording("Understood as: a comparison is wanted."),
    TaskKind.CHANGES: Wording("Understood as: what changed is wanted."),
    TaskKind.SUMMARY: Wording("Understood as: a summary is wanted."),
    TaskKind.SEVERAL: Wording("Understood as: several questions at once."),
    TaskKind.BEYOND: Wording(
        "The embedded engine quotes and computes; it does not write. For an essay, a judgement "
        "or advice choose a model in Settings."
    ),
}
"""For each kind, the line that tells the person how the task was understood."""
