"""The process that reads a file, forked from one that has loaded the readers: a start costs milliseconds.

`ForkedProcess` stands in for `subprocess.Popen` where the reading process is started; what runs in it is the same.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import IO

from memory_bank.documents import worker
from memory_bank.documents.sandbox import ROOT, environment
from scripts.watched import Watch


@cache
def _server() -> socket.socket:
    """The one that forks, begun by whoever asks first; it ends with that process."""
    here, there = socket.socketpair()
    command = [sys.executable, "-B", "-m", "scripts.forked_reader"]  # bytecode that a reader writes would be a fault
    with there:
        subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=there)  # noqa: S603 - nothing comes from outside
    return here


def begin() -> None:
    """Have the one that forks begin, and wait until it has loaded all."""
    _server().recv(1)


class ForkedProcess:
    """As much of `subprocess.Popen` as the reading of a document uses. `told` is what it may not have done."""

    told = ""

    def __init__(self, *_command: object, **_options: object) -> None:
        given, self._sends = os.pipe()
        self._receives, taken = os.pipe()
        self._hears, tells = os.pipe()
        socket.send_fds(_server(), [b"r"], [given, taken, tells])
        for end in (given, taken, tells):
            os.close(end)
        self.stdin: IO[bytes] = os.fdopen(self._sends, "wb")
        self.stdout: IO[bytes] = os.fdopen(self._receives, "rb")
        self._pid = int.from_bytes(_server().recv(8))

    def kill(self) -> None:
        """End it; it may have ended already."""
        os.kill(self._pid, signal.SIGKILL)  # its number is not given to another before it was waited for

    def __enter__(self) -> ForkedProcess:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close its pipes, and wait until it has ended."""
        self.stdout.close()
        try:
            self.stdin.close()
        finally:
            _server().send(b"w")
            _server().recv(1)
            with os.fdopen(self._hears, "rb") as heard:
                ForkedProcess.told += heard.read().decode()


def _serve() -> None:
    """Fork a reader whenever asked to, with the pipes that are given."""
    control = socket.socket(fileno=0)
    control.send(b"b")
    while True:
        message, pipes, _flags, _address = socket.recv_fds(control, 1, 3)
        if not message:
            return
        child = os.fork()
        if child == 0:
            _read(*pipes)
        for pipe in pipes:
            os.close(pipe)
        control.send(child.to_bytes(8))
        control.recv(1)
        os.waitpid(child, 0)
        control.send(b"w")


def _read(given: int, taken: int, tells: int) -> None:
    """Be the reading process."""
    os.dup2(given, 0)
    os.dup2(taken, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for end in (given, taken):
        os.close(end)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    Watch(Path(os.devnull), lambda text: os.write(tells, text.encode()))
    code = 1
    try:
        code = worker.serve_request()
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve()
