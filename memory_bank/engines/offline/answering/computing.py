"""Answers that are computed from several passages: a sum, a difference, the days between, how many items a list has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import ANSWERS, Candidate, by_section
from memory_bank.engines.offline.answering.subject import parts_named
from memory_bank.judgement.statement import CONTEXT_SEPARATOR, cells_of
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.arithmetic import (
    Computation,
    Numeral,
    days,
    days_label,
    difference_and_sum,
    numerals,
    result_of,
    sum_label,
    total_of,
)
from memory_bank.text.values.values import values_agree
from memory_bank.text.wording import Wording

WORTH_COMPUTING = 0.2
"""Probability from which a statement may have one of the figures that a question asks about."""
MOST_OPERANDS = 6
"""Most statements, the likeliest, of which two are computed with."""
FEWEST_ITEMS, MOST_ITEMS = 2, 20

T = TypeVar("T")


def computed_as_asked(
    computation: Computation, ranked: Sequence[Candidate], aside: set[CandidatePassage]
) -> Candidate | None:
    """What the two likeliest passages come to that have figures of one unit, or dates; None where no two have.

    One of the two must answer the question, at least in part: the other often shares few words with it. Of equal
    figures of two documents, which tell one thing twice, there is no sum.
    """
    likely = [one for one in ranked if one.passage not in aside and one.probability >= WORTH_COMPUTING][:MOST_OPERANDS]
    pairs = sorted(combinations(likely, 2), key=lambda pair: -pair[0].probability * pair[1].probability)
    for first, second in pairs:
        elsewhere = first.passage.document != second.passage.document
        if computation is Computation.SUM and elsewhere and values_agree(first.passage.text, second.passage.text):
            continue
        label = result_of(computation, first.passage.text, second.passage.text)
        if label and first.probability >= ANSWERS:
            return replace(first, label=label, beside=(second.passage,))
    return None


def computed_from_parts(asked: str, ranked: Sequence[Candidate], aside: set[CandidatePassage]) -> Candidate | None:
    """What the figures or days of the things that a question names come to; None where they cannot be computed with.

    Each part of the question takes the likeliest passage that shares its words rather than those of the other parts;
    one of them must answer. A passage that has the words of all parts answers by itself.
    """
    likely = [one for one in ranked if one.passage not in aside and one.probability >= WORTH_COMPUTING]
    own = [part.words for part in parts_named(asked, [one.passage.text for one in likely])]
    found = [part for n in range(len(own)) if (part := _likeliest(n, own, likely)) is not None]
    if len(own) < 2 or len(found) < len(own) or all(part.probability < ANSWERS for part in found):
        return None
    words = [_words(part) for part in found]
    if not all((own[n] & words[n]).difference(*words[:n], *words[n + 1 :]) for n in range(len(own))):
        return None  # one shares no word with its part of the question that no other has
    label = _computed(found)
    return replace(found[0], label=label, beside=tuple(part.passage for part in found[1:])) if label else None


def computed_from_list(asked: str, pool: Sequence[CandidatePassage]) -> Candidate | None:
    """How many items the list has that a question is about, and what they add up to; None where there is no such list.

    It is about a list whose heading has all words of the question that stand anywhere in the list and its heading. Of a
    list whose items have no sum they must be half of the question's words.
    """
    wanted = set(tokenize(asked))
    found = []
    for section in by_section(passage for passage in pool if passage.item):
        items, total = _total(section, wanted)
        heading = set(tokenize(section[0].lead))
        named = wanted & heading
        enough = named and (total or 2 * len(named) >= len(wanted))
        if enough and named == wanted & heading.union(*(tokenize(item.text) for item in items)):
            found.append((len(named), items, total))
    if not found:
        return None
    _, items, total = max(found, key=lambda one: one[0])
    if not FEWEST_ITEMS <= len(items) <= MOST_ITEMS:
        return None
    label = Wording("{n} items, sum {sum}", n=len(items), sum=total) if total else Wording("{n} items", n=len(items))
    return Candidate(items[0], 1.0, label=label, beside=tuple(items[1:]))


def _words(candidate: Candidate) -> set[str]:
    return set(tokenize(candidate.passage.text))


def _likeliest(n: int, own: Sequence[set[str]], likely: Sequence[Candidate]) -> Candidate | None:
    """The likeliest passage on the nth part of a question that has a figure or a day."""
    # A word that several passages have says less of which part one is about.
    frequency = Counter(word for candidate in likely for word in _words(candidate))
    for candidate in likely:
        words = _words(candidate)
        shared = [sum(1 / frequency[word] for word in part & words) for part in own]
        alone = all(shared[n] > other for place, other in enumerate(shared) if place != n)
        if alone and (_single(numerals, candidate) is not None or _single(days, candidate) is not None):
            return candidate
    return None


def _computed(parts: Sequence[Candidate]) -> str | None:
    """What the parts come to: the figures where all have one of the same unit, else the days where all have one."""
    dated = [day for part in parts if (day := _single(days, part)) is not None]
    if len(dated) == len(parts) == 2 and not all(numerals(part.answer) for part in parts):
        return days_label(abs((dated[0] - dated[1]).days))
    figured = [figure for part in parts if (figure := _single(numerals, part)) is not None]
    if len(figured) < len(parts):
        return None
    return difference_and_sum(*figured) if len(figured) == 2 else sum_label(figured)


def _single(read: Callable[[str], list[T]], candidate: Candidate) -> T | None:
    """The only figure, or day, in the words that answer, or else in the passage; None unless there is exactly one."""
    found = (read(text) for text in (candidate.answer, candidate.passage.text))
    return next((one for one, *others in filter(None, found) if not others), None)


def _total(items: list[CandidatePassage], wanted: set[str]) -> tuple[list[CandidatePassage], str | None]:
    """The items and what their figures add up to; a last item that is the sum of all others is left out."""
    columns = _columns(items, wanted)
    units = Counter(figure.unit for figure in columns)
    if len(columns) != len(items) or len(units) != 1:
        return items, None
    if len(items) > FEWEST_ITEMS and columns[-1].number == sum(figure.number for figure in columns[:-1]):
        items, columns = items[:-1], columns[:-1]
    return items, total_of(columns)


def _columns(items: Sequence[CandidatePassage], wanted: set[str]) -> list[Numeral]:
    """The one figure of each item; of rows of a table, that of the one column of figures or of the one asked about."""
    rows = [[numerals(cell) for cell in cells_of(item.text)] for item in items]
    width = min(len(row) for row in rows)
    columns = [n for n in range(width) if all(len(row[n]) == 1 for row in rows)]
    if len(columns) > 1:
        heads = cells_of(items[0].context.rpartition(CONTEXT_SEPARATOR)[2])
        columns = [n for n in columns if n < len(heads) and wanted & set(tokenize(heads[n]))]
    return [row[columns[0]][0] for row in rows] if len(columns) == 1 else []
