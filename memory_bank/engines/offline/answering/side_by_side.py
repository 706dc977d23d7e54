"""Two documents, or two things, side by side: what each says on the same, and what only one of them says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.judgement.judge import PairJudge, says_the_same
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize
from memory_bank.values.arithmetic import Numeral, difference_and_sum, numerals
from memory_bank.values.names import find_names, same_name
from memory_bank.values.values import differing, figures

ON_THE_SAME = 0.5
"""Cosine from which two statements are on the same."""
MOST_PAIRS, MOST_ALONE = 8, 4
CHANGED, ONLY_IN = "Changed", "Only in {source}"
WORTH_COMPUTING = 0.1
"""Probability from which a statement may have one of two figures that a question asks about."""
_LABEL_WORDS = 3

Sides = tuple[list[Passage], list[Passage]]


def changes(pool: Sequence[Passage], embedder: Embedder, judge: PairJudge) -> list[Candidate]:
    """What two versions of a document say otherwise, and what one of them alone says; nothing without two."""
    sides = _documents(pool)
    if sides is None:
        return []
    pairs, alone = _aligned(*sides, embedder)
    changed = [pair for pair in pairs if not _agree(*pair, judge)][:MOST_PAIRS]
    rows = [Candidate(one, 1.0, label=one.source, heading=CHANGED, answer="") for pair in changed for one in pair]
    only = (Candidate(one, 1.0, heading=ONLY_IN.format(source=one.source)) for side in alone for one in side)
    return [*rows, *only]


def comparison(asked: str, pool: Sequence[Passage], embedder: Embedder) -> list[Candidate]:
    """What is said of two things that are named, or else by two documents, attribute by attribute."""
    names = _two_names(asked, pool)
    sides = _about(names, pool) if names else _documents(pool)
    if sides is None:
        return []
    pairs, alone = _aligned(*sides, embedder)
    labels = names or tuple(side[0].source for side in sides)
    rows = [
        Candidate(one, 1.0, label=label, heading=_attribute(*pair))
        for pair in pairs[:MOST_PAIRS]
        for one, label in zip(pair, labels, strict=True)
    ]
    only = (
        Candidate(one, 1.0, heading=ONLY_IN.format(source=label))
        for side, label in zip(alone, labels, strict=True)
        for one in side
    )
    return [*rows, *only]


def computed_of_two(asked: str, ranked: Sequence[Candidate], aside: set[Passage]) -> Candidate | None:
    """Difference and sum of the likeliest figures of two things that a question names, where their unit is one."""
    standing = [one for one in ranked if one.passage not in aside and one.probability >= WORTH_COMPUTING]
    names = _two_names(asked, [one.passage for one in standing])
    sides = _about(names, [one.passage for one in standing]) if names else None
    if sides is None:
        return None
    first, second = (next(one for one in standing if one.passage in side) for side in sides)
    one, other = _numeral(first), _numeral(second)
    computed = difference_and_sum(one, other) if one and other else None
    return replace(first, label=computed, beside=second.passage) if computed else None


def _numeral(one: Candidate) -> Numeral | None:
    """The one figure of the words that answer, or of the passage."""
    found = (numerals(text) for text in (one.answer, one.passage.text))
    return next((only for only, *others in filter(None, found) if not others), None)


def _documents(pool: Sequence[Passage]) -> Sides | None:
    """The statements of the two documents that there are."""
    by: dict[str, list[Passage]] = {}
    for one in pool:
        by.setdefault(one.document, []).append(one)
    if len(by) != 2:
        return None
    first, second = (sorted(side, key=_place) for side in by.values())
    return (first, second) if first[0].entry.created_at <= second[0].entry.created_at else (second, first)


def _two_names(asked: str, pool: Sequence[Passage]) -> tuple[str, str] | None:
    """The two things that the documents name and a task names too."""
    words = set(tokenize(asked))
    said = Counter(one.text[name.start : name.end] for one in pool for name in find_names(one.text, []))
    named: list[str] = []
    for name, _ in sorted(said.items(), key=lambda one: (-len(one[0]), -one[1])):
        own = set(tokenize(name))
        if own and own <= words and not any(same_name(name, other) or own <= set(tokenize(other)) for other in named):
            named.append(name)
    return (named[0], named[1]) if len(named) == 2 else None


def _about(names: tuple[str, str], pool: Sequence[Passage]) -> Sides | None:
    """The statements that speak of one of two things and not of the other."""
    first, second = ([one for one in pool if _speaks_of(one, own, other)] for own, other in (names, names[::-1]))
    return (first, second) if first and second else None


def _speaks_of(passage: Passage, own: str, other: str) -> bool:
    """Whether a statement names the one thing and not the other; what names neither goes by what stands around it."""
    for text in (passage.text, passage.context):
        words = set(tokenize(text))
        named, opposed = (set(tokenize(name)) <= words for name in (own, other))
        if named or opposed:
            return named and not opposed
    return False


def _aligned(
    firsts: Sequence[Passage], seconds: Sequence[Passage], embedder: Embedder
) -> tuple[list[tuple[Passage, Passage]], Sides]:
    """Statements on the same, each in one pair, the likest first taken; and those on which the other side is silent."""
    a, b = (embedder.embed([one.text for one in side]) for side in (firsts, seconds))
    likeness: NDArray[np.float32] = a @ b.T
    pairs: dict[int, int] = {}
    for flat in np.argsort(-likeness, axis=None, kind="stable"):
        i, j = divmod(int(flat), len(seconds))
        if likeness[i, j] < ON_THE_SAME:
            break
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    silent = (
        [one for n, one in enumerate(firsts) if likeness[n].max() < ON_THE_SAME][:MOST_ALONE],
        [one for n, one in enumerate(seconds) if likeness[:, n].max() < ON_THE_SAME][:MOST_ALONE],
    )
    return [(firsts[i], seconds[j]) for i, j in sorted(pairs.items())], silent


def _agree(one: Passage, other: Passage, judge: PairJudge) -> bool:
    if one.text.split() == other.text.split():
        return True
    return not differing(one.text, other.text) and says_the_same(one.statement, other.statement, judge)


def _attribute(one: Passage, other: Passage) -> str:
    """The words in which two statements agree, as the first one has them: what both speak of."""
    shared = set(tokenize(one.text)) & set(tokenize(other.text))
    shared -= {word for value in figures(one.text) for word in tokenize(value.text)}
    words = (word.strip('.,;:()“”"') for word in one.text.split())
    return " ".join([word for word in words if shared.intersection(tokenize(word))][:_LABEL_WORDS])


def _place(one: Passage) -> tuple[str, int]:
    return one.entry.created_at.isoformat(), one.span.start
