"""The finished steps of a session as the next one is told them: all of them, or within bounds those that matter."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.sax.saxutils import escape

from memory_bank.bank.insight_doc import CompletedTask, InsightDoc
from memory_bank.engines.llm.window import shorten
from memory_bank.engines.offline.relevance import shares
from memory_bank.one_line import one_line

MOST_TOKENS = 2_000
BRIEF_TOKENS = 40
"""What is kept of an older step's description, and of what it found."""
VALUE, SUCCESS = 0.5, 0.25
"""What it counts that a step found a figure or gave a verdict, and that it was a success at all."""


def told(doc: InsightDoc, tokens: int, count: Callable[[str], int]) -> list[str]:
    """The finished steps of a session, a line each and oldest first, escaped; together at most so many tokens.

    Where they take more, the newest stand word for word in half of these. Of the older ones the beginning is kept, or
    nothing: those come first that share the rarer words with the goal and the step to be done, verdicts and steps that
    found a figure before other successes, and these before failures. A line says how many are not shown.
    """
    lines = [_line(task) for task in doc.completed_tasks]
    if sum(map(count, lines)) <= tokens:
        return lines
    newest = len(lines)
    room = tokens // 2
    while newest and count(lines[newest - 1]) <= room:
        newest -= 1
        room -= count(lines[newest])
    note = "({number} earlier finished steps are not shown here)"
    room += tokens - tokens // 2 - count(note.format(number=len(lines)))
    kept: dict[int, str] = {}
    for index in _best_first(doc, newest):
        brief = _line(doc.completed_tasks[index], lambda text: shorten(text, BRIEF_TOKENS, count))
        if count(brief) <= room:
            kept[index] = brief
            room -= count(brief)
    left_out = newest - len(kept)
    notes = [note.format(number=left_out)] if left_out else []
    return [*notes, *(kept[index] for index in sorted(kept)), *lines[newest:]]


def _line(task: CompletedTask, cut: Callable[[str], str] = str) -> str:
    said = f"{cut(one_line(task.description))}: {cut(one_line(task.context))}"
    return f"- [{task.type}, {task.status}] {escape(said)}"


def _best_first(doc: InsightDoc, number: int) -> list[int]:
    """The first so many finished steps by their places, those first that are told before the others."""
    older = doc.completed_tasks[:number]
    now = doc.current_task.description if doc.current_task else ""
    shared = shares(f"{doc.task_goal} {now}", [f"{task.description} {task.context}" for task in older])
    return sorted(range(number), key=lambda index: (-_weight(older[index]) - shared[index], -index))


def _weight(task: CompletedTask) -> float:
    """What a finished step counts beside the share of the question that its words are."""
    if task.status == "failed":
        return 0.0
    return VALUE if task.type == "CROSS_VALIDATE" or re.search(r"\d", task.context) else SUCCESS
