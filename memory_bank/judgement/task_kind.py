"""The kinds of task that a person poses (specification 7), in the order in which the network gives them."""

from __future__ import annotations

from enum import StrEnum


class TaskKind(StrEnum):
    """What a task asks for, and so in which form it is answered."""

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
