"""The corpus of the answer model: questions with statements that answer them or not, and tasks with their kinds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory_bank.bank.task_kind import KINDS, TaskKind
from memory_bank.judgement.statement import PlacedStatement, Statement, statements_of
from training.corpus import HERE, Nearest, lines

MOST_OTHERS = 6
"""Statements that do not answer a question, the nearest to it, of its own passages."""
ELSEWHERE = 1
"""The same of the passages of another line."""


@dataclass(frozen=True)
class Asked:
    """A question and a statement; `span` is where in the statement the answer stands, None where it gives none."""

    question: str
    statement: Statement
    answers: bool
    span: tuple[int, int] | None
    language: str
    group: str
    number: int
    """Of the question, among all: its statements are ranked together."""


@dataclass(frozen=True)
class Task:
    """A task as a person types it, and its kind."""

    text: str
    kind: TaskKind
    language: str
    group: str

    @property
    def place(self) -> int:
        """Of its kind among the network's."""
        return KINDS.index(self.kind)


def asked(nearest: Nearest) -> list[Asked]:
    """Every question of the corpus with the statements that answer it, and with the nearest of those that do not."""
    groups = list(_groups())
    found, number, chance = [], 0, random.Random(1)
    for group, item in groups:
        passages = [statements_of(one["text"], one["title"]) for one in item["passages"]]
        own = [one.statement for passage in passages for one in passage]
        _, other = groups[chance.randrange(len(groups))] if len(groups) > 1 else (group, item)
        foreign = [one.statement for p in other["passages"] for one in statements_of(p["text"], p["title"])]
        asks = [Statement(question["q"]) for question in item["questions"]]
        near = nearest(asks, own)
        for n, question in enumerate(item["questions"]):
            right = dict(_answering(question, passages))
            others = [own[j] for i, j in near if i == n and own[j] not in right][:MOST_OTHERS]
            others += chance.sample(foreign, min(ELSEWHERE, len(foreign))) if other is not item else []
            rows = [(one, True, span) for one, span in right.items()] + [(one, False, None) for one in others]
            language = str(item.get("language", "en"))
            found += [Asked(question["q"], one, yes, span, language, group, number) for one, yes, span in rows]
            number += 1
    return found


def _groups() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(HERE.glob("questions-*.jsonl")):
        yield from ((f"{path.stem}.{number}", item) for number, item in enumerate(lines(path)))
    for item in lines(HERE / "authored_questions.jsonl"):
        question = {"q": item["question"], "passage": item["answer_passage"]}
        question |= {"sentence": item["answer_sentence"], "span": item["answer_span"]}
        yield item["id"], {**item, "questions": [question]}


def _answering(
    question: dict[str, Any], passages: list[list[PlacedStatement]]
) -> Iterator[tuple[Statement, tuple[int, int] | None]]:
    """The statements of the passage that hold the answer, or a part of its sentence that is long enough."""
    if question["passage"] is None:
        return
    held = [one.statement for one in passages[question["passage"]] if question["span"] in one.statement.text]
    within = [one for one in held if question["sentence"] in one.text or one.text in question["sentence"]]
    for one in within or held[:1]:
        start = one.text.index(question["span"])
        yield one, (start, start + len(question["span"]))
    if not within and not held:
        parts = (one.statement for one in passages[question["passage"]] if one.statement.text in question["sentence"])
        yield from ((one, None) for one in parts)


def tasks() -> list[Task]:
    """Every task of the corpus."""
    return [
        Task(item["task"], TaskKind(item["kind"]), item["language"], f"{path.stem}.{number}")
        for path in sorted(HERE.glob("tasks-*.jsonl"))
        for number, item in enumerate(lines(path))
    ]
