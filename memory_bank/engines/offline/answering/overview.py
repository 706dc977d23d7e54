"""Answers that cover all passages: a summary, and a time line of every sentence with a date.

A summary is whole sentences that together cover what the documents, or their passages on a subject, are about.
Centrality and diversity decide (Carbonell and Goldstein 1998), over all passages at once: a sentence counts by its mean
similarity to all others, less where it resembles one that is chosen already, or where its section has its share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate, without_repeats
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.statement import is_field
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.dates import Precision, slot, year_of
from memory_bank.text.values.values import TextValue, dates_in

FEWEST_SENTENCES, MOST_SENTENCES = 5, 8
PER_SENTENCE = 5
"""Sentences of the documents for each sentence of the summary."""
TELLING = 4
"""Content words from which a sentence can stand for its section."""
ALIKE = 0.8
"""Share of the shorter sentence's words from which two sentences are too similar to quote both."""
DIVERSITY = 0.5
"""Weight of the resemblance to a sentence chosen already, against centrality."""
COVERED = 0.5
"""Weight of what a section has: chosen sentences for each that its length calls for, or -1 where it has none."""
MOST_DATES = 20


def overview(passages: Sequence[CandidatePassage], embedder: Embedder) -> list[Candidate]:
    """Five to eight sentences in the order of the documents, each group under its document or section."""
    by_document: dict[str, list[CandidatePassage]] = {}
    for passage in sorted(passages, key=lambda passage: (passage.entry.created_at, passage.span.start)):
        by_document.setdefault(passage.document, []).append(passage)
    documents = list(by_document)
    ordered = [passage for own in by_document.values() for passage in list(filter(_tells, own)) or own]
    if not ordered:
        return []
    sections = [passage.document if len(documents) > 1 else passage.lead for passage in ordered]
    most = min(MOST_SENTENCES, max(FEWEST_SENTENCES, len(set(sections)), len(ordered) // PER_SENTENCE))
    vectors = embedder.embed([passage.text for passage in ordered])
    chosen = [ordered[n] for n in sorted(_chosen(ordered, sections, vectors @ vectors.T, most))]
    if len(documents) == 1:
        return [Candidate(passage, 1.0, heading=passage.lead or None) for passage in chosen]
    return [Candidate(one, 1.0, heading=str(one.entry.metadata.get("title") or one.source)) for one in chosen]


def _chosen(
    passages: Sequence[CandidatePassage], sections: Sequence[str], similarity: NDArray[np.float32], most: int
) -> list[int]:
    """The indices of the sentences that cover the most, each section by its length."""
    centrality = similarity.mean(axis=1) / max(float(similarity.mean(axis=1).max()), 1e-9)
    lengths, taken = Counter(sections), Counter[str]()
    resemblance = np.zeros(len(passages))
    words = [set(tokenize(passage.text)) for passage in passages]
    remaining = list(range(len(passages)))
    chosen: list[int] = []
    while remaining and len(chosen) < most:
        share = {
            section: taken[section] * len(passages) / (lengths[section] * most) if taken[section] else -1.0
            for section in lengths
        }
        score = {n: centrality[n] - DIVERSITY * resemblance[n] - COVERED * share[sections[n]] for n in remaining}
        best = max(remaining, key=lambda n: score[n])
        remaining.remove(best)
        if any(len(words[best] & words[n]) >= ALIKE * max(min(len(words[best]), len(words[n])), 1) for n in chosen):
            continue
        chosen.append(best)
        taken[sections[best]] += 1
        resemblance = np.maximum(resemblance, similarity[best])
    return chosen


def _tells(passage: CandidatePassage) -> bool:
    """Whether it says something: no mere field of a form, entry of a list or row of a table."""
    is_prose = not passage.item or passage.text.rstrip().endswith((".", "。"))  # a numbered paragraph is prose
    return is_prose and not is_field(passage.text) and len(tokenize(passage.text)) >= TELLING


# -- time line ----------------------------------------------------------------------------------------------------


def time_line(passages: Sequence[CandidatePassage], judge: PairJudge) -> list[Candidate]:
    """The passages with a date, oldest date first, each labelled with it; what is said twice of a date stands once."""
    by_position: dict[float, list[Candidate]] = {}
    for passage, date, position in _dated(passages):
        by_position.setdefault(position, []).append(Candidate(passage, 1.0, label=date.text.rstrip(".")))
    groups = (without_repeats(group, judge, MOST_DATES) for _, group in sorted(by_position.items()))
    return [candidate for group in groups for candidate in group][:MOST_DATES]


def _dated(passages: Sequence[CandidatePassage]) -> Iterable[tuple[CandidatePassage, TextValue, float]]:
    """Each passage with its earliest date and where that stands on the scale of `dates.slot`.

    A date in a heading is that of the first sentence under it, where that has none. A day without a year is taken to be
    in the last year that its entry named before it, else in the first after it.
    """
    dates: list[list[TextValue]] = []
    begun: set[tuple[str, str, int]] = set()
    years: dict[str, int] = {}
    for passage in passages:
        of_heading = [] if passage.section in begun else dates_in(passage.lead)
        dates.append(dates_in(passage.text) or of_heading)
        begun.add(passage.section)
        for date in dates[-1]:
            if date.precision is not Precision.MONTH_DAY:
                years.setdefault(passage.entry.id, year_of(int(date.low)))
    for passage, found in zip(passages, dates, strict=True):
        positions = []
        for date in found:
            without_year = date.precision is Precision.MONTH_DAY
            if not without_year:
                years[passage.entry.id] = year_of(int(date.low))
            year = years.get(passage.entry.id, 0) if without_year else 0
            positions.append((date.low + slot(year), date.start, date))
        if positions:
            position, _, first = min(positions)
            yield passage, first, position
