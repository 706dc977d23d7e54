"""What belongs to an answer of the statements around it: the second half of a reason, the next step, the condition.

Most of what bears on a question beside the statement that answers it stands near that. Whether a neighbour belongs
to the answer is told by a logistic regression (`python -m training.neighbours`) on how likely it answers by itself,
where it stands, and the kind of question.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from itertools import pairwise

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.task_kind import KINDS, TaskKind
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import (
    LIST_KINDS,
    Candidate,
    is_of_days,
    log_odds,
    position_of,
    read_passages,
)
from memory_bank.judgement.reader import Reader
from memory_bank.judgement.regression import fitted
from memory_bank.text.values.values import dates_in

REACH = 3
"""How many statements before and after an answer are looked at."""
BELONGS = 0.3
"""Probability from which one belongs to it."""
CERTAIN_ODDS = 5.0
"""Log odds from which an answer is certain, and below minus which none."""
_BETWEEN_SENTENCES = re.compile(r"[^\S\n]*\n?[^\S\n]*")
"""What stands between two sentences of a paragraph."""


def around(passage: CandidatePassage, pool: Sequence[CandidatePassage]) -> list[CandidatePassage]:
    """A passage and those up to `REACH` places from it in its document, or in its turn of a chat, in their order.

    Not beyond a gap: memory may have found only some entries of a document.
    """
    same = (one for one in pool if one.document == passage.document and one.turn == passage.turn)
    by_place = {one.position: one for one in same} | {passage.position: passage}
    in_order = [by_place[place] for place in sorted(by_place)]
    first = last = in_order.index(passage)
    least, most = max(0, first - REACH), min(len(in_order) - 1, last + REACH)
    while first > least and _joined(in_order[first - 1].entry, in_order[first].entry):
        first -= 1
    while last < most and _joined(in_order[last].entry, in_order[last + 1].entry):
        last += 1
    return in_order[first : last + 1]


def belonging(
    kind: TaskKind, question: str, passage: CandidatePassage, pool: Sequence[CandidatePassage], reader: Reader
) -> list[Candidate]:
    """The passages around an answer that belong to it; none that stands under a heading of other days than asked."""
    near, days = around(passage, pool), dates_in(question)
    rows = neighbour_features(kind, read_passages(question, near, reader), near.index(passage))
    weights, bias = fitted("neighbours")
    return [
        one
        for one, values in rows
        if one.passage.stands_alone
        and is_of_days(one.passage, days)
        and bias + sum(map(operator.mul, weights, values)) >= log_odds(BELONGS)
    ]


def with_belonging(
    kind: TaskKind, answers: Sequence[Candidate], first: Candidate, belong: Sequence[Candidate]
) -> list[Candidate]:
    """The answers with what belongs to one of them after it; the steps or the list of its document in their order."""
    place = next(n for n, one in enumerate(answers) if one is first) + 1
    whole = [*answers[:place], *sorted(belong, key=position_of), *answers[place:]]
    if kind is not TaskKind.HOW and kind not in LIST_KINDS:
        return whole
    own = [one for one in whole if one.passage.document == first.passage.document]
    return [*sorted(own, key=position_of), *(one for one in whole if one not in own)]


def neighbour_features(kind: TaskKind, near: Sequence[Candidate], place: int) -> list[tuple[Candidate, list[float]]]:
    """What the regression reads of each passage around the one at a place, which answers."""
    answer, rows = near[place], []
    of_kind = [float(kind is each) for each in KINDS]
    for n, one in enumerate(near):
        if n != place:
            between = [each.passage for each in near[min(n, place) : max(n, place) + 1]]
            one_paragraph = all(_in_one_paragraph(*pair) for pair in pairwise(between))
            in_section = one.passage.section == answer.passage.section
            in_list = in_section and one.passage.item and answer.passage.item
            distances = [float(n - place == each) for each in range(-REACH, REACH + 1) if each]
            odds = [max(-CERTAIN_ODDS, min(CERTAIN_ODDS, log_odds(each.probability))) for each in (one, answer)]
            rows.append((one, [*odds, float(one_paragraph), float(in_list), float(in_section), *distances, *of_kind]))
    return rows


def _joined(entry: Entry, following: Entry) -> bool:
    """Whether an entry is the other, or begins where that ends."""
    starts = [one.metadata.get("start") for one in (entry, following)]
    follows = isinstance(starts[0], int) and starts[1] == starts[0] + len(entry.text)
    return entry.id == following.id or follows


def _in_one_paragraph(one: CandidatePassage, following: CandidatePassage) -> bool:
    """Whether two sentences follow each other in a paragraph, neither of them an entry of a list."""
    if one.entry.id != following.entry.id or one.item or following.item:
        return False
    return _BETWEEN_SENTENCES.fullmatch(one.entry.text[one.span.end : following.span.start]) is not None
