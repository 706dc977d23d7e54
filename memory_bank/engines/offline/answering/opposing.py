"""Find what other documents say against an answer, though no conflict was recorded between the two.

Two statements that answer the same question are judged with that question as their context: the pair model then sees
that both are about one thing, which their own words often do not say. Where both likely answer, the words that do are
judged too, each after the question: "When did it open? 15 April." Answers whose values agree never oppose each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import (
    LIKELY,
    MOST_DOCUMENTS,
    OF_SEVERAL,
    SURE,
    Candidate,
    as_likely_as,
)
from memory_bank.engines.offline.answering.setting_aside import QuotableFilter
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.statement import Statement
from memory_bank.text.values.values import values_agree
from memory_bank.text.wording import Wording

DIFFERENT = Wording("The documents say different things")
"""Heading over answers of different documents that likely contradict each other, where no conflict was recorded."""
NEAREST, LIKELIEST = 8, 4
"""Passages of other documents that an answer is compared with: the most similar ones, and the likeliest answers."""
MOST_OPPOSING = 2
"""Most other documents that are quoted against an answer."""


def with_opposing(
    question: str,
    answers: Sequence[Candidate],
    ranked: Sequence[Candidate],
    references: Sequence[Candidate],
    judged: QuotableFilter,
) -> list[Candidate]:
    """The answers; where other documents contradict the first one, also what they say, labelled by document.

    `ranked` are the candidates, likeliest first, and each document speaks once. A side that an answer of the
    `references` contradicts is left out, with that answer in its place, unless they contradict all sides. What a whole
    section or a reference says, and what a verdict was given on, stays as it is.
    """
    names = {reference.passage.source for reference in references}
    is_section = len(answers) > MOST_DOCUMENTS or not (answers and answers[0].answer)
    if is_section or answers[0].passage.source in names or judged.decided(answers[0].passage):
        return list(answers)
    opposing = _opposing(question, answers[0], [one for one in ranked if one.passage.source not in names], judged)
    if not opposing:
        return list(answers)
    own = [one for one in answers if one.passage.document == answers[0].passage.document]
    sides = [*own, *opposing]
    refuting = [_refuting(question, side, references, judged) for side in sides]
    if any(refuting) and not all(refuting):
        standing = [side for side, reference in zip(sides, refuting, strict=True) if reference is None]
        return [*standing, *dict.fromkeys(filter(None, refuting))]
    return [replace(side, label=side.passage.source, heading=DIFFERENT, opposed=True) for side in sides]


def _opposing(question: str, answer: Candidate, ranked: Sequence[Candidate], judged: QuotableFilter) -> list[Candidate]:
    """The passage of each other document that contradicts an answer, where one does: the one that likeliest answers.

    It must likely answer too, or about as likely as the answer itself: what is unlikelier is mostly of something else.
    """
    least = min(LIKELY, as_likely_as(answer.probability))
    others = [
        one
        for one in ranked
        if one.passage.document != answer.passage.document
        and one.probability >= least
        and not values_agree(answer.answer, one.answer)
    ]
    if not others:
        return []
    vectors = judged.embedder.embed([one.passage.text for one in (answer, *others)])
    nearest = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")[:NEAREST]
    compared = list(dict.fromkeys([*others[:LIKELIEST], *(others[n] for n in nearest)]))
    barred = judged.stating_barred([one.passage for one in compared])
    # What is in dispute for another of its figures still answers this question, and is shown without being affirmed.
    compared = [one for one in compared if one.passage not in barred or judged.disputed(one.passage)]
    contradicts = _contradicts(question, answer.passage, [one.passage for one in compared], judged)
    likely = [one for one in compared if one.probability >= OF_SEVERAL and one.answer]
    answered, *others_answered = (Statement(f"{question} {one.answer.strip()}") for one in (answer, *likely))
    otherwise = judge_both_ways([(answered, other) for other in others_answered], judged.judge)
    against = [
        one for one, chance in zip(compared, contradicts, strict=True) if chance >= judged.judge.conflict_between
    ]
    against += [one for one, chance in zip(likely, otherwise, strict=True) if chance >= SURE]
    by_document: dict[str, Candidate] = {}
    for one in sorted(against, key=lambda candidate: -candidate.probability):
        by_document.setdefault(one.passage.document, one)
    return list(by_document.values())[:MOST_OPPOSING]


def _refuting(
    question: str, side: Candidate, references: Sequence[Candidate], judged: QuotableFilter
) -> Candidate | None:
    """The likeliest answer of a reference source that contradicts a side, if one does."""
    likely = [reference for reference in references if reference.probability >= OF_SEVERAL][:LIKELIEST]
    contradicts = _contradicts(question, side.passage, [reference.passage for reference in likely], judged)
    against = (
        one
        for one, probability in zip(likely, contradicts, strict=True)
        if probability >= judged.judge.conflict_between
    )
    return next(against, None)


def _contradicts(
    question: str, passage: CandidatePassage, others: Sequence[CandidatePassage], judged: QuotableFilter
) -> NDArray[np.float32]:
    """Probability that a passage contradicts each of some others, all read as answers to the question."""
    first, *seconds = (Statement(one.statement.text, question) for one in (passage, *others))
    return judge_both_ways([(first, second) for second in seconds], judged.judge)
