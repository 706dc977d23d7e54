"""`eval conflicts`: pairs of texts, entered as two documents; a pair counts when a conflict between them is opened."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from memory_bank.bank.value import Value
from memory_bank.evaluation.records import read_records
from memory_bank.events import ConflictOpened, PlanUpdated
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import Settings


class Pair(Value):
    """Two texts; `label` and `case` are for the score and the report alone."""

    id: str
    text_a: str
    text_b: str
    label: Literal["contradict", "not_contradict"]
    case: str = ""


def evaluate_conflicts(file: Path, settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """The scores of one file, in the form that the data's README names, and how each case went."""
    started = time.perf_counter()
    parts = Parts.standard(settings)
    counts: Counter[tuple[bool, bool]] = Counter()
    cases: dict[str, Counter[bool]] = {}
    for pair in islice(read_records(file, {"pair": Pair}), limit):
        found = contradicts(pair, settings, parts)
        counts[pair.label == "contradict", found] += 1
        cases.setdefault(pair.case or pair.label, Counter())[found] += 1
    hits, misses, alarms, quiet = (counts[key] for key in ((True, True), (True, False), (False, True), (False, False)))
    return {
        "file": file.name,
        "pairs": hits + misses + alarms + quiet,
        "precision": _ratio(hits, hits + alarms),
        "recall": _ratio(hits, hits + misses),
        "f1": _ratio(2 * hits, 2 * hits + alarms + misses),
        "accuracy": _ratio(hits + quiet, hits + misses + alarms + quiet),
        "reported_by_case": {case: f"{found[True]}/{found.total()}" for case, found in sorted(cases.items())},
        "seconds": round(time.perf_counter() - started, 1),
    }


def contradicts(pair: Pair, settings: Settings, parts: Parts) -> bool:
    """Whether Memory Analysis opens a conflict between the two texts as two documents of a session."""
    uploads = [Upload("a.txt", pair.text_a.encode()), Upload("b.txt", pair.text_b.encode())]
    with tempfile.TemporaryDirectory() as folder:
        session = Session.create(
            "Compare the documents.", uploads, settings=settings, sessions=Path(folder), parts=parts
        )
        for event in session.run():
            if isinstance(event, PlanUpdated):
                return False
            if isinstance(event, ConflictOpened) and len({claim.source for claim in event.conflict.claims}) == 2:
                return True
    return False


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
