from __future__ import annotations

import sys

import pytest

from memory_bank.app.evaluation import bench_bank
from memory_bank.search.hash_embedder import HashEmbedder

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_bank, "process_memory", float)
    adding, memory = bench_bank.bank_figures(scale=0.01)
    assert [adding.target, memory.target] == ["<= 1.5", "<= 200 MB"]
    assert adding.value > 0
    assert (memory.value, memory.held) == (100, True)


def test_a_process_says_how_much_a_session_made_it_grow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_bank, "SentenceEmbedder", HashEmbedder)
    monkeypatch.setattr(sys, "argv", ["bench_bank", "5"])
    monkeypatch.setattr(bench_bank, "_own_memory", iter([300.0, 324.5]).__next__)
    bench_bank.main()
    assert capsys.readouterr().out == "24.5\n"


def test_memory_that_is_held_is_counted_in_megabytes() -> None:
    before = bench_bank._own_memory()
    held = b"x" * (64 * 2**20)
    assert bench_bank._own_memory() - before == pytest.approx(len(held) / 2**20, abs=8)
