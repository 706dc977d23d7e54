"""`eval dossiers`: whole sessions on realistic dossiers, scored as `score.py` beside the data defines it.

A reported conflict is right when its two claims lie on the two spans of a planted contradiction, near when a side of
it lies on a planted span, else a false alarm. An answer is right when it holds what is wanted and affirms nothing of
what is rejected.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, ValidationError

from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.value import Value
from memory_bank.errors import UsageError
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import Settings

OVERLAP = 0.5
"""Share of the shorter of claim and span that both must have."""
ENOUGH = 0.6
"""Share of the points of a summary or list that an answer must hold."""


class _Part(Value):
    """A part of a dossier; fields that no score needs are passed over."""

    model_config = ConfigDict(extra="ignore")


class DossierDocument(_Part):
    """A document of a dossier."""

    name: str
    text: str


class Place(_Part):
    """A stretch of a document."""

    document: str
    span: str


class Planted(_Part):
    """A contradiction that was written into the documents, and how the sources settle it."""

    id: str
    a: Place
    b: Place
    what: str
    verdict: Literal["a", "b", "neither", "unsettled"]


class Question(_Part):
    """A question with what a right answer holds and must not affirm."""

    question: str
    kind: str
    answer: str | None = None
    accept: tuple[str, ...] = ()
    accept_mode: str = "any"
    key_points: tuple[str | tuple[str, ...], ...] = ()
    reject: tuple[str, ...] = ()


class Dossier(_Part):
    """Documents, sources to check against, what contradicts in them, and questions."""

    id: str
    language: str
    documents: tuple[DossierDocument, ...]
    sources: tuple[DossierDocument, ...] = ()
    contradictions: tuple[Planted, ...]
    questions: tuple[Question, ...]


def evaluate_dossiers(folder: Path, settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """The scores of a folder of dossiers: one session for each question, the conflicts of the first one scored."""
    began, parts = time.perf_counter(), Parts.standard(settings)
    kinds: dict[str, list[bool]] = defaultdict(list)
    words: list[int] = []
    rows = []
    for dossier in islice(read_dossiers(folder), limit):
        sessions = (ask(question.question, dossier, settings, parts) for question in dossier.questions)
        answers = []
        conflicts: dict[str, Any] = {}
        for question, bank in zip(dossier.questions, sessions, strict=True):
            conflicts = conflicts or score_conflicts(bank, dossier)
            text, affirmed = (bank.answer.text, bank.answer.affirmed) if bank.answer else ("", "")
            right = answers_rightly(question, text, affirmed)
            kinds[question.kind].append(right)
            words.append(len(text.split()))
            answers.append(
                {"question": question.question, "gold": question.answer, "right": right, "answer": text[:600]}
            )
        rows.append({"id": dossier.id, **conflicts, "answers": answers})
    planted, found, alarms, near, verdicts = (
        sum(row[name] for row in rows) for name in ("planted", "found", "false_alarms", "near", "verdicts_right")
    )
    judged = [one for kind in kinds.values() for one in kind]
    return {
        "file": folder.name,
        "dossiers": len(rows),
        "planted": planted,
        "recall": _share(found, planted),
        "precision": _share(found, found + alarms),
        "false_alarms": alarms,
        "near": near,
        "verdict_accuracy": _share(verdicts, found),
        "questions": len(judged),
        "answer_accuracy": _share(sum(judged), len(judged)),
        "answers_by_kind": {kind: f"{sum(these)}/{len(these)}" for kind, these in sorted(kinds.items())},
        "mean_answer_words": round(sum(words) / max(1, len(words)), 1),
        "errors": rows,
        "seconds": round(time.perf_counter() - began, 1),
    }


def read_dossiers(folder: Path) -> Iterable[Dossier]:
    """The dossiers of a folder, by name. `UsageError` where there are none, or one is not in the form."""
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not files:
        raise UsageError(f"{folder}: no dossiers (*.json) in this folder; name the folder that holds them")
    for file in files:
        try:
            yield Dossier.model_validate(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, ValidationError) as error:
            raise UsageError(
                f"{file.name}: not a dossier ({str(error).splitlines()[0]}); see the data's README"
            ) from None


def ask(question: str, dossier: Dossier, settings: Settings, parts: Parts) -> Bank:
    """What a whole session knows at its end."""
    files = [[Upload(one.name, one.text.encode()) for one in some] for some in (dossier.documents, dossier.sources)]
    with tempfile.TemporaryDirectory() as folder:
        session = Session.create(question, *files, settings=settings, sessions=Path(folder), parts=parts)
        for _event in session.run():
            pass
        return session.bank


# -- conflicts -------------------------------------------------------------------------------------------------------


def score_conflicts(bank: Bank, dossier: Dossier) -> dict[str, Any]:
    """What of the planted contradictions was found, and what was reported besides."""
    found: set[str] = set()
    verdicts, near, alarms = 0, 0, []
    for conflict in bank.conflicts.values():
        hit = _planted(conflict, dossier)
        if hit is None:
            if _touches(conflict, dossier):
                near += 1
            else:
                alarms.append([claim.text[:160] for claim in conflict.claims])
        elif hit[0].id not in found:
            found.add(hit[0].id)
            verdicts += conflict.verdict == hit[1][hit[0].verdict]
    missed = [one.what for one in dossier.contradictions if one.id not in found]
    return {
        "planted": len(dossier.contradictions), "found": len(found), "false_alarms": len(alarms), "near": near,
        "verdicts_right": verdicts, "alarms": alarms, "missed": missed,
    }  # fmt: skip


def _planted(conflict: Conflict, dossier: Dossier) -> tuple[Planted, dict[str, Verdict]] | None:
    """The planted contradiction that a conflict is, and which verdict each outcome of it would be."""
    for first in conflict.sides[0]:
        for second in conflict.sides[1]:
            for planted in dossier.contradictions:
                if _lies(first, planted.a, dossier) and _lies(second, planted.b, dossier):
                    return planted, {"a": "first", "b": "second", "neither": "neither", "unsettled": "inconclusive"}
                if _lies(first, planted.b, dossier) and _lies(second, planted.a, dossier):
                    return planted, {"a": "second", "b": "first", "neither": "neither", "unsettled": "inconclusive"}
    return None


def _touches(conflict: Conflict, dossier: Dossier) -> bool:
    places = [place for planted in dossier.contradictions for place in (planted.a, planted.b)]
    return any(_lies(claim, place, dossier) for claim in conflict.parties for place in places)


def _lies(claim: Claim, place: Place, dossier: Dossier) -> bool:
    """Whether a claim lies on a stretch of a document: half of the shorter of the two is shared."""
    text = next((one.text for one in dossier.documents if one.name in claim.source), None)
    if text is None or place.document not in claim.source:
        return False
    written = re.escape(claim.text).replace(r"\ ", " ")
    stands = re.search(re.sub(r"\s+", r"\\s+", written), text)
    if stands is None:
        return False
    start = text.find(place.span)
    shared = min(stands.end(), start + len(place.span)) - max(stands.start(), start)
    return shared >= OVERLAP * min(stands.end() - stands.start(), len(place.span))


# -- answers -------------------------------------------------------------------------------------------------------


def answers_rightly(question: Question, text: str, affirmed: str) -> bool:
    """Whether an answer holds what is wanted and affirms nothing of what is rejected."""
    text, affirmed = _fold(text), _fold(affirmed)
    if any(_holds(affirmed, _fold(wrong)) for wrong in question.reject):
        return False
    if question.kind == "unanswerable":
        return not affirmed
    groups = [(one,) if isinstance(one, str) else one for one in question.key_points or question.accept]
    met = [any(_holds(text, _fold(wording)) for wording in group) for group in groups]
    if question.kind in ("summary", "list"):
        return bool(met) and sum(met) >= ENOUGH * len(met)
    if question.accept_mode == "all":
        return bool(met) and all(met)
    return _holds(text, _fold(question.answer or "")) or any(met)


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower().replace(",", "").replace("\u2019", "'")
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s.:%€$£/+-]", " ", text)).strip()


def _holds(text: str, wanted: str) -> bool:
    """Whether folded text holds a wanted string as whole words (as it is where the writing has no spaces)."""
    if not wanted or not wanted.isascii():
        return bool(wanted) and wanted in text
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 3)
