from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.app.cli import main
from memory_bank.app.evaluation import bench
from memory_bank.app.evaluation.figures import Figure, Pairs


def test_within_divides_the_figure_by_the_reference() -> None:
    figure = Figure.of("retrieval", "µs", Pairs((15,), (10,)), ("within", 1.5))
    assert (figure.ratio, figure.target, figure.held) == (1.5, "<= 1.5", True)
    assert not Figure.of("retrieval", "µs", Pairs((16,), (10,)), ("within", 1.5)).held


def test_most_and_least_are_limits_in_the_figures_own_unit() -> None:
    figure = Figure.of("recall", "ms", Pairs((50,), (2,)), ("most", 50))
    assert (figure.ratio, figure.target, figure.held) == (25, "<= 50 ms", True)
    assert not Figure.of("recall", "ms", Pairs((50.5,), (2,)), ("most", 50)).held
    memory = Figure.of("memory", "MB", 200, ("most", 200))
    assert (memory.reference, memory.ratio, memory.spread) == (None, None, (200, 200))
    assert memory.held
    assert not Figure.of("memory", "MB", 200.5, ("most", 200)).held
    assert Figure.of("recall", "of 1", 0.95, ("least", 0.95)).held
    assert not Figure.of("recall", "of 1", 0.94, ("least", 0.95)).held


def test_a_figure_without_a_target_is_watched() -> None:
    figure = Figure.of("opening", "s", Pairs((15,), (10,)))
    assert (figure.ratio, figure.target, figure.held) == (1.5, "", True)


def test_a_machine_that_becomes_slower_changes_the_times_and_not_the_ratio() -> None:
    """Each value is compared with the reference measured beside it, which became slower too."""
    figure = Figure.of("adding", "s", Pairs((2, 2, 6, 6, 2), (1, 1, 3, 3, 1)), ("within", 2))
    assert (figure.ratio, figure.spread) == (2, (2, 2))


def test_one_slow_moment_shows_in_the_spread_alone() -> None:
    figure = Figure.of("adding", "s", Pairs((1, 1, 5), (10, 10, 10)), ("within", 1))
    assert (figure.ratio, figure.spread) == (0.1, (0.1, 0.5))


@pytest.mark.slow
def test_the_command_measures_the_parts_it_is_told_to_and_ends_as_the_figures_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def figures(ratio: float) -> list[Figure]:
        return [Figure.of("adding", "µs", Pairs((ratio,), (1,)), ("within", 2))]

    monkeypatch.setattr(bench, "PARTS", {"good": lambda: figures(1), "bad": lambda: figures(3)})
    assert main(["bench"]) == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["held", "MISSED"]
    assert main(["bench", "--only", "good", "--json", str(tmp_path / "out.json")]) == 0
    assert len(json.loads((tmp_path / "out.json").read_text())) == 1
    assert main(["bench", "--only", "other"]) == 2
    assert "bench has no part 'other'; it has good, bad" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["missing/out.json", "."])
def test_a_place_where_no_file_can_be_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "--json", str(tmp_path / file)])
    assert "name another file" in capsys.readouterr().err
