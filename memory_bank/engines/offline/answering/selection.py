"""Which statements answer a question, as the answer model judges, in the form that its kind of question wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.relevance import Relevance
from memory_bank.judgement.judge import PairJudge, says_the_same
from memory_bank.judgement.reader import Reader
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize
from memory_bank.task_kind import TaskKind
from memory_bank.values.values import Value, ValueKind, differing, extract_values, figures

READ = 96
"""Statements that the answer model reads for one question: those that bear on it most."""
ANSWERS = 0.5
"""Probability from which a statement answers a question."""
SURE = 0.9
"""Share of the best one's probability from which another one of a single answer is given too."""
ABSENT, ANOTHER = 0.5, 0.3
"""Share of a name's words from which an entry without them is about another thing, and what is left of its chance."""
OF_SEVERAL = 0.3
"""Probability from which a statement is one of several that a list is made of, where one of them answers."""
STEP = 0.1
"""Probability from which the statement after a step is the next step."""
MOST_OF_ONE, MOST_OF_SEVERAL, MOST_STEPS = 2, 8, 6
DIFFERENT_VALUES = "The documents give different values"
"""Stands above what two documents answer with another value each, where that is no dispute."""
_SEVERAL = frozenset({TaskKind.LIST, TaskKind.DATES, TaskKind.COMPARISON, TaskKind.CHANGES})


@dataclass(frozen=True)
class Candidate:
    """A passage with the probability that it answers, and how it stands in the answer.

    `label` stands before it: the date in a time line, the document or thing in a comparison. `heading` is its group's.
    With `beside`, another passage, the label was computed of both.
    """

    passage: Passage
    probability: float
    answer: str = ""
    """The words of it that answer."""
    label: str | None = None
    heading: str | None = None
    beside: Passage | None = None


def read(question: str, pool: Sequence[Passage], embedder: Embedder, reader: Reader) -> list[Candidate]:
    """The passages that bear on a question, each read for an answer, the likeliest first."""
    chosen = list(pool)
    if len(chosen) > READ:
        relevance = Relevance([question], embedder).of([f"{one.context} {one.text}" for one in chosen])
        chosen = [chosen[n] for n in sorted(np.argsort(-relevance, kind="stable")[:READ])]
    found = reader.answers(question, [one.statement for one in chosen])
    named = _names(question)
    ranked = [
        Candidate(
            one,
            answer.probability if _names_it(one, named) else answer.probability * ANOTHER,
            one.statement.text[answer.start : answer.end],
        )
        for one, answer in zip(chosen, found, strict=True)
    ]
    return sorted(ranked, key=lambda one: -one.probability)


def near(question: str, pool: Sequence[Passage], embedder: Embedder) -> list[Candidate]:
    """The passages that bear on a question most: of what somebody said of something, none is an answer to it."""
    relevance = Relevance([question], embedder).of([one.text for one in pool])
    best = float(max(relevance, default=0.0))
    chosen = [n for n in np.argsort(-relevance, kind="stable") if relevance[n] >= max(OF_SEVERAL, SURE * best)]
    return [Candidate(pool[n], float(relevance[n])) for n in chosen[:MOST_STEPS]]


def _names(question: str) -> set[str]:
    """The words of the names in a question."""
    found = (one.text for one in extract_values(question) if one.kind is ValueKind.NAME and not one.initial)
    return {word for name in found for word in tokenize(name)}


def _names_it(passage: Passage, named: set[str]) -> bool:
    """Whether most words of the names asked about stand in a passage's entry, or in what is told of it."""
    return len(named - passage.words) < ABSENT * len(named) or not named


def choose(kind: TaskKind, ranked: Sequence[Candidate], aside: set[Passage], judge: PairJudge) -> list[Candidate]:
    """What answers a question of a kind; nothing where what answers it best is set `aside` or too unlikely.

    What is set aside tells how sure an answer must be: beside a likely answer that is in dispute an unlikely one is
    none.
    """
    best = ranked[0].probability if ranked else 0.0
    standing = [one for one in ranked if one.passage not in aside]
    if best < ANSWERS or not standing:
        return []
    if kind in _SEVERAL:
        several = _each_once([one for one in standing if one.probability >= OF_SEVERAL], judge, MOST_OF_SEVERAL)
        return _in_order(kind, several)
    likely = [one for one in standing if one.probability >= max(ANSWERS, SURE * best)]
    if kind is TaskKind.HOW and likely:
        return _steps(likely[0], standing)
    return _each_once(likely, judge, MOST_OF_ONE)


def checked(
    found: Sequence[Candidate], references: Sequence[Candidate], decided: Callable[[Passage], bool]
) -> list[Candidate]:
    """What was found; where all that references answer has another value, the likeliest of that in its place.

    `references` are ranked. What a verdict has `decided` stands, and so do values that agree. What contradicts without
    a value was found when the sources were compared.
    """
    best = references[0].probability if references else 0.0
    heard = [one for one in references if one.probability >= max(ANSWERS, SURE * best)]
    standing = [
        heard[0]
        if heard and all(differing(one.answer, other.passage.text) for other in heard) and not decided(one.passage)
        else one
        for one in found
    ]
    return list({one.passage: one for one in standing}.values())


def told_apart(found: list[Candidate]) -> list[Candidate]:
    """The answers; two of them whose values differ are said to, each with its document."""
    if len(found) != MOST_OF_ONE or len({one.passage.document for one in found}) != len(found):
        return found
    if not differing(*(one.answer for one in found)):
        return found
    return [replace(one, label=one.passage.source, heading=DIFFERENT_VALUES) for one in found]


def _each_once(candidates: Sequence[Candidate], judge: PairJudge, most: int) -> list[Candidate]:
    """The likeliest, without those that say the same as one before."""
    kept: list[Candidate] = []
    for one in candidates:
        if len(kept) == most:
            break
        if not any(says_the_same(one.passage.statement, other.passage.statement, judge) for other in kept):
            kept.append(one)
    return kept


def _steps(first: Candidate, standing: Sequence[Candidate]) -> list[Candidate]:
    """A statement with those that follow it in its entry, as long as they bear on the question."""
    own = sorted((one for one in standing if one.passage.entry == first.passage.entry), key=_place)
    at = own.index(first)
    steps = [first]
    for one in own[at + 1 :]:
        if one.probability < STEP or len(steps) == MOST_STEPS:
            break
        steps.append(one)
    return steps


def _in_order(kind: TaskKind, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Dates by their time; all others as the documents have them."""
    if kind is TaskKind.DATES:
        dated = [(date, one) for one in candidates if (date := _date(one)) is not None]
        return [replace(one, label=date.text) for date, one in sorted(dated, key=lambda pair: pair[0].low)]
    return sorted(candidates, key=_place)


def _date(one: Candidate) -> Value | None:
    """The first date of a passage."""
    return next((value for value in figures(one.passage.text) if value.kind is ValueKind.DATE), None)


def _place(one: Candidate) -> tuple[str, str, int]:
    return one.passage.document, one.passage.entry.id, one.passage.span.start
