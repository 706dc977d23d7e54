"""Exports and documents made wrong at random end in a refusal or are taken; the long run is the script's."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.fuzz import fuzz
from scripts.fuzz_documents import Documents, corpus
from scripts.fuzz_imports import Imports, sessions
from scripts.watched import Fault, check_line

SLOW = 60.0
"""Seconds that a case may take here, where others work beside it; the script allows 10."""


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Imports:
    return Imports(sessions(tmp_path_factory.mktemp("sessions")))


def test_a_spoilt_export_is_refused_in_a_line_or_is_a_session(imports: Imports, tmp_path: Path) -> None:
    tally = fuzz(imports, range(1, 301), tmp_path, seconds=SLOW)
    assert tally.failures == []
    assert tally.done == 300
    assert tally.outcomes["accepted"] > 30
    assert len([outcome for outcome in tally.outcomes if outcome.startswith("refused")]) > 5


def test_a_spoilt_document_is_refused_in_a_line_or_is_read(tmp_path: Path) -> None:
    tally = fuzz(Documents(corpus()), range(1, 31), tmp_path, processes=1, seconds=SLOW)
    assert tally.failures == []
    assert tally.done == 30
    for outcome in ("refused", "read"):
        assert len([kind for kind in tally.outcomes if kind.startswith(outcome)]) > 3


def test_a_number_makes_the_same_case_each_time(imports: Imports, tmp_path: Path) -> None:
    again = Imports(sessions(tmp_path))
    assert [again.data(number) for number in range(50)] == [imports.data(number) for number in range(50)]
    assert corpus() == corpus()


# -- what is wrong is found ----------------------------------------------------------------------------------


class Planted:
    """Cases that end well, but for the one of which something else is done."""

    def __init__(self, wrong: Callable[[Path], object]) -> None:
        self._wrong = wrong

    def begin(self) -> None:
        """Nothing is to be loaded, but no process that is aborted may leave its memory on disk."""
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)

    def data(self, number: int) -> bytes:
        return str(number).encode()

    def attempt(self, data: bytes, number: int, folder: Path) -> str:
        assert data == str(number).encode()
        (folder / "passing").write_bytes(data)
        (folder / "passing").rename(folder / "gone")
        (folder / "gone").unlink()
        if number == 4:
            self._wrong(folder)
        return "accepted"


def send(data: bytes, host: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sending:
        sending.sendto(data, (host, 9))


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "another exception": (lambda _folder: {}["x"], "KeyError"),
    "two lines": (lambda _folder: check_line("one\ntwo"), "one printable line"),
    "a file left": (lambda folder: (folder / "left").touch(), "left behind"),
    "a file outside": (lambda folder: (folder.parent / "outside").write_text(""), "outside its folder: open"),
    "a folder outside": (lambda folder: (folder / ".." / "outside").mkdir(), "outside its folder: os.mkdir"),
    "a file moved out": (
        lambda folder: (folder.parent / "trace").rename(folder / "in"),
        "outside its folder: os.rename",
    ),
    "by a link": (
        lambda folder: [(folder / "l").symlink_to(".."), (folder / "l" / "x").write_text("")],
        "outside its folder",
    ),
    "a file outside by a link": (
        lambda folder: [(folder / "l").symlink_to("../outside"), (folder / "l").write_text("")],
        "outside its folder: open",
    ),
    "a datagram": (lambda _folder: send(b"x", "127.0.0.1"), "outside its folder: socket.sendto"),
    "a name looked up": (lambda _folder: socket.getaddrinfo("127.0.0.1", 9), "outside its folder: socket.getaddrinfo"),
    "a program": (lambda _folder: subprocess.run(["true"], check=True), "outside its folder: subprocess.Popen"),  # noqa: S607
    "a death": (lambda _folder: os._exit(3), "ended with 3"),
    "a crash in C": (lambda _folder: os.abort(), "Fatal Python error"),
    "much memory": (lambda _folder: bytearray(4_000_000_000), "MemoryError"),
    "a long time": (lambda _folder: time.sleep(2), "took 2."),
    "no end": (lambda _folder: time.sleep(99), "Timeout"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("wrong", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_must_not_happen_is_told_with_its_number(
    tmp_path: Path, wrong: Callable[[Path], object], said: str
) -> None:
    tally = fuzz(Planted(wrong), range(1, 10), tmp_path, seconds=1.5)
    assert [number for number, _why in tally.failures] == [4]
    assert said in tally.failures[0][1]
    assert (tally.done, tally.outcomes["accepted"]) == (9, 8)


@pytest.mark.parametrize(("begins", "said"), [(lambda: {}["x"], "KeyError"), (lambda: time.sleep(99), "Timeout")])
def test_work_that_cannot_begin_is_not_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: Callable[[], object], said: str
) -> None:
    monkeypatch.setattr(Planted, "begin", lambda _self: begins())
    with pytest.raises(RuntimeError, match=f"cannot begin.*{said}"):
        fuzz(Planted(print), range(1, 10), tmp_path, seconds=0.2)


def test_a_refusal_without_a_word_is_a_fault() -> None:
    with pytest.raises(Fault):
        check_line("")
