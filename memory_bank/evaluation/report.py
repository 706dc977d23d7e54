"""`eval`: the scores of all files of a data folder, as JSON values and as a table for people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory_bank.evaluation.alarms import evaluate_alarms
from memory_bank.evaluation.conflicts import evaluate_conflicts
from memory_bank.evaluation.dialogue import evaluate_dialogue
from memory_bank.evaluation.dossiers import evaluate_dossiers
from memory_bank.evaluation.extraction import evaluate_extraction
from memory_bank.evaluation.qa import evaluate_qa
from memory_bank.evaluation.records import data_files
from memory_bank.evaluation.retrieval import evaluate_retrieval
from memory_bank.settings import Settings

Scores = dict[str, Any]

_EVALUATIONS: dict[str, Callable[[Path, Settings, int | None], Scores]] = {
    "retrieval": evaluate_retrieval,
    "conflicts": evaluate_conflicts,
    "qa": evaluate_qa,
    "dialogue": evaluate_dialogue,
    "extraction": evaluate_extraction,
}

_OF_FOLDERS: dict[str, Callable[[Path, Settings, int | None], Scores]] = {
    "dossiers": evaluate_dossiers,
    "alarms": evaluate_alarms,
}
EVALUATIONS = (*_EVALUATIONS, *_OF_FOLDERS)


def evaluate_files(task: str, data: Path, settings: Settings, limit: int | None) -> Scores | list[Scores]:
    """The scores of a file, or a list of them for a folder. `UsageError` when there is no such data."""
    if task in _OF_FOLDERS:
        return _OF_FOLDERS[task](data, settings, limit)
    scores = [_EVALUATIONS[task](file, settings, limit) for file in data_files(data)]
    return scores if data.is_dir() else scores[0]


def table(scores: Scores | list[Scores]) -> str:
    """The scores as lines of `file  name  value`; the errors to read are in the JSON alone."""
    rows = [
        (str(one["file"]), name, value)
        for one in (scores if isinstance(scores, list) else [scores])
        for name, value in _flat(one)
        if name not in ("file", "errors")
    ]
    width = max(len(name) for _, name, _ in rows)
    return "\n".join(f"{file:<24} {name:<{width}} {value}" for file, name, value in rows)


def _flat(value: Scores, prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for name, item in value.items():
        flat += _flat(item, f"{prefix}{name} ") if isinstance(item, dict) else [(f"{prefix}{name}", item)]
    return flat
