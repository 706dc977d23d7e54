"""Each store once for all tests of it: users are what keeps the tests apart."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.store import Store
from tests.long_term.in_memory import InMemoryStore

MODEL = "hash"
_users = count()


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user that no other test has."""
    return f'user {next(_users)} " or 1==1'


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class LiteServer:
    """Milvus Lite as a server of its own, which can be stopped and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = ["-m", "milvus_lite", "server", "--host", "127.0.0.1", "--port", str(self._port)]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            [sys.executable, *command, "--data-dir", str(self._folder)],
            stdout=quiet,
            stderr=quiet,
            env=dict(os.environ),
        )
        eventually(lambda: socket.create_connection(("127.0.0.1", self._port), timeout=1).close())

    def stop(self) -> None:
        """Kill it in the midst of whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @contextmanager
    def halted(self) -> Iterator[None]:
        """It stays, takes connections, and answers nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


@pytest.fixture
def milvus_server(tmp_path: Path) -> Iterator[LiteServer]:
    """A server with nothing in it, of this test alone: to be stopped and started again."""
    server = LiteServer(tmp_path / "served")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def lite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiteServer]:
    server = LiteServer(tmp_path_factory.mktemp("served"))
    server.start()
    yield server
    server.stop()


def eventually(work: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a server is up."""
    end = time.monotonic() + seconds
    while True:
        try:
            work()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="session", params=["in memory", "a file of Milvus Lite", "a Milvus server"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Every implementation."""
    found: Store
    if request.param == "in memory":
        found = InMemoryStore(MODEL)
    elif request.param == "a file of Milvus Lite":
        found = MilvusStore(str(tmp_path_factory.mktemp("kept") / "memory.db"), MODEL, deadline=30)
    else:
        server: LiteServer = request.getfixturevalue("lite_server")
        found = MilvusStore(server.uri, MODEL, deadline=30)
    yield found
    found.close()
