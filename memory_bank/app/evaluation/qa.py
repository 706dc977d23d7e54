"""`eval qa`: whole sessions on questions whose documents conflict (RAMDocs; Wang et al. 2025).

Strict exact match: what the answer affirms contains every gold answer and no wrong one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_bank.app.evaluation.items import (
    Items,
    Played,
    TextDocument,
    conflict_json,
    costs,
    mean,
    play,
    read_records,
    share,
)
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.settings import Settings
from memory_bank.bank.value import Value
from memory_bank.session.session import Parts
from memory_bank.storage.session_store import Upload


class QaTask(Value):
    """A question with its documents; the fields after `documents` are used for the scores only."""

    id: str
    question: str
    documents: tuple[TextDocument, ...]
    gold_answers: tuple[str, ...]
    wrong_answers: tuple[str, ...]
    single_entity: bool
    misinfo_documents: tuple[str, ...]
    correct_documents: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """A conflict with a verdict of the agent. `right` is None if the verdict was inconclusive."""

    conflict: Conflict
    right: bool | None


@dataclass(frozen=True)
class QaOutcome:
    """The result of one task.

    `exact`: strict exact match. `wrong`: a wrong answer is affirmed. `conflict_found` is None if no document is wrong.
    `verdicts`: those on conflicts between a wrong document and a correct one.
    """

    task: QaTask
    affirmed: str
    exact: bool
    wrong: bool
    conflict_found: bool | None
    verdicts: tuple[Judged, ...]


def evaluate_qa(file: Path, settings: Settings, items: Items) -> dict[str, Any]:
    """The scores of one file, as the data's README defines them."""
    outcomes, rows = [], []
    for task in items.take(read_records(file, {"task": QaTask}), lambda task: [task.id]):
        played = run_task(task, settings)
        outcome = judge_task(task, played.bank)
        if played.failure is None:
            outcomes.append(outcome)
        word = "exact" if outcome.exact else "affirms a wrong answer" if outcome.wrong else "not exact"
        wrong = [conflict_json(verdict.conflict) for verdict in outcome.verdicts if verdict.right is False]
        told = {"question": task.question, "expected": task.gold_answers, "affirmed": outcome.affirmed}
        affirmed = [answer for answer in task.wrong_answers if mentions(outcome.affirmed, answer)]
        rows.append(items.row(task.id, played, word, **told, wrong=affirmed, wrong_verdicts=wrong))
    single = [outcome for outcome in outcomes if outcome.task.single_entity]
    contested = [outcome.conflict_found for outcome in outcomes if outcome.conflict_found is not None]
    return {
        "tasks": len(outcomes),
        "strict_em": mean([outcome.exact for outcome in outcomes]),
        "strict_em_single_entity": mean([outcome.exact for outcome in single]),
        "wrong_affirmed": mean([outcome.wrong for outcome in outcomes]),
        "mean_answer_words": share(sum(len(outcome.affirmed.split()) for outcome in outcomes), len(outcomes), 1),
        "conflicts_found": mean(contested),
        "reliability": reliability([verdict for outcome in outcomes for verdict in outcome.verdicts]),
        **costs(rows),
    }


def run_task(task: QaTask, settings: Settings, parts: Parts | None = None) -> Played:
    """Run a whole session on one task. It is given only the question and the documents."""
    uploads = [Upload(f"{document.name}.txt", document.text.encode()) for document in task.documents]
    return play(task.question, uploads, settings=settings, parts=parts)


def judge_task(task: QaTask, bank: Bank) -> QaOutcome:
    """How well the session did its task."""
    affirmed = bank.answer.affirmed if bank.answer else ""
    wrong, right = _file_names(task.misinfo_documents), _file_names(task.correct_documents)
    conflicts = bank.conflicts.values()
    sources = [{claim.source for claim in conflict.parties} for conflict in conflicts]
    judged = (judge(conflict, right, wrong) for conflict in conflicts)
    return QaOutcome(
        task=task,
        affirmed=affirmed,
        exact=strict_match(affirmed, task.gold_answers, task.wrong_answers),
        wrong=any(mentions(affirmed, answer) for answer in task.wrong_answers),
        conflict_found=any(of & wrong and of & right for of in sources) if wrong else None,
        verdicts=tuple(verdict for verdict in judged if verdict is not None),
    )


def judge(conflict: Conflict, right: Iterable[str], wrong: Iterable[str]) -> Judged | None:
    """Judge the agent's verdict by which sources are known to be right and wrong; None if that is not possible.

    It is possible if all claims of one side come from `right` sources and all of the other from `wrong` ones. A verdict
    for the former side is then right and any other is wrong, except `inconclusive`, which counts as undecided.
    """
    first, second = ({claim.source for claim in side} for side in conflict.sides)
    rights, wrongs = set(right), set(wrong)
    expected = "first" if first <= rights and second <= wrongs else "second"
    if expected == "second" and not (second <= rights and first <= wrongs):
        return None
    if conflict.verdict is None or conflict.decided_by != "agent":
        return None
    return Judged(conflict, None if conflict.verdict == "inconclusive" else conflict.verdict == expected)


def reliability(verdicts: Sequence[Judged]) -> dict[str, Any]:
    """How many verdicts were decided, the share of them that is right, and beside it their mean confidence."""
    decided = [verdict for verdict in verdicts if verdict.right is not None]
    return {
        "verdicts": len(decided),
        "inconclusive": len(verdicts) - len(decided),
        "right": mean([bool(verdict.right) for verdict in decided]),
        "confidence": mean([verdict.conflict.confidence or 0.0 for verdict in decided]),
    }


def strict_match(text: str, gold: Sequence[str], wrong: Sequence[str]) -> bool:
    """Whether the text contains every gold answer and no wrong one."""
    return all(mentions(text, answer) for answer in gold) and not any(mentions(text, answer) for answer in wrong)


def mentions(text: str, answer: str) -> bool:
    """Whether the text contains the words of the answer, ignoring case and punctuation."""
    return f" {_folded(answer)} " in f" {_folded(text)} "


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower()
    return " ".join(re.sub(r"[^\w]+", " ", plain).split())


def _file_names(documents: Sequence[str]) -> set[str]:
    return {f"{name}.txt" for name in documents}
