"""Which statements beside an answer the regression learns from, and which of them belong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from memory_bank.judgement.pair_model import FoundAnswer
from memory_bank.judgement.statement import Statement
from tests.judgement.rule_reader import RuleReader
from training.neighbours import _of_question, _pool

TEXT = "Soak the beans. Salt the water. Boil them for an hour. Serve them warm."


class Told(RuleReader):
    """Says of each statement how likely it answers."""

    def answers(self, _question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        chances = {"Soak": 0.6, "Salt": 0.9, "Boil": 0.7, "Serv": 0.1}
        return [FoundAnswer(chances[one.text[:4]], 0, 4) for one in statements]


def test_the_likeliest_that_bears_is_the_answer_and_what_is_likelier_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "beans.md").write_text(TEXT, encoding="utf-8")
    quoted = [["beans.md", "Soak the beans"], ["beans.md", "Boil them for an hour. Serve them"], ["other.md", "Salt"]]
    rows = list(_of_question({"q": "How?", "set": "food", "passages": quoted}, _pool(tmp_path), Told()))
    assert [row.belongs for row in rows] == [True, True]  # the first and the last; salting is likelier than boiling
    assert {row.group for row in rows} == {"food"}
