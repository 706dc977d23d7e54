"""Real processes, killed with `SIGKILL` at random moments, go on to the same end; the long run is the script's."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.kill_runs import Place, kill, measure


@pytest.mark.slow
@pytest.mark.parametrize(("scripted", "runs"), [(False, 5), (True, 3)], ids=["offline", "scripted"])
def test_a_session_that_is_killed_loses_nothing_and_does_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, scripted: bool, runs: int
) -> None:
    assert measure(kill, "killed", runs, 7, Place(tmp_path, scripted)) == []
    said = capsys.readouterr().out
    assert f"{runs} sessions killed" in said
    assert "killed 0 times" not in said
