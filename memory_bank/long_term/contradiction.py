"""Compare two facts: whether they contradict each other, differ in a value, or repeat each other."""

from __future__ import annotations

import re

from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.statement import Statement
from memory_bank.long_term.record import Fact
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import Agreement, TextValue, agreement, extract_values

_WORD = re.compile(r"\w+")
_NON_ALPHABETIC = re.compile(r"[\u2e80-\uffff]")


def contradiction(stored: Fact, new: Fact, judge: PairJudge) -> str | None:
    """A description of the contradiction between two facts, in one line; None where there is none or it is unclear.

    If one fact has a context that the other does not mention, they may be about different things: that is unclear.
    """
    stored_words, new_words = set(tokenize(stored.text)), set(tokenize(new.text))
    if not (set(tokenize(stored.context)) <= new_words and set(tokenize(new.context)) <= stored_words):
        return None
    topic = stored.context or new.context
    pair = (Statement(stored.content, topic), Statement(new.content, topic))
    if judge_both_ways([pair], judge)[0] < judge.conflict_between:
        return None
    return f"“{stored.content}” – “{new.content}”"


def values_differ(stored: str, new: str) -> bool:
    """Whether each text has a number, date or name that the other lacks: then they are different facts."""
    left, right = extract_values(stored), extract_values(new)
    return _lacks(left, right) and _lacks(right, left)


def may_say_the_same(stored: str, new: str) -> bool:
    """Whether two texts with similar vectors may say the same.

    Different words may; the same words in another order do not ("tea over coffee"). For Chinese and other scripts with
    many characters, a model that knows too few of them gives many texts one vector: only equal words count as the same.
    """
    left, right = _WORD.findall(stored.casefold()), _WORD.findall(new.casefold())
    if left == right:
        return True
    return sorted(left) != sorted(right) and not _NON_ALPHABETIC.search(stored + new)


def _lacks(values: tuple[TextValue, ...], others: tuple[TextValue, ...]) -> bool:
    return any(all(agreement(value, other) is not Agreement.SAME for other in others) for value in values)
