"""The kinds of task, in the order of the network's outputs."""

from __future__ import annotations

from enum import StrEnum


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
    TaskKind.FACT: "Understood as: a question for one fact.",
    TaskKind.COUNT: "Understood as: a question for a number.",
    TaskKind.WHEN: "Understood as: a question for a date or time.",
    TaskKind.WHO: "Understood as: a question for a person or an organisation.",
    TaskKind.WHY: "Understood as: a question for a reason.",
    TaskKind.HOW: "Understood as: a question for how something is done.",
    TaskKind.LIST: "Understood as: a list is wanted.",
    TaskKind.DATES: "Understood as: all dates are wanted, in order.",
    TaskKind.COMPARISON: "Understood as: a comparison is wanted.",
    TaskKind.CHANGES: "Understood as: what changed is wanted.",
    TaskKind.SUMMARY: "Understood as: a summary is wanted.",
    TaskKind.SEVERAL: "Understood as: several questions at once.",
    TaskKind.BEYOND: (
        "The embedded engine quotes and computes; it does not write. For an essay, a judgement or advice choose a "
        "model in Settings."
    ),
}
"""For each kind, the line that tells the person how the task was understood."""
