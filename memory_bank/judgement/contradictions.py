"""Select pairs of statements to compare, and judge whether they contradict each other.

Each statement is compared with a bounded number of others, the nearest by embedding, so the cost grows with the number
of statements and not with its square. A pair is judged in both directions, since a contradiction has no direction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.above import BEFORE_CHARACTERS
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.values.dates import MONTHS
from memory_bank.text.values.values import differ_only_in_notation
from memory_bank.text.wording import Wording, one_line

NEAREST = 8
"""How many statements of the other list each statement is compared with."""
MIN_SIMILARITY = 0.2
"""Cosine below which two statements are about different things."""
REVERSE_THRESHOLD = 0.3
"""Probability of a contradiction in one direction from which the other direction is judged too."""
FEW_CLAIMS = 40
"""Claims in memory up to which the judge's thresholds hold. In ordinary documents with some 200 claims nearly all that
passes them is false: that few claims leave the 14 evaluation dossiers (35 to 58 claims) with one contradiction less."""
RARER_IN_SERIES = 30.0
"""By how much rarer contradictions are between documents of one series, which tell of different occasions in like
words: of 23 that were reported between the minutes of three bodies none was real, though the surest had a probability
of .95."""
FEW_UNCHECKED, RARER_UNCHECKED = 7.0, 3.0
"""Claims up to which the thresholds hold where there are no sources to check them against, and by how much rarer
contradictions are there at most. So from 21 claims on only what is likely one is reported, from a probability of .75
and not .5: on 20 pairs of files by others that is better, on 240 pairs of one or two statements .5 is."""
FEWEST_REPEATED = 6
"""Words that a statement must have for a longer one to repeat it."""
_WORD, _END = re.compile(r"\w+"), re.compile(r"[.!?。！？…]\W*$")
_NO_WORD = re.compile(r"\[\s*\d+\s*\]|(?<=\d),(?=\d{3}(?!\d))")
_YEAR = re.compile(r"(?:19|20)\d\d")
_EXTENSION = re.compile(r"\.\w{1,5}$")
QUOTED = 90
"""Most characters of each side in the description of a contradiction."""


def judge_both_ways(
    pairs: Sequence[tuple[Statement, Statement]], judge: PairJudge, least: float = 0.0
) -> NDArray[np.float32]:
    """Probability that each pair contradicts: the mean of both directions, or the first alone where that is low.

    Repeated words, and equal values however they are written, never count as a contradiction, whatever the model says.
    Where only probabilities from `least` matter, the other direction is judged only of pairs whose mean can reach it.
    """
    probabilities = np.array([judgement.contradicts for judgement in judge.judge(pairs)], np.float32)
    from_probability = max(REVERSE_THRESHOLD, 2 * least - 1)
    likely = [n for n in range(len(pairs)) if probabilities[n] >= from_probability]
    reversed_judgements = judge.judge([pairs[n][::-1] for n in likely])
    for n, judgement in zip(likely, reversed_judgements, strict=True):
        first, second = pairs[n]
        equal = repeats(first, second) or differ_only_in_notation(first.text, second.text)
        probabilities[n] = 0 if equal else (probabilities[n] + judgement.contradicts) / 2
    return probabilities


def candidates(
    firsts: Sequence[Statement],
    seconds: Sequence[Statement],
    embedder: Embedder,
    nearest: int = NEAREST,
    reverse: int = NEAREST,
    least: float = MIN_SIMILARITY,
) -> list[tuple[int, int]]:
    """Index pairs worth judging: each statement with its nearest in the other list; equal statements are left out.

    Pass one list twice to compare its statements among themselves; neighbours in a document are then left out too.
    Each of `firsts` is paired with its `nearest` in `seconds`, and each of `seconds` with its `reverse` nearest in
    `firsts`: none are needed where `firsts` is a small batch and more batches follow. `least` is the least cosine.
    """
    if not firsts or not seconds:
        return []
    same_list = firsts is seconds
    first_vectors = embedder.embed([statement.text for statement in firsts])
    second_vectors = first_vectors if same_list else embedder.embed([statement.text for statement in seconds])
    similarity = first_vectors @ second_vectors.T
    if same_list:
        np.fill_diagonal(similarity, -1.0)
    pairs = {(i, j) for i, row in enumerate(similarity) for j in _nearest(row, nearest, least)}
    pairs |= {(i, j) for j, column in enumerate(similarity.T) for i in _nearest(column, reverse, least)}
    if same_list:
        pairs = {(min(pair), max(pair)) for pair in pairs}
        pairs = {(i, j) for i, j in pairs if not (_follows(firsts[i], firsts[j]) or _follows(firsts[j], firsts[i]))}
    return sorted((i, j) for i, j in pairs if not repeats(firsts[i], seconds[j]))


def nearest_of_each(
    firsts: Sequence[Statement], seconds: Sequence[Statement], embedder: Embedder, nearest: int
) -> list[tuple[int, int]]:
    """Index pairs of each first statement with its `nearest` in the second list, which may be long; no equal ones."""
    if not firsts or not seconds:
        return []
    first_vectors = embedder.embed([statement.text for statement in firsts])
    second_vectors = embedder.embed([statement.text for statement in seconds])
    pairs = ((i, j) for i, vector in enumerate(first_vectors) for j in _nearest(second_vectors @ vector, nearest))
    return [(i, j) for i, j in pairs if not repeats(firsts[i], seconds[j])]


def threshold_among(
    threshold: float, claims: int, *, checkable: bool = True, in_series: bool = False, alike: float = 1.0
) -> float:
    """The threshold among so many claims: where contradictions are n times rarer, the odds must be n times higher.

    Each claim is compared with as many others however many there are, but documents hardly hold more contradictions
    the longer they are. `alike` is the probability that both texts are about the same thing: else nothing contradicts.
    """
    rarer = max(1.0, claims / FEW_CLAIMS)
    if not checkable:
        rarer = max(rarer, min(claims / FEW_UNCHECKED, RARER_UNCHECKED))
    if in_series:
        rarer *= RARER_IN_SERIES
    rarer *= max(1.0, (1 - alike) / alike)
    return threshold * rarer / (1 - threshold + threshold * rarer)


def of_one_series(first: str, second: str) -> bool:
    """Whether two names of documents have a year each and other figures or English names of months, and one title.

    "2022-august-minutes.md" and "2022-july-minutes.md" do. "plan-v1.md" and "plan-v2.md", versions of one text, have no
    year. One title may have a word or two more: "minutes 2021 (online)".
    """
    names = [re.findall(r"[^\W_]+", _EXTENSION.sub("", name).casefold()) for name in (first, second)]
    date, other_date = ([word for word in name if word in MONTHS or word.isdecimal()] for name in names)
    title, other_title = ([word for word in name if not (word in MONTHS or word.isdecimal())] for name in names)
    dated = all(any(_YEAR.fullmatch(part) for part in parts) for parts in (date, other_date))
    shorter, longer = sorted((set(title), set(other_title)), key=len)
    return dated and bool(shorter) and shorter <= longer and len(longer) <= len(shorter) + 2 and date != other_date


def describe_contradiction(first: str, second: str) -> Wording:
    """A contradiction in one line: both sides quoted, cut where they are long."""
    said, other = (
        line if len(line) <= QUOTED else f"{line[:QUOTED].rstrip()}…" for line in map(one_line, (first, second))
    )
    return Wording("“{said}” – “{other_said}”", said=said, other_said=other)


def _nearest(row: NDArray[np.float32], count: int, least: float = MIN_SIMILARITY) -> list[int]:
    """Indices of the `count` highest cosines of a row, without those below `least`."""
    chosen = np.argpartition(-row, count - 1)[:count] if len(row) > count else range(len(row))
    return [int(n) for n in chosen if row[n] >= least]


def _follows(statement: Statement, other: Statement) -> bool:
    """Whether a statement stands right after another in its document: it then continues it, and seldom denies it."""
    preceding = " ".join(other.text.split())[-BEFORE_CHARACTERS:]
    return bool(statement.context) and statement.context.endswith(preceding)


def repeats(first: Statement, second: Statement) -> bool:
    """Whether two statements have the same words, or one ends with the other, or holds the other, which is cut off.

    What else the longer one has is a heading, or what a copy of the text does not show; the network, which learned that
    texts so alike contradict each other, takes one in four for that. Case counts: "Not all left" does not end with "All
    left"; and "They stop everywhere." is not cut off, though the other goes on "everywhere but here".
    """
    if _words(first.text.casefold()) == _words(second.text.casefold()):
        return True
    shorter, longer = sorted((first.text, second.text), key=len)
    words, others = _words(shorter), _words(longer)
    is_cut_off = f" {words} " in f" {others} " and not _END.search(shorter)
    return len(words.split()) >= FEWEST_REPEATED and (is_cut_off or others.endswith(f" {words}"))


def _words(text: str) -> str:
    """The words of a text in order, without punctuation, marks of footnotes and what groups the digits of a number."""
    return " ".join(_WORD.findall(_NO_WORD.sub("", text)))
