"""Which claims are compared with the statements of the reference sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement
from memory_bank.session.source_comparison import SourceComparison
from tests.judgement.rule_judge import RuleJudge
from tests.workbench import workbench

SOURCE = Statement("The mill closed in 1968.")


class Recording(RuleJudge):
    """Notes the first statements of the pairs and finds all of them neutral."""

    def __init__(self) -> None:
        super().__init__()
        self.firsts: list[str] = []

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        self.firsts += [first.text for first, _ in pairs]
        return [PairJudgement(0, 1, 0)] * len(pairs)


def test_a_claim_in_a_conflict_is_left_to_its_verification_and_every_other_is_compared_once(tmp_path: Path) -> None:
    library: Any = SimpleNamespace(statements=lambda: (SimpleNamespace(statement=SOURCE),))
    with workbench(tmp_path) as bench:
        bench.put("n1", "the mill", "The mill closed in 1921.", "The mill opened in 1880.")
        bench.put("n2", "the mill, again", "The mill closed in 1955.")
        bench.open_conflict("n1", "n2")
        judge = Recording()
        conflicts, embedder = bench.pipeline.conflicts, bench.recall.embedder
        comparison = SourceComparison(bench.recorder, conflicts, library, embedder, judge, lambda: False)
        assert list(comparison.compare()) == list(comparison.compare()) == []
        assert judge.firsts == ["The mill opened in 1880."]
