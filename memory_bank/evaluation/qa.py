"""`eval qa`: whole sessions on questions whose documents conflict (RAMDocs; Wang et al. 2025).

Strict exact match: every gold answer is in what the answer affirms, and no wrong answer is.
"""

from __future__ import annotations

import re
import tempfile
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from memory_bank.bank.bank import Bank
from memory_bank.bank.value import Value
from memory_bank.evaluation.records import read_records
from memory_bank.evaluation.reliability import MOST_ERRORS, Judged, judge, reliability, told
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import Settings


class QaDocument(Value):
    """A document of a task."""

    name: str
    text: str


class QaTask(Value):
    """A question with its documents; the fields after `documents` are for the score alone."""

    id: str
    question: str
    documents: tuple[QaDocument, ...]
    gold_answers: tuple[str, ...]
    wrong_answers: tuple[str, ...]
    single_entity: bool
    misinfo_documents: tuple[str, ...]
    correct_documents: tuple[str, ...]


@dataclass(frozen=True)
class QaOutcome:
    """How one task went; `verdicts` are those on conflicts between a wrong document and a correct one."""

    task: QaTask
    affirmed: str
    exact: bool
    wrong: bool
    conflict_found: bool | None
    verdicts: tuple[Judged, ...]


def evaluate_qa(file: Path, settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """The scores of one file, in the form that the data's README names."""
    started = time.perf_counter()
    parts = Parts.standard(settings)
    tasks = islice(read_records(file, {"task": QaTask}), limit)
    outcomes = [run_task(task, settings, parts) for task in tasks]
    single = [outcome for outcome in outcomes if outcome.task.single_entity]
    contested = [outcome.conflict_found for outcome in outcomes if outcome.conflict_found is not None]
    return {
        "file": file.name,
        "tasks": len(outcomes),
        "strict_em": _share([outcome.exact for outcome in outcomes]),
        "strict_em_single_entity": _share([outcome.exact for outcome in single]),
        "wrong_affirmed": _share([outcome.wrong for outcome in outcomes]),
        "mean_answer_words": round(
            sum(len(outcome.affirmed.split()) for outcome in outcomes) / max(len(outcomes), 1), 1
        ),
        "conflicts_found": _share(contested),
        "reliability": reliability([verdict for outcome in outcomes for verdict in outcome.verdicts]),
        "errors": worst(outcomes),
        "seconds": round(time.perf_counter() - started, 1),
    }


def run_task(task: QaTask, settings: Settings, parts: Parts) -> QaOutcome:
    """A whole session on one task; only the question and the documents reach it."""
    uploads = [Upload(f"{document.name}.txt", document.text.encode()) for document in task.documents]
    with tempfile.TemporaryDirectory() as folder:
        session = Session.create(task.question, uploads, settings=settings, sessions=Path(folder), parts=parts)
        for _event in session.run():
            pass
        affirmed = session.answer.affirmed if session.answer else ""
        return QaOutcome(
            task=task,
            affirmed=affirmed,
            exact=strict_match(affirmed, task.gold_answers, task.wrong_answers),
            wrong=any(mentions(affirmed, wrong) for wrong in task.wrong_answers),
            conflict_found=_conflict_found(session.bank, task) if task.misinfo_documents else None,
            verdicts=_verdicts(session.bank, task),
        )


def worst(outcomes: Sequence[QaOutcome]) -> list[dict[str, Any]]:
    """The tasks that went worst, for reading: a wrong answer affirmed, then a wrong verdict, the surest first."""

    def badness(outcome: QaOutcome) -> tuple[bool, float]:
        return outcome.wrong, max((one.conflict.confidence or 0.0 for one in _wrong(outcome)), default=0.0)

    bad = sorted((outcome for outcome in outcomes if any(badness(outcome))), key=badness, reverse=True)
    return [
        {
            "id": outcome.task.id,
            "question": outcome.task.question,
            "expected": list(outcome.task.gold_answers),
            "affirmed": outcome.affirmed,
            "wrong": [answer for answer in outcome.task.wrong_answers if mentions(outcome.affirmed, answer)],
            "wrong_verdicts": [told(one.conflict) for one in _wrong(outcome)],
        }
        for outcome in bad[:MOST_ERRORS]
    ]


def _wrong(outcome: QaOutcome) -> list[Judged]:
    return [one for one in outcome.verdicts if one.right is False]


def strict_match(text: str, gold: Sequence[str], wrong: Sequence[str]) -> bool:
    """Whether every gold answer is in the text and no wrong one is."""
    return all(mentions(text, answer) for answer in gold) and not any(mentions(text, answer) for answer in wrong)


def mentions(text: str, answer: str) -> bool:
    """Whether the words of the answer stand in the text, in lower case and with punctuation folded."""
    return f" {_folded(answer)} " in f" {_folded(text)} "


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower()
    return " ".join(re.sub(r"[^\w]+", " ", plain).split())


def _conflict_found(bank: Bank, task: QaTask) -> bool:
    wrong, right = _files(task.misinfo_documents), _files(task.correct_documents)
    sides = [{claim.source for claim in conflict.parties} for conflict in bank.conflicts.values()]
    return any(side & wrong and side & right for side in sides)


def _verdicts(bank: Bank, task: QaTask) -> tuple[Judged, ...]:
    wrong, right = _files(task.misinfo_documents), _files(task.correct_documents)
    judged = (judge(conflict, right, wrong) for conflict in bank.conflicts.values())
    return tuple(one for one in judged if one is not None)


def _files(documents: Sequence[str]) -> set[str]:
    return {f"{name}.txt" for name in documents}


def _share(held: Sequence[bool]) -> float:
    return round(sum(held) / len(held), 4) if held else 0.0
