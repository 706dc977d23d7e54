"""Lists the finished steps of a session for the next step's prompt, within a limit of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.sax.saxutils import escape

from memory_bank.agents.agent import Language, language_of
from memory_bank.bank.insight_doc import CompletedTask, InsightDoc
from memory_bank.search.relevance import weighted_overlap
from memory_bank.text.one_line import one_line
from memory_bank.text.shortening import shorten

MOST_TOKENS = 2_000
BRIEF_TOKENS = 40
"""Tokens kept of an older step's description, and of its result."""
_WORDS: dict[Language, dict[str, str]] = {
    "en": {},
    "zh": {"NORMAL": "步骤", "CROSS_VALIDATE": "核查", "success": "成功", "failed": "失败"},
}
_NOT_SHOWN: dict[Language, str] = {
    "en": "({number} earlier finished steps are not shown here)",
    "zh": "（另有 {number} 个较早完成的步骤未列出）",
}
VALUE, SUCCESS = 0.5, 0.25
"""Weight of a step that found a figure or gave a verdict, and of any other success."""


def finished_step_lines(doc: InsightDoc, tokens: int, count: Callable[[str], int]) -> list[str]:
    """The finished steps, one escaped line each, oldest first, together at most `tokens` tokens.

    If they take more, half of the tokens go to the newest steps in full. The rest goes to older steps, shortened, the
    most relevant first: those that share rare words with the goal and the current step; verdicts and steps that found
    a figure before other successes, and these before failures. A line says how many steps are not shown.
    """
    language = language_of(doc.task_goal)
    lines = [_line(task, language) for task in doc.completed_tasks]
    if sum(map(count, lines)) <= tokens:
        return lines
    in_full = len(lines)  # the steps from this one on
    room = tokens // 2
    while in_full and count(lines[in_full - 1]) <= room:
        in_full -= 1
        room -= count(lines[in_full])
    note = _NOT_SHOWN[language]
    room += tokens - tokens // 2 - count(note.format(number=len(lines)))
    shortened: dict[int, str] = {}
    for index in _most_relevant_first(doc, in_full):
        brief = _line(doc.completed_tasks[index], language, lambda text: shorten(text, BRIEF_TOKENS, count))
        if count(brief) <= room:
            shortened[index] = brief
            room -= count(brief)
    left_out = in_full - len(shortened)
    notes = [note.format(number=left_out)] if left_out else []
    return [*notes, *(shortened[index] for index in sorted(shortened)), *lines[in_full:]]


def _line(task: CompletedTask, language: Language, cut: Callable[[str], str] = str) -> str:
    text = f"{cut(one_line(task.description))}: {cut(one_line(task.context))}"
    kind, status = (_WORDS[language].get(word, word) for word in (task.type, task.status))
    return f"- [{kind}, {status}] {escape(text)}"


def _most_relevant_first(doc: InsightDoc, number: int) -> list[int]:
    """The indices of the first `number` finished steps, the most relevant first."""
    older = doc.completed_tasks[:number]
    current = doc.current_task.description if doc.current_task else ""
    shared = weighted_overlap(f"{doc.task_goal} {current}", [f"{task.description} {task.context}" for task in older])
    return sorted(range(number), key=lambda index: (-_weight(older[index]) - shared[index], -index))


def _weight(task: CompletedTask) -> float:
    """The weight of a finished step, added to the share of words that it has in common with the question."""
    if task.status == "failed":
        return 0.0
    return VALUE if task.type == "CROSS_VALIDATE" or re.search(r"\d", task.context) else SUCCESS
