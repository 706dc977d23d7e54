from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.app.evaluation.bench_history import Machine, Run, read_runs
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.timing import Pairs
from memory_bank.bank.errors import UsageError

pytestmark = pytest.mark.slow

FIGURES = [Figure.within("adding", "µs", Pairs((15, 16, 14), (10, 10, 10)), 1.5), Figure.most("memory", "MB", 3, 4)]


def test_runs_come_back_from_the_file_as_they_were_added(tmp_path: Path) -> None:
    file, runs = tmp_path / "runs.jsonl", [Run.of(FIGURES), Run.of(FIGURES[:1])]
    assert read_runs(file) == []
    for run in runs:
        run.add_to(file)
    assert read_runs(file) == runs
    assert len(file.read_text().splitlines()) == 2


def test_each_row_of_the_json_says_what_was_measured_of_what_commit_and_where() -> None:
    run = Run.of(FIGURES)
    timed, counted = json.loads(json.dumps(run.rows()))
    assert timed["machine"] == Machine.this().model_dump()
    assert (timed["commit"], timed["repeats"], timed["spread"]) == (run.commit, 3, [1.4, 1.6])
    assert (timed["value"], timed["reference"], timed["ratio"], timed["held"]) == (15, 10, 1.5, True)
    assert (counted["value"], counted["reference"], counted["ratio"]) == (3, None, None)


@pytest.mark.parametrize("line", ["", "no json", "[]", '{"commit": "a"}'])
def test_a_line_that_is_no_run_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "runs.jsonl"
    Run.of(FIGURES).add_to(file)
    with file.open("a") as history:
        history.write(line + "\n")
    with pytest.raises(UsageError, match="line 2 is no run of bench"):
        read_runs(file)


def test_a_machine_is_known_by_its_kind_and_not_by_its_name() -> None:
    machine = Machine.this()
    assert machine.cores >= 1
    assert set(machine.model_dump()) == {"cores", "python", "platform"}
