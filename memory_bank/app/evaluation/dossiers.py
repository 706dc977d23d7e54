"""`eval dossiers`: whole sessions on realistic dossiers, scored as defined by `score.py` beside the data.

A reported conflict is right if its two claims overlap the two spans of a planted contradiction, near if a claim of it
overlaps any planted span, and a false alarm otherwise. An answer is right if it contains what the question accepts and
affirms nothing that the question rejects.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from memory_bank.app.evaluation.items import Items, Played, TextDocument, costs, play, share
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.errors import UsageError
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.settings import Settings
from memory_bank.bank.value import Value
from memory_bank.session.session import Parts
from memory_bank.storage.session_store import Upload

OVERLAP = 0.5
"""Least overlap of a claim and a planted span, as a share of the shorter one."""
MIN_POINTS_SHARE = 0.6
"""Share of the key points that an answer must contain, for questions of kind `summary` or `list`."""
_VERDICTS: dict[str, Verdict] = {"a": "first", "b": "second", "neither": "neither", "unsettled": "inconclusive"}
"""The right verdict for each outcome of a planted contradiction whose `a` is the first side of the conflict."""
_SWAPPED_VERDICTS: dict[str, Verdict] = {**_VERDICTS, "a": "second", "b": "first"}
"""The same if `b` is the first side."""


class Place(Value, extra="ignore"):
    """A span of text in a document."""

    document: str
    span: str


class PlantedContradiction(Value, extra="ignore"):
    """A contradiction planted in the documents, and how the sources settle it."""

    id: str
    a: Place
    b: Place
    what: str
    verdict: Literal["a", "b", "neither", "unsettled"]


class DossierQuestion(Value, extra="ignore"):
    """A question, with what a right answer contains and what it must not affirm."""

    question: str
    kind: str
    answer: str | None = None
    accept: tuple[str, ...] = ()
    accept_mode: str = "any"
    key_points: tuple[str | tuple[str, ...], ...] = ()
    reject: tuple[str, ...] = ()


class Dossier(Value, extra="ignore"):
    """Documents, reference sources, the planted contradictions, and questions."""

    id: str
    language: str
    documents: tuple[TextDocument, ...]
    sources: tuple[TextDocument, ...] = ()
    contradictions: tuple[PlantedContradiction, ...]
    questions: tuple[DossierQuestion, ...]

    @property
    def item_ids(self) -> list[str]:
        """The ids of its questions in an evaluation."""
        return [f"{self.id}/{number}" for number in range(1, len(self.questions) + 1)]


def evaluate_dossiers(folder: Path, settings: Settings, items: Items) -> dict[str, Any]:
    """The scores of a folder of dossiers.

    One session is run for each question, an item of its own ("v01/2" is the second of v01); conflicts are scored on the
    first session of each dossier.
    """
    right_by_kind: dict[str, list[bool]] = defaultdict(list)
    word_counts: list[int] = []
    first, item_rows = list[dict[str, Any]](), list[dict[str, Any]]()  # the conflicts of each dossier, and the items
    for dossier in items.take(read_dossiers(folder), lambda dossier: [dossier.id, *dossier.item_ids]):
        before = len(word_counts)
        for item_id, question in zip(dossier.item_ids, dossier.questions, strict=True):
            if not items.wants(dossier.id, item_id):
                continue
            played = play_question(question.question, dossier, settings)
            answer = played.bank.answer
            text, affirmed = (answer.text, answer.affirmed) if answer else ("", "")
            right = is_right_answer(question, text, affirmed)
            summary = {"question": question.question, "gold": question.answer, "right": right, "answer": text[:600]}
            scored = score_conflicts(played.bank, dossier)
            item_rows.append(items.row(item_id, played, "right" if right else "wrong", **summary, conflicts=scored))
            if played.failure is not None:
                continue
            if len(word_counts) == before:
                first.append(scored)
            right_by_kind[question.kind].append(right)
            word_counts.append(len(text.split()))
    planted, found, alarms, near, verdicts = (
        sum(row[name] for row in first) for name in ("planted", "found", "false_alarms", "near", "verdicts_right")
    )
    judged = [right for outcomes in right_by_kind.values() for right in outcomes]
    return {
        "dossiers": len(first),
        "planted": planted,
        "recall": share(found, planted, 3),
        "precision": share(found, found + alarms, 3),
        "false_alarms": alarms,
        "near": near,
        "verdict_accuracy": share(verdicts, found, 3),
        "questions": len(judged),
        "answer_accuracy": share(sum(judged), len(judged), 3),
        "answers_by_kind": {
            kind: f"{sum(outcomes)}/{len(outcomes)}" for kind, outcomes in sorted(right_by_kind.items())
        },
        "mean_answer_words": share(sum(word_counts), len(word_counts), 1),
        **costs(item_rows),
    }


def read_dossiers(folder: Path) -> Iterable[Dossier]:
    """The dossiers of a folder, in order of file name. Raises `UsageError` if there are none or one is malformed."""
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not files:
        raise UsageError(f"{folder}: no dossiers (*.json) in this folder; name the folder that holds them")
    for file in files:
        try:
            yield Dossier.model_validate(json.loads(file.read_text(encoding="utf-8")))
        except ValueError as error:
            raise UsageError(
                f"{file.name}: not a dossier ({str(error).splitlines()[0]}); see the data's README"
            ) from None


def play_question(question: str, dossier: Dossier, settings: Settings, parts: Parts | None = None) -> Played:
    """Run a whole session on a question."""
    documents, sources = (
        [Upload(document.name, document.text.encode()) for document in group]
        for group in (dossier.documents, dossier.sources)
    )
    return play(question, documents, sources, settings=settings, parts=parts)


# -- conflicts -------------------------------------------------------------------------------------------------------


def score_conflicts(bank: Bank, dossier: Dossier) -> dict[str, Any]:
    """Count the planted contradictions that were found, and the other conflicts that were reported."""
    found: set[str] = set()
    verdicts, near, alarms = 0, 0, []
    places = [place for planted in dossier.contradictions for place in (planted.a, planted.b)]
    for conflict in bank.conflicts.values():
        match = _matching_planted(conflict, dossier)
        if match is None:
            if any(_overlaps(claim, place, dossier) for claim in conflict.parties for place in places):
                near += 1
            else:
                alarms.append([claim.text[:160] for claim in conflict.claims])
            continue
        planted, expected = match
        if planted.id not in found:
            found.add(planted.id)
            verdicts += conflict.verdict == expected
    missed = [planted.what for planted in dossier.contradictions if planted.id not in found]
    return {
        "planted": len(dossier.contradictions), "found": len(found), "false_alarms": len(alarms), "near": near,
        "verdicts_right": verdicts, "alarms": alarms, "missed": missed,
    }  # fmt: skip


def _matching_planted(conflict: Conflict, dossier: Dossier) -> tuple[PlantedContradiction, Verdict] | None:
    """The planted contradiction that a conflict reports, and the verdict that would be right; None if there is none."""
    for first in conflict.sides[0]:
        for second in conflict.sides[1]:
            for planted in dossier.contradictions:
                if _overlaps(first, planted.a, dossier) and _overlaps(second, planted.b, dossier):
                    return planted, _VERDICTS[planted.verdict]
                if _overlaps(first, planted.b, dossier) and _overlaps(second, planted.a, dossier):
                    return planted, _SWAPPED_VERDICTS[planted.verdict]
    return None


def _overlaps(claim: Claim, place: Place, dossier: Dossier) -> bool:
    """Whether a claim and a planted span share at least `OVERLAP` of the shorter one."""
    text = next((document.text for document in dossier.documents if document.name in claim.source), None)
    if text is None or place.document not in claim.source:
        return False
    match = re.search(r"\s+".join(map(re.escape, claim.text.split())), text)
    if match is None:
        return False
    start = text.find(place.span)
    shared = min(match.end(), start + len(place.span)) - max(match.start(), start)
    return shared >= OVERLAP * min(match.end() - match.start(), len(place.span))


# -- answers -------------------------------------------------------------------------------------------------------


def is_right_answer(question: DossierQuestion, text: str, affirmed: str) -> bool:
    """Whether an answer contains what the question accepts and affirms nothing that it rejects."""
    text, affirmed = _fold(text), _fold(affirmed)
    if any(_contains(affirmed, _fold(wrong)) for wrong in question.reject):
        return False
    if question.kind == "unanswerable":
        return not affirmed
    groups = [(point,) if isinstance(point, str) else point for point in question.key_points or question.accept]
    met = [any(_contains(text, _fold(wording)) for wording in group) for group in groups]
    if question.kind in ("summary", "list"):
        return bool(met) and sum(met) >= MIN_POINTS_SHARE * len(met)
    if question.accept_mode == "all":
        return bool(met) and all(met)
    return _contains(text, _fold(question.answer or "")) or any(met)


def _fold(text: str) -> str:
    """Normalise case, punctuation and white space for comparison."""
    text = unicodedata.normalize("NFKC", text).lower().replace(",", "").replace("\u2019", "'")
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s.:%€$£/+-]", " ", text)).strip()


def _contains(text: str, wanted: str) -> bool:
    """Whether folded text contains a folded string: as whole words if it is ASCII, else as a substring."""
    if not wanted or not wanted.isascii():
        return bool(wanted) and wanted in text
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None
