"""Find what other documents say against an answer, though no conflict was recorded between the two.

Two statements that both answer a question contradict each other far oftener than any two, so less is needed here than
for a conflict that is recorded. Answers whose values agree never oppose each other. Where independent documents are
enough more for one side, that side is affirmed, by the odds that verdicts are given by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import (
    ANSWERS,
    LIKELY,
    MOST_DOCUMENTS,
    OF_SEVERAL,
    Candidate,
    as_likely_as,
)
from memory_bank.engines.offline.answering.setting_aside import JudgedPassages
from memory_bank.engines.offline.verification.evidence import MATERIAL_ODDS
from memory_bank.engines.offline.verification.weighing import CONCLUDES
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import says_the_same
from memory_bank.judgement.parts import without_common_context
from memory_bank.text.difference import is_copy
from memory_bank.text.values.values import differing_values, equal_in_values, values_agree
from memory_bank.text.wording import Wording

DIFFERENT = Wording("The documents say different things")
"""Heading over answers of different documents that likely contradict each other, where no conflict was recorded."""
MOST_SAY, OTHERS_SAY = Wording("Most documents say"), Wording("Another document says")
"""Headings where independent documents are enough more for one side."""
DENIES = 0.4
"""Probability of a contradiction from which an answer denies another one. Of 240 pairs of answers in dossiers that no
network learned from which contradict each other .76 have it, and of 240 pairs that have it .73 do. Read with the
question as their context, as before, it was .55 and .56 from a probability of .5."""
SAME_THING = 0.94
"""Probability that two documents are about the same thing from which two answers of other values deny each other. With
it, and where things are told apart, .71 of 75 pairs of answers on one thing that contradict each other are taken for
contrary (.56 by the networks alone), and of all that are .45 do (.37); besides 399 pairs of answers on things of one
name (both of the training corpus)."""
NEAREST, LIKELIEST = 8, 4
"""Passages of other documents that an answer is compared with: the most similar ones, and the likeliest answers."""
MOST_OPPOSING = 2
"""Most other documents that are quoted against an answer."""


def with_opposing(
    answers: Sequence[Candidate],
    ranked: Sequence[Candidate],
    references: Sequence[Candidate],
    judged: JudgedPassages,
) -> list[Candidate]:
    """The answers; where other documents contradict the first one on a thing, also what they say, labelled by document.

    `ranked` are the candidates, likeliest first, and each document speaks once. A side that an answer of the
    `references` contradicts is left out, with that answer in its place, unless they contradict all sides. What a whole
    section or a reference says, and what a verdict was given on, stays as it is.
    """
    if len(answers) > MOST_DOCUMENTS:
        return list(answers)
    told = [one for group in judged.grouped(answers) for one in _of_one_thing(group, ranked, references, judged)]
    told.sort(key=lambda one: one.heading is not None)
    opposed = {one.passage for one in told if one.opposed}
    return list({one.passage: one for one in told if one.opposed or one.passage not in opposed}.values())


def _of_one_thing(
    answers: Sequence[Candidate],
    ranked: Sequence[Candidate],
    references: Sequence[Candidate],
    judged: JudgedPassages,
) -> list[Candidate]:
    """The answers that are about one thing, with what opposes the first of them."""
    names = {reference.passage.source for reference in references}
    if not answers[0].answer or answers[0].passage.source in names or judged.decided(answers[0].passage):
        return list(answers)
    in_memory = [one for one in ranked if one.passage.source not in names]
    opposing = _opposing(answers[0], in_memory, judged)
    if not opposing:
        return list(answers)
    own = [one for one in answers if one.passage.document == answers[0].passage.document]
    sides = [*own, *opposing]
    refuting = [_refuting(side, references, judged) for side in sides]
    if any(refuting) and not all(refuting):
        standing = [side for side, reference in zip(sides, refuting, strict=True) if reference is None]
        return [*standing, *dict.fromkeys(filter(None, refuting))]
    if not any(refuting) and (told := _by_votes([answers[0], *opposing], in_memory, judged)):
        return told
    return [replace(side, label=side.passage.source, heading=DIFFERENT, opposed=True) for side in sides]


def _by_votes(
    sides: Sequence[Candidate], ranked: Sequence[Candidate], judged: JudgedPassages
) -> list[Candidate] | None:
    """The side that enough independent documents more are for, and the others as opposed; None where there is none."""
    heads: list[Candidate] = []
    for side in sides:
        if not any(_agree(side, head, judged) for head in heads):
            heads.append(side)
    voices = [[head, *_of_one_mind(head, ranked, judged)] for head in heads]
    odds = [MATERIAL_ODDS ** len(of_side) for of_side in voices]
    best = int(np.argmax(odds))
    if odds[best] / sum(odds) < CONCLUDES:
        return None
    return [
        *(replace(one, label=one.passage.source, heading=MOST_SAY) for one in voices[best]),
        *(
            replace(head, label=head.passage.source, heading=OTHERS_SAY, opposed=True)
            for n, head in enumerate(heads)
            if n != best
        ),
    ]


def _of_one_mind(side: Candidate, ranked: Sequence[Candidate], judged: JudgedPassages) -> Iterator[Candidate]:
    """The answers of other documents on the same thing that say the same, one of each; copies are one voice."""
    texts = [side.passage.entry.text]
    documents = {side.passage.document}
    for one in ranked:
        if one.probability < ANSWERS or len(texts) == MOST_DOCUMENTS:
            return
        text = one.passage.entry.text
        agrees = one.passage.document not in documents and _agree(one, side, judged)
        if agrees and not judged.about_two_things(one.passage, side.passage):
            documents.add(one.passage.document)
            if not any(is_copy(text, other) for other in texts):
                texts.append(text)
                yield one


def _agree(one: Candidate, other: Candidate, judged: JudgedPassages) -> bool:
    same_values = equal_in_values(one.answer, other.answer)
    return same_values or says_the_same(one.passage.statement, other.passage.statement, judged.judge)


def _opposing(answer: Candidate, ranked: Sequence[Candidate], judged: JudgedPassages) -> list[Candidate]:
    """The passage of each other document that contradicts an answer, where one does: the one that likeliest answers.

    It must likely answer too, or about as likely as the answer itself: what is unlikelier is mostly of something else.
    Documents on two things of one name contradict each other in nothing.
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
    denies = _denies(answer.passage, [one.passage for one in compared], judged)
    against = [
        one
        for one, probability in zip(compared, denies, strict=True)
        if (probability >= DENIES and not judged.about_two_things(answer.passage, one.passage))
        or (differing_values(answer.answer, one.answer) and judged.alike(answer.passage, one.passage) >= SAME_THING)
    ]
    by_document: dict[str, Candidate] = {}
    for one in sorted(against, key=lambda candidate: -candidate.probability):
        by_document.setdefault(one.passage.document, one)
    return list(by_document.values())[:MOST_OPPOSING]


def _refuting(side: Candidate, references: Sequence[Candidate], judged: JudgedPassages) -> Candidate | None:
    """The likeliest answer of a reference source that contradicts a side, if one does."""
    likely = [reference for reference in references if reference.probability >= OF_SEVERAL][:LIKELIEST]
    denies = _denies(side.passage, [reference.passage for reference in likely], judged)
    return next((one for one, probability in zip(likely, denies, strict=True) if probability >= DENIES), None)


def _denies(
    passage: CandidatePassage, others: Sequence[CandidatePassage], judged: JudgedPassages
) -> NDArray[np.float32]:
    """Probability that a passage contradicts each of some others."""
    return judge_both_ways(
        [without_common_context((passage.statement, other.statement)) for other in others], judged.judge
    )
