"""`eval conflicts`: pairs of texts, entered as two documents; a pair counts when a conflict between them is opened."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from memory_bank.bank.conflict import Conflict
from memory_bank.bank.value import Value
from memory_bank.evaluation.records import read_records
from memory_bank.evaluation.reliability import MOST_ERRORS, told
from memory_bank.events import ConflictOpened, ConflictSupported, PlanUpdated
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
    """The scores of one file, in the form that the data's README names, how each case went, and errors to read.

    False alarms come first among the errors: they make people ignore the signal.
    """
    started = time.perf_counter()
    parts = Parts.standard(settings)
    counts: Counter[tuple[bool, bool]] = Counter()
    cases: dict[str, Counter[bool]] = {}
    alarmed: list[dict[str, Any]] = []
    missed: list[dict[str, Any]] = []
    for pair in islice(read_records(file, {"pair": Pair}), limit):
        conflict = contradiction(pair, settings, parts)
        found = conflict is not None
        if conflict is not None and pair.label != "contradict":
            alarmed.append({**_expected(pair), "found": told(conflict)})
        elif conflict is None and pair.label == "contradict":
            missed.append({**_expected(pair), "found": None})
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
        "errors": (alarmed + missed)[:MOST_ERRORS],
        "seconds": round(time.perf_counter() - started, 1),
    }


def _expected(pair: Pair) -> dict[str, Any]:
    return {"id": pair.id, "case": pair.case, "expected": pair.label}


def contradiction(pair: Pair, settings: Settings, parts: Parts) -> Conflict | None:
    """The conflict that Memory Analysis opens between the two texts as two documents of a session; None if it does not.

    Of several, the first.
    """
    uploads = [Upload("a.txt", pair.text_a.encode()), Upload("b.txt", pair.text_b.encode())]
    with tempfile.TemporaryDirectory() as folder:
        session = Session.create(
            "Compare the documents.", uploads, settings=settings, sessions=Path(folder), parts=parts
        )
        for event in session.run():
            if isinstance(event, PlanUpdated):
                return None
            if isinstance(event, ConflictOpened | ConflictSupported):
                found = (one for one in session.bank.conflicts.values() if _between_documents(one))
                if (conflict := next(found, None)) is not None:
                    return conflict
    return None


def _between_documents(conflict: Conflict) -> bool:
    first, second = ({claim.source for claim in side} for side in conflict.sides)
    return len(first | second) > 1


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
