"""The options of `bench`, on invented figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from memory_bank.app.cli import main
from memory_bank.app.evaluation import bench
from memory_bank.app.evaluation.bench_history import read_runs
from memory_bank.app.evaluation.bench_options import add_bench_options
from memory_bank.app.evaluation.bench_run import bench_run
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.timing import Pairs
from memory_bank.bank.errors import UsageError

pytestmark = pytest.mark.slow


def figures(ratio: float) -> list[Figure]:
    return [Figure.within("adding", "µs", Pairs((ratio, ratio * 1.01, *[ratio] * 3), (1,) * 5), 2)]


def told(ratio: float, *options: str) -> tuple[str, bool]:
    parser = argparse.ArgumentParser()
    add_bench_options(parser)
    return bench_run(parser.parse_args(options), lambda: figures(ratio))


def test_a_run_is_added_and_the_next_compared_with_those_before_it(tmp_path: Path) -> None:
    options = ("--history", str(tmp_path / "runs.jsonl"), "--compare", str(tmp_path / "runs.jsonl"))
    results = [told(ratio, *options) for ratio in (1, 1.02, 1.6, 1)]
    assert [good for _text, good in results] == [True, True, False, True]
    for (text, _good), verdict in zip(results, ("new", "within noise", "slower", "within noise"), strict=True):
        assert text.splitlines()[-1].startswith(verdict)
    assert [run.figures[0].ratio for run in read_runs(tmp_path / "runs.jsonl")] == [1, 1.02, 1.6, 1]


def test_without_a_comparison_only_the_targets_count(tmp_path: Path) -> None:
    told(1, "--history", str(tmp_path / "runs.jsonl"))
    assert told(1.6)[1]
    text, good = told(2.5)
    assert not good
    assert text.startswith("MISSED")


def test_a_history_that_cannot_be_read_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_text("no run\n")
    parser = argparse.ArgumentParser()
    add_bench_options(parser)
    for option in ("--history", "--compare"):
        with pytest.raises(UsageError, match="line 1 is no run"):
            bench_run(parser.parse_args([option, str(tmp_path / "runs.jsonl")]), lambda: pytest.fail("measured"))


@pytest.mark.parametrize("option", ["--history", "--json"])
@pytest.mark.parametrize("file", ["missing/runs.jsonl", "."])
def test_a_place_where_no_file_can_be_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, file: str
) -> None:
    with pytest.raises(SystemExit):
        told(1, option, str(tmp_path / file))
    assert "name another file" in capsys.readouterr().err


def test_the_command_measures_the_parts_it_is_told_to_and_ends_as_the_figures_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {"good": lambda: figures(1), "bad": lambda: figures(3)}
    monkeypatch.setattr(bench, "PARTS", parts)
    assert main(["bench"]) == 1
    assert main(["bench", "--only", "good", "--json", str(tmp_path / "out.json")]) == 0
    assert len(json.loads((tmp_path / "out.json").read_text())) == 1
    assert main(["bench", "--only", "other"]) == 2
    assert "bench has no part 'other'; it has good, bad" in capsys.readouterr().err
