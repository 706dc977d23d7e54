"""`eval conflicts`: whether a conflict is opened between the two texts of a pair, given as two documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal

from memory_bank.app.evaluation.items import Items, Played, costs, play
from memory_bank.app.evaluation.records import read_records, share
from memory_bank.app.evaluation.reliability import MOST_ERRORS, conflict_json
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.events import ConflictOpened, ConflictSupported, Event, PlanUpdated
from memory_bank.bank.settings import Settings
from memory_bank.bank.value import Value
from memory_bank.session.session import Parts
from memory_bank.storage.session_store import Upload


class Pair(Value):
    """Two texts; `label` and `case` are used for the scores only."""

    id: str
    text_a: str
    text_b: str
    label: Literal["contradict", "not_contradict"]
    case: str = ""


def evaluate_conflicts(file: Path, settings: Settings, items: Items | None = None) -> dict[str, Any]:
    """The scores of one file as the data's README defines them, the counts for each case, and the errors.

    False alarms are listed first: they make people ignore real conflicts.
    """
    items = items or Items()
    counts: Counter[tuple[bool, bool]] = Counter()
    cases: dict[str, Counter[bool]] = {}
    alarmed, missed, rows = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    for pair in items.take(read_records(file, {"pair": Pair}), lambda pair: [pair.id]):
        played = compare(pair, settings)
        conflict = first_contradiction(played.bank)
        contradict, reported = pair.label == "contradict", conflict is not None
        outcome = "right" if contradict == reported else "false alarm" if reported else "missed"
        rows.append(items.row(pair.id, played, outcome))
        if played.failure is not None:
            continue
        if conflict is not None and not contradict:
            alarmed.append({**_expected(pair), "found": conflict_json(conflict)})
        elif contradict and not reported:
            missed.append({**_expected(pair), "found": None})
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
        "errors": (alarmed + missed)[:MOST_ERRORS],
        **costs(rows),
    }


def _expected(pair: Pair) -> dict[str, Any]:
    return {"id": pair.id, "case": pair.case, "expected": pair.label}


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
