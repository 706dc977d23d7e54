"""`eval conflicts`: whether two texts are found to contradict; `eval alarms`: conflicts found in ordinary documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from memory_bank.app.evaluation.items import Items, Played, conflict_json, costs, play, read_records, share
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import UsageError
from memory_bank.bank.events import ConflictOpened, ConflictSupported, Event, PlanUpdated
from memory_bank.bank.settings import Settings
from memory_bank.bank.value import Value
from memory_bank.session.session import Parts
from memory_bank.storage.session_store import Upload

WORDS = 10_000


class Pair(Value):
    """Two texts; `label` and `case` are used for the scores only."""

    id: str
    text_a: str
    text_b: str
    label: Literal["contradict", "not_contradict"]
    case: str = ""


def evaluate_conflicts(file: Path, settings: Settings, items: Items) -> dict[str, Any]:
    """The scores of one file as the data's README defines them, and the counts for each case."""
    counts: Counter[tuple[bool, bool]] = Counter()
    cases: dict[str, Counter[bool]] = {}
    rows = list[dict[str, Any]]()
    for pair in items.take(read_records(file, {"pair": Pair}), lambda pair: [pair.id]):
        played = compare(pair, settings)
        conflict = first_contradiction(played.bank)
        contradict, reported = pair.label == "contradict", conflict is not None
        outcome = "right" if contradict == reported else "false alarm" if reported else "missed"
        found = None if conflict is None else conflict_json(conflict)
        rows.append(items.row(pair.id, played, outcome, case=pair.case, found=found))
        if played.failure is not None:
            continue
        counts[contradict, reported] += 1
        cases.setdefault(pair.case or pair.label, Counter())[reported] += 1
    hits, misses, alarms, correct_rejections = (
        counts[key] for key in ((True, True), (True, False), (False, True), (False, False))
    )
    return {
        "pairs": counts.total(),
        "precision": share(hits, hits + alarms),
        "recall": share(hits, hits + misses),
        "f1": share(2 * hits, 2 * hits + alarms + misses),
        "accuracy": share(hits + correct_rejections, counts.total()),
        "reported_by_case": {case: f"{outcomes[True]}/{outcomes.total()}" for case, outcomes in sorted(cases.items())},
        **costs(rows),
    }


def compare(pair: Pair, settings: Settings, parts: Parts | None = None) -> Played:
    """A session with the two texts as its documents, until Memory Analysis opens a conflict between them or is done."""
    uploads = [Upload("a.txt", pair.text_a.encode()), Upload("b.txt", pair.text_b.encode())]

    def is_decided(bank: Bank, event: Event) -> bool:
        opened = isinstance(event, ConflictOpened | ConflictSupported)
        return first_contradiction(bank) is not None if opened else isinstance(event, PlanUpdated)

    return play("Compare the documents.", uploads, settings=settings, parts=parts, until=is_decided)


def first_contradiction(bank: Bank) -> Conflict | None:
    """The first conflict whose sides come from more than one document; None if there is none."""
    conflicts = bank.conflicts.values()
    return next((each for each in conflicts if len({claim.source for claim in each.parties}) > 1), None)


def evaluate_alarms(folder: Path, settings: Settings, items: Items) -> dict[str, Any]:
    """Conflicts per 10,000 words; the row of each folder lists its own.

    The files directly in a folder are the documents of one session, and so are those of each subfolder. So documents
    that somebody would compare belong in the same folder.
    """
    words = documents = conflicts = 0
    rows = list[dict[str, Any]]()
    for name, files in items.take(_folders_with_files(folder), lambda group: [group[0]]):
        # Once there is a plan, everything has been read and compared.
        played = play(
            "Compare the documents.",
            files,
            settings=settings,
            until=lambda _bank, event: isinstance(event, PlanUpdated),
        )
        bank = played.bank
        found = [[f"{claim.source}: {claim.text}" for claim in conflict.claims] for conflict in bank.conflicts.values()]
        rows.append(items.row(name, played, f"{len(found)} conflicts", conflicts=found))
        if played.failure is None:
            words += sum(len(entry.text.split()) for node in bank.query_graph for entry in bank.trees.entries(node.id))
            documents += len(bank.sources)
            conflicts += len(found)
    return {
        "documents": documents,
        "words": words,
        "conflicts": conflicts,
        "conflicts_per_10000_words": share(WORDS * conflicts, words, 2),
        **costs(rows),
    }


def _folders_with_files(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """The name and the files of the folder and of each folder below it, without empty ones."""
    folders = [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())] if folder.is_dir() else []
    groups = [(path.name, sorted(file for file in path.iterdir() if file.is_file())) for path in folders]
    if not any(files for _, files in groups):
        raise UsageError(f"{folder}: no documents in this folder; name a folder that holds some")
    return ((name, files) for name, files in groups if files)
