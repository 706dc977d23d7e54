"""`eval alarms`: conflicts that the engine reports in ordinary documents, for 10,000 words, with all of them to read.

The folder's own files are given together as the documents of one session, and those of each of its folders likewise:
what somebody would put side by side belongs into one folder.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from memory_bank.errors import UsageError
from memory_bank.events import PlanUpdated
from memory_bank.session import Parts, Session
from memory_bank.settings import Settings

WORDS = 10_000


def evaluate_alarms(folder: Path, settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """Conflicts and words of the documents of each folder; `limit` takes the first so many folders."""
    began, parts = time.perf_counter(), Parts.standard(settings)
    words = documents = 0
    reported: list[dict[str, Any]] = []
    for name, files in islice(_together(folder), limit):
        with tempfile.TemporaryDirectory() as sessions:
            session = Session.create(
                "Compare the documents.", files, settings=settings, sessions=Path(sessions), parts=parts
            )
            for event in session.run():
                if isinstance(event, PlanUpdated):  # all is read and compared
                    break
            bank = session.bank
            words += sum(len(entry.text.split()) for node in bank.query_graph for entry in bank.trees.entries(node.id))
            documents += len(bank.sources)
            reported += [
                {"folder": name, "claims": [f"{claim.source}: {claim.text}" for claim in conflict.claims]}
                for conflict in bank.conflicts.values()
            ]
    return {
        "file": folder.name,
        "documents": documents,
        "words": words,
        "conflicts": len(reported),
        "conflicts_per_10000_words": round(WORDS * len(reported) / max(1, words), 2),
        "errors": reported,
        "seconds": round(time.perf_counter() - began, 1),
    }


def _together(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """The files that are given together, with the name of their folder."""
    folders = [folder, *sorted(one for one in folder.rglob("*") if one.is_dir())] if folder.is_dir() else []
    groups = [(one, sorted(file for file in one.iterdir() if file.is_file())) for one in folders]
    if not any(files for _, files in groups):
        raise UsageError(f"{folder}: no documents in this folder; name a folder that holds some")
    return ((one.name, files) for one, files in groups if files)
