"""The corpus of the answer model: questions with statements that answer them or not, and tasks with their kinds.

Questions come with passages of their own (`questions-*.jsonl`), with a whole dossier, and, where a folder of them is
given, from public sets in SQuAD's form.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.statement import PlacedStatement, Statement, statements_of
from memory_bank.search.embedding import load_embedder
from training.corpus import ACCOUNTS, HERE, Nearest, lines
from training.measure import bearing_of

MOST_OTHERS = 6
"""Statements that do not answer a question, the nearest to it, of its own passages."""
SEED = 1
ELSEWHERE = 1
"""The same of the passages of another line."""
NEAREST, BY_CHANCE = 10, 4
"""Statements of a dossier that do not answer a question: the nearest to it, and some of the others."""
OF_PARAGRAPH = 4
"""Statements of a public question's paragraph that do not answer it."""


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
    """Of the question, among all of its supply: its statements are ranked together."""
    supply: str = "questions"


@dataclass(frozen=True)
class Task:
    """A task as a person types it, and its kind."""

    text: str
    kind: TaskKind
    language: str
    group: str


def asked(nearest: Nearest) -> list[Asked]:
    """Every question of the corpus with the statements that answer it, and with the nearest of those that do not."""
    groups = list(_groups())
    found, number, chance = [], 0, random.Random(SEED)
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


def asked_of_dossiers() -> list[Asked]:
    """The questions on whole dossiers, but summaries, with what bears the answer and with the nearest of the rest."""
    found: list[Asked] = []
    number, chance = 0, random.Random(SEED)
    for path in sorted(HERE.glob("dossiers-*.jsonl")):
        for place, dossier in enumerate(lines(path)):
            questions = [one for one in dossier.get("questions", ()) if one["kind"] != "summary"]
            for question, statement, answers in _of_dossier(dossier, questions, chance):
                group, language = f"{path.stem}.{place}", dossier["language"]
                supply = "account questions" if path.stem >= ACCOUNTS else "dossier questions"
                of_all = number + questions.index(question)
                found.append(Asked(question["q"], statement, answers, None, language, group, of_all, supply))
            number += len(questions)
    return found


def _of_dossier(
    dossier: dict[str, Any], questions: Sequence[dict[str, Any]], chance: random.Random
) -> Iterator[tuple[dict[str, Any], Statement, bool]]:
    """Each question with each statement that bears its answer, or is near it."""
    texts = [document["text"] for document in dossier["documents"]]
    placed = [(n, one) for n, text in enumerate(texts) for one in statements_of(text)]
    if not questions or not placed:
        return
    said, wanted = (
        load_embedder().embed(words)
        for words in ([one.statement.text for _, one in placed], [question["q"] for question in questions])
    )
    for question, vector in zip(questions, wanted, strict=True):
        bearing = bearing_of(texts, question["passages"], placed)
        others = [int(n) for n in np.argsort(-(said @ vector), kind="stable") if n not in bearing]
        others = others[:NEAREST] + chance.sample(others[NEAREST:], min(BY_CHANCE, len(others[NEAREST:])))
        yield from ((question, placed[n][1].statement, n in bearing) for n in (*sorted(bearing), *others))


def asked_of_public(folder: Path | None) -> Iterator[Asked]:
    """Questions of public sets in SQuAD's form, named NAME.LANGUAGE.json; none without a folder."""
    chance, number = random.Random(SEED), 0
    for path in sorted(folder.glob("*.*.json")) if folder else ():
        language = path.suffixes[-2].removeprefix(".")
        for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
            paragraphs = article["paragraphs"]
            said = [statements_of(one["context"], article.get("title", "")) for one in paragraphs]
            group = f"{path.stem} {article.get('title') or paragraphs[0]['id']}"
            for place, paragraph in enumerate(paragraphs):
                elsewhere = said[(place + 1) % len(said)] if len(said) > 1 else []
                for question in paragraph["qas"]:
                    for statement, span in _of_paragraph(question, said[place], elsewhere, chance):
                        yield Asked(question["question"], statement, span is not None, span, language, group, number,
                                    "public questions")  # fmt: skip
                    number += 1


def _of_paragraph(
    question: dict[str, Any],
    said: Sequence[PlacedStatement],
    elsewhere: Sequence[PlacedStatement],
    chance: random.Random,
) -> Iterator[tuple[Statement, tuple[int, int] | None]]:
    """The statement that answers with its words, and others that do not have them; none where no statement does."""
    answer, start = question["answers"][0]["text"], question["answers"][0]["answer_start"]
    right = [one for one in said if one.start <= start < one.end and answer in one.statement.text]
    if not right:
        return
    place = right[0].statement.text.index(answer)
    yield right[0].statement, (place, place + len(answer))
    others = [one.statement for one in said if answer not in one.statement.text]
    yield from ((one, None) for one in chance.sample(others, min(OF_PARAGRAPH, len(others))))
    yield from ((one.statement, None) for one in chance.sample(elsewhere, min(1, len(elsewhere))))


def tasks() -> list[Task]:
    """Every task of the corpus."""
    return [
        Task(item["task"], TaskKind(item["kind"]), item["language"], f"{path.stem}.{number}")
        for path in sorted(HERE.glob("tasks-*.jsonl"))
        for number, item in enumerate(lines(path))
    ]
