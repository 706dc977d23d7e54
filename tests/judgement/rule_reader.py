"""A reader by a rule in place of the trained one: a statement answers that has nearly all words of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.pair_model import FoundAnswer
from memory_bank.judgement.statement import Statement
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.arithmetic import Computation

_KINDS = (
    (r"^(?:what|which|who|when|how|where)\b.*(?:,| and) (?:what|who|when|how)\b", TaskKind.SEVERAL),
    (r"summari[sz]e|about\?|总结", TaskKind.SUMMARY),
    (r"^how (?:do|is|to)\b", TaskKind.HOW),
    (r"time line|all dates", TaskKind.DATES),
    (r"^(?:list|name)\b", TaskKind.LIST),
    (r"^write\b", TaskKind.BEYOND),
)


class RuleReader:
    """A statement that has most of the question's words answers for certain, the more of them the likelier."""

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        asked = set(tokenize(question)) - {"name", "list", "date", "all", "时", "何", "何时"}
        found = []
        for one in statements:
            said = set(tokenize(one.text))
            share = len(asked & said) / max(1, len(asked))
            found.append(FoundAnswer((1 + share if share >= 0.6 else share) / 2, 0, len(one.text)))
        return found

    def kind(self, task: str) -> TaskKind:
        return next((kind for rule, kind in _KINDS if re.search(rule, task.lower())), TaskKind.FACT)

    def computation(self, question: str) -> Computation:
        return Computation.DIFFERENCE if question.lower().startswith("by how much") else Computation.NONE
