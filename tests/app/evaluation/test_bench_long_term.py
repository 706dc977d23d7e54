from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.app.evaluation import bench_long_term
from memory_bank.app.evaluation.bench_long_term import long_term_figures
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure() -> None:
    figures = long_term_figures(scale=0.005)
    assert [figure.target for figure in figures] == ["<= 50 ms", "<= 100 ms", "<= 5 s"]
    assert all(figure.value > 0 for figure in figures)


def test_a_recall_has_all_to_do_that_there_is(tmp_path: Path) -> None:
    """Every query recalls facts and an episode; otherwise a recall would skip some of its work."""
    uri = str(tmp_path / "memory.db")
    asked = bench_long_term._fill(uri, 100)
    store = MilvusStore(uri, "made up", deadline=30)
    memory = LongTermMemory(store, lambda: asked)
    for number in range(len(asked.queries)):
        found = memory.recall(bench_long_term._FIRST_USER, str(number))
        assert (len(found.facts), len(found.episodes)) == (5, 1)
    store.close()
