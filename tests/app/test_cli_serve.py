"""`serve` passes its options to Streamlit and becomes the server; other commands reject unknown options."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from memory_bank.app.cli import main

ROOT = Path(__file__).parents[2]
PORT = ["--server.port", "8601", "--server.headless", "true"]


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ([], []),
        (PORT, PORT),
        (["--", *PORT], PORT),
        (["--server.port=8601", "--he", "x"], ["--server.port=8601", "--he", "x"]),
        ([*PORT, "--", "--for-the-page"], [*PORT, "--", "--for-the-page"]),
    ],
)
def test_options_go_to_streamlit_in_their_order(
    given: list[str], passed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    became: list[list[str]] = []

    def become(program: str, arguments: list[str]) -> None:
        became.append([program, *arguments])
        raise KeyboardInterrupt  # ends `main`, as the real `execv` does

    monkeypatch.setattr(os, "execv", become)
    main(["serve", *given])
    assert became == [[sys.executable, sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), *passed]]


@pytest.mark.parametrize("arguments", [["replay", "x.json", "--server.port", "8601"], ["bench", "--", "now"]])
def test_no_other_command_takes_what_it_does_not_know(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


@pytest.mark.slow
def test_the_page_answers_on_the_port_that_is_asked_for_and_ends_when_it_is_told_to() -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    options = ["--server.port", str(port), "--server.headless", "true", "--server.address", "127.0.0.1"]
    serving = subprocess.Popen(
        [sys.executable, "-m", "memory_bank", "serve", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert answered(f"http://127.0.0.1:{port}/_stcore/health", serving)
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.wait(timeout=20)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2)


def answered(url: str, serving: subprocess.Popen[bytes], seconds: float = 60) -> bool:
    """Whether a server answers within this number of seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and serving.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            time.sleep(0.2)
    return False
