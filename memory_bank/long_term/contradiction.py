"""Whether two facts cannot both hold, judged by the embedded engine: like is compared with like (section 5)."""

from __future__ import annotations

import re

from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.statement import Statement
from memory_bank.long_term.record import Fact
from memory_bank.modules.tokens import tokenize
from memory_bank.values.values import Agreement, Value, agreement, extract_values

_WORD = re.compile(r"\w+")
_SIGNS = re.compile(r"[\u2e80-\uffff]")


def contradiction(stored: Fact, new: Fact, judge: PairJudge) -> str | None:
    """In what two facts contradict each other, in a line for a person; None where they do not, or it cannot be told.

    A context that the other fact does not mention may be of something else: nothing is told of the two then.
    """
    if not (_of(stored) <= _words(new) and _of(new) <= _words(stored)):
        return None
    topic = stored.context or new.context
    pair = (Statement(stored.content, topic), Statement(new.content, topic))
    if judge_both_ways([pair], judge)[0] < judge.conflict_between:
        return None
    return f"“{stored.content}” – “{new.content}”"


def other_values(stored: str, new: str) -> bool:
    """Whether each text gives a number, a date or a name that the other does not: however alike, they are two."""
    left, right = extract_values(stored), extract_values(new)
    return _lacks(left, right) and _lacks(right, left)


def told_again(stored: str, new: str) -> bool:
    """Whether two texts whose vectors are alike may say the same.

    Other words in the same order of things may; the same words in another order do not ("tea over coffee"). Of Chinese
    and the like a model that knows too few signs gives one vector to many texts: there only equal words are the same.
    """
    left, right = _WORD.findall(stored.casefold()), _WORD.findall(new.casefold())
    if left == right:
        return True
    return sorted(left) != sorted(right) and not _SIGNS.search(stored + new)


def _lacks(values: tuple[Value, ...], others: tuple[Value, ...]) -> bool:
    return any(all(agreement(value, other) is not Agreement.SAME for other in others) for value in values)


def _of(fact: Fact) -> set[str]:
    return set(tokenize(fact.context))


def _words(fact: Fact) -> set[str]:
    return set(tokenize(fact.text))
