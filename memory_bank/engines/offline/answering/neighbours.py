"""What belongs to an answer of the statements around it: the second half of a reason, the next step, the condition.

Most of what bears on a question beside the statement that answers it stands next to that. Whether a neighbour belongs
to the answer is told by a logistic regression (`python -m training.neighbours`) on how likely it answers by itself,
where it stands, and the kind of question.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from memory_bank.bank.task_kind import KINDS, TaskKind
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate, log_odds, read_passages
from memory_bank.judgement.reader import Reader

REACH = 3
"""How many statements before and after an answer are looked at."""
BELONGS = 0.3
"""Probability from which one belongs to it."""
_BETWEEN_SENTENCES = re.compile(r"[^\S\n]*\n?[^\S\n]*")
"""What stands between two sentences of a paragraph."""


def around(passage: CandidatePassage, pool: Sequence[CandidatePassage]) -> list[CandidatePassage]:
    """A passage and those up to `REACH` places from it in its document, in their order."""
    in_order = sorted((one for one in pool if one.document == passage.document), key=lambda one: one.position)
    place = in_order.index(passage)
    return in_order[max(0, place - REACH) : place + REACH + 1]


def belonging(
    kind: TaskKind, question: str, passage: CandidatePassage, pool: Sequence[CandidatePassage], reader: Reader
) -> list[Candidate]:
    """The passages around an answer that belong to it."""
    near = around(passage, pool)
    rows = neighbour_features(kind, read_passages(question, near, reader), near.index(passage))
    weights, bias = _fitted()
    return [
        one
        for one, values in rows
        if one.passage.stands_alone and bias + sum(map(operator.mul, weights, values)) >= log_odds(BELONGS)
    ]


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
            odds = [log_odds(one.probability), log_odds(answer.probability)]
            rows.append((one, [*odds, float(one_paragraph), float(in_list), float(in_section), *distances, *of_kind]))
    return rows


def _in_one_paragraph(one: CandidatePassage, following: CandidatePassage) -> bool:
    """Whether two sentences follow each other in a paragraph, neither of them an entry of a list."""
    if one.entry.id != following.entry.id or one.item or following.item:
        return False
    return _BETWEEN_SENTENCES.fullmatch(one.entry.text[one.span.end : following.span.start]) is not None


@lru_cache(maxsize=1)
def _fitted() -> tuple[list[float], float]:
    """The weights and the bias of the regression."""
    read = json.loads((files("memory_bank.judgement") / "data" / "neighbours.json").read_text(encoding="utf-8"))
    return read["weights"], read["bias"]
