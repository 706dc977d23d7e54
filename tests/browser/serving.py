"""The app as a person meets it: a server of its own, and Debian's Chromium that talks to nobody else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
_QUIET = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication",
)


@dataclass(frozen=True)
class Served:
    """A running server: where it is, where it keeps sessions, and its process."""

    url: str
    store: Path
    pid: int

    def address(self, session_id: str) -> str:
        """The address of a session."""
        return f"{self.url}/?run={session_id}"


def launch(playwright: Playwright) -> Browser:
    """Start Chromium, which must be installed already."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(_QUIET))


@contextmanager
def serving(folder: Path, secrets: str = "") -> Iterator[Served]:
    """A server of the app with a store in the folder, and secrets of its own; its log lies beside it."""
    port = _free_port()
    store = folder / "sessions"
    options = ["--server.port", str(port), "--server.headless", "true", "--server.address", "127.0.0.1"]
    if secrets:
        (folder / "secrets.toml").write_text(secrets, encoding="utf-8")
        options += ["--secrets.files", str(folder / "secrets.toml")]
    environment = {**os.environ, "STORAGE_DIR": str(store), "AUTHLIB_INSECURE_TRANSPORT": "1"}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "memory_bank", "serve", *options],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield Served(f"http://127.0.0.1:{port}", store, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(url: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended at once, with code {process.returncode}; see server.log")
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"{url} did not answer within {seconds:.0f} s")
