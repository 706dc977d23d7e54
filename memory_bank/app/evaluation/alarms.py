"""`eval alarms`: conflicts reported in ordinary documents, per 10,000 words, with a list of all of them.

The files directly in a folder are the documents of one session, and so are those of each subfolder. So documents that
somebody would compare belong in the same folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_bank.app.evaluation.items import Items, costs, play
from memory_bank.app.evaluation.records import share
from memory_bank.bank.errors import UsageError
from memory_bank.bank.events import PlanUpdated
from memory_bank.bank.settings import Settings

WORDS = 10_000


def evaluate_alarms(folder: Path, settings: Settings, items: Items | None = None) -> dict[str, Any]:
    """Count conflicts and words over all sessions."""
    items = items or Items()
    words = documents = 0
    reported, rows = list[dict[str, Any]](), list[dict[str, Any]]()
    for name, files in items.take(_folders_with_files(folder), lambda group: [group[0]]):
        # Once there is a plan, everything has been read and compared.
        played = play(
            "Compare the documents.",
            files,
            settings=settings,
            until=lambda _bank, event: isinstance(event, PlanUpdated),
        )
        bank = played.bank
        found = [
            {"folder": name, "claims": [f"{claim.source}: {claim.text}" for claim in conflict.claims]}
            for conflict in bank.conflicts.values()
        ]
        rows.append(items.row(name, played, f"{len(found)} conflicts"))
        if played.failure is None:
            words += sum(len(entry.text.split()) for node in bank.query_graph for entry in bank.trees.entries(node.id))
            documents += len(bank.sources)
            reported += found
    return {
        "documents": documents,
        "words": words,
        "conflicts": len(reported),
        "conflicts_per_10000_words": share(WORDS * len(reported), words, 2),
        "errors": reported,
        **costs(rows),
    }


def _folders_with_files(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """The name and the files of the folder and of each folder below it, without empty ones."""
    folders = [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())] if folder.is_dir() else []
    groups = [(path.name, sorted(file for file in path.iterdir() if file.is_file())) for path in folders]
    if not any(files for _, files in groups):
        raise UsageError(f"{folder}: no documents in this folder; name a folder that holds some")
    return ((name, files) for name, files in groups if files)
