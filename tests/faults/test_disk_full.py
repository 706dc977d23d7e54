"""A real disk, filled up under running sessions; the long run is the script's."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.disk_full import NOT_HERE, main


@pytest.mark.slow
def test_a_session_whose_disk_was_full_ends_in_words_and_goes_on_to_the_same_end(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    code = main(["--offline", "2", "--scripted", "2"])
    said = "".join(capfd.readouterr())
    if code == NOT_HERE:
        pytest.skip(said)
    assert (code, said.count(", 0 faults")) == (0, 2), said
    assert "full disk 0 times" not in said
