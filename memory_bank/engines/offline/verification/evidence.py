"""Find the independent voices on a conflict: statements of other documents, judged by the pair model.

Each document is one voice per stance, and copies of one text count as one document. The odds of a voice are how many
times likelier what it says is to be right than wrong; the odds of independent voices multiply. A reference counts as
three documents of the material, since the person named it to check against: of 517 contradictions of held-out dossiers,
308 of them settled, 359 end as they should so, 332 where it counts as two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memory_bank.bank.conflict import Conflict, Evidence
from memory_bank.judgement.contradictions import MIN_SIMILARITY
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.judgement.parts import disputed_parts
from memory_bank.judgement.stances import Stance, stances
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.difference import is_copy

MATERIAL_ODDS = 3.0
REFERENCE_ODDS = MATERIAL_ODDS**3
MIN_STANCE_PROBABILITY = 0.35
"""Probability of its stance from which a statement counts as a voice."""
NEAREST, MOST_ASKED = 8, 24
"""Statements of a document, and of all documents, that are judged: the nearest to either side."""


@dataclass(frozen=True)
class SourceStatement:
    """A statement of a document that may have a stance on a conflict, and its place in the document.

    `text` is all of the document's text that is known here, to recognise copies by. `is_reference` tells whether the
    person gave the document to check against.
    """

    document: str
    source: str
    statement: Statement
    text: str
    is_reference: bool = False
    page: int | None = None
    entry_id: str | None = None


@dataclass(frozen=True)
class Voice:
    """A statement with its stance on the conflict and the probability of that stance (0…1)."""

    said: SourceStatement
    stance: Stance
    probability: float

    @property
    def odds(self) -> float:
        """How many times likelier it is right than wrong: its document's odds, less where its stance is not sure."""
        odds = REFERENCE_ODDS if self.said.is_reference else MATERIAL_ODDS
        return float(odds**self.probability)

    @property
    def evidence(self) -> Evidence:
        """The voice as evidence for the record."""
        said = self.said
        return Evidence(
            source=said.source,
            passage=said.statement.text,
            supports=self.stance.value,
            page=said.page,
            entry_id=said.entry_id,
        )


def voices(conflict: Conflict, said: Sequence[SourceStatement], embedder: Embedder, judge: PairJudge) -> list[Voice]:
    """The independent voices among some statements, surest first: one of each document for each stance."""
    nearest = _nearest(conflict, said, embedder) if said else []
    if not nearest:
        return []
    candidates = [
        Voice(statement, stance, probability)
        for statement, (stance, probability) in zip(nearest, _stances(conflict, nearest, embedder, judge), strict=True)
        if probability >= MIN_STANCE_PROBABILITY
    ]
    independent: list[Voice] = []
    for voice in sorted(candidates, key=lambda voice: -voice.odds):
        repeated = (  # by the same document, or a copy of its text
            other.said.document == voice.said.document or is_copy(voice.said.text, other.said.text)
            for other in independent
            if other.stance is voice.stance
        )
        if not any(repeated):
            independent.append(voice)
    return independent


def _nearest(conflict: Conflict, said: Sequence[SourceStatement], embedder: Embedder) -> list[SourceStatement]:
    """The statements of each document that are nearest to either side, nearest first.

    Of 622 statements with a stance, in held-out dossiers, 3 in 100 are less similar than `MIN_SIMILARITY`; a third of
    all are, which are not judged.
    """
    sides = embedder.embed([claim.text for claim in conflict.claims])
    cosines = (embedder.embed([candidate.statement.text for candidate in said]) @ sides.T).max(axis=1)
    counts: Counter[str] = Counter()
    nearest = []
    for n in np.argsort(-cosines, kind="stable"):
        document = said[n].document
        counts[document] += 1
        if counts[document] <= NEAREST and cosines[n] >= MIN_SIMILARITY:
            nearest.append(said[n])
    return nearest[:MOST_ASKED]


def _stances(
    conflict: Conflict, said: Sequence[SourceStatement], embedder: Embedder, judge: PairJudge
) -> list[tuple[Stance, float]]:
    """The likeliest stance of each statement, with its probability; a side's own words are certain."""
    statements = [candidate.statement for candidate in said]
    are_references = [candidate.is_reference for candidate in said]
    sides = statement_of(conflict.claims[0]), statement_of(conflict.claims[1])
    probabilities = stances(statements, are_references, disputed_parts(sides, judge, embedder), embedder, judge)
    likeliest = [(list(Stance)[row.argmax()], float(row.max())) for row in probabilities]
    for n, statement in enumerate(statements):
        for side, stance in zip(sides, (Stance.FIRST, Stance.SECOND), strict=True):
            if statement.text.split() == side.text.split():
                likeliest[n] = stance, 1.0
    return likeliest


def source_names(voices: Iterable[Voice]) -> str:
    """The names of the voices' sources, each once, with a count where several documents have one name."""
    documents: dict[str, set[str]] = {}
    for voice in voices:
        documents.setdefault(voice.said.source, set()).add(voice.said.document)
    return ", ".join(name if len(ids) == 1 else f"{name} (×{len(ids)})" for name, ids in documents.items())
