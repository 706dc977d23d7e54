"""`eval`: run an evaluation on all files of a folder; scores as JSON values and as a table."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory_bank.app.evaluation.conflicts import evaluate_alarms, evaluate_conflicts
from memory_bank.app.evaluation.dialogue import evaluate_dialogue
from memory_bank.app.evaluation.dossiers import evaluate_dossiers
from memory_bank.app.evaluation.items import Items, data_files
from memory_bank.app.evaluation.qa import evaluate_qa
from memory_bank.app.evaluation.retrieval import evaluate_retrieval
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings

Scores = dict[str, Any]

_EVALUATIONS: dict[str, Callable[[Path, Settings, Items], Scores]] = {
    "retrieval": evaluate_retrieval,
    "dialogue": evaluate_dialogue,
    "conflicts": evaluate_conflicts,
    "qa": evaluate_qa,
    "dossiers": evaluate_dossiers,
    "alarms": evaluate_alarms,
}
_WITHOUT_ITEMS = ("retrieval", "dialogue")
_OF_A_FOLDER = ("dossiers", "alarms")


def evaluate_files(task: str, data: Path, settings: Settings, items: Items) -> Scores | list[Scores]:
    """The scores of a file, or a list of them for a folder. Raises `UsageError` if there is no data."""
    if task in _WITHOUT_ITEMS and items.only:
        raise UsageError(f"{task} has no items that --only could name; --limit takes the first of its questions")
    results = []
    for file in [data] if task in _OF_A_FOLDER else data_files(data):
        started = time.perf_counter()
        scores = _EVALUATIONS[task](file, settings, items)
        results.append({"file": file.name, "seconds": round(time.perf_counter() - started, 1), **scores})
    items.check()
    return results if data.is_dir() and task not in _OF_A_FOLDER else results[0]


def scores_table(scores: Scores | list[Scores]) -> str:
    """The scores as lines of `file  name  value`. The items are in the JSON only."""
    files = scores if isinstance(scores, list) else [scores]
    rows = [
        (str(file_scores["file"]), name, value)
        for file_scores in files
        for name, value in flatten(file_scores)
        if name not in ("file", "items")
    ]
    width = max(len(name) for _, name, _ in rows)
    return "\n".join(f"{file:<24} {name:<{width}} {value}" for file, name, value in rows)


def flatten(value: Scores, prefix: str = "") -> list[tuple[str, Any]]:
    """The names and values of nested scores, the names joined by blanks."""
    flat: list[tuple[str, Any]] = []
    for name, item in value.items():
        flat += flatten(item, f"{prefix}{name} ") if isinstance(item, dict) else [(f"{prefix}{name}", item)]
    return flat
