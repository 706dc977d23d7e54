"""A summary: whole sentences that together cover what the documents, or their passages on a subject, are about.

Centrality and diversity decide (Carbonell and Goldstein 1998), over all passages at once: a sentence counts by its mean
similarity to all others, less where it resembles one that is chosen already, or where its section has its share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.judgement.statement import is_field
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize

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
