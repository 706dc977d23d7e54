"""A connection to Milvus: a file of Milvus Lite, a server or a cluster, through one client.

Everything that can go wrong is a `LongTermError` within the deadline. A connection that broke is made anew at the next
call, so that memory works again when the server is back.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from memory_bank.errors import LongTermError
from memory_bank.modules.pymilvus_library import load_pymilvus, load_with_settings
from memory_bank.one_line import one_line

DEADLINE = 5.0
"""Seconds that a reading call may take."""
WRITING = 6
"""How many times as long a writing call may take: now and then Milvus Lite writes a whole file before it answers."""
_LITE = ".db"
_BETWEEN_TRIES = 0.1
_SHORTEST = 0.05

Client = Any
"""A `pymilvus.MilvusClient`: the library is loaded when it is first needed."""
Left = Callable[[], float]
Result = TypeVar("Result")


class MilvusConnection:
    """One client, shared by all threads. `prepare` is called with each new client before anything else."""

    def __init__(self, uri: str, prepare: Callable[[Client, Left], None], deadline: float = DEADLINE) -> None:
        self._uri, self._prepare, self._deadline = uri, prepare, deadline
        self._client: Client | None = None
        self._holds_file = False
        self._connecting = threading.Lock()

    @property
    def is_file(self) -> bool:
        """Whether it is a file of Milvus Lite, which this process alone has open."""
        return self._uri.endswith(_LITE) and "://" not in self._uri

    @property
    def place(self) -> str:
        """Where it is, for a person, without a name or a password that the address may hold."""
        if self.is_file or self._uri.startswith("unix:"):
            return self._uri
        return self._uri.partition("://")[2].rpartition("@")[2].partition("/")[0]

    def call(self, operation: Callable[[Client, Left], Result], patience: int = 1) -> Result:
        """The result of an operation, which is given the client and how many seconds are left; tried twice.

        `patience` is how many deadlines it may take. `LongTermError` says that it could not be had. An operation must
        do no harm when it is done again.
        """
        end = time.monotonic() + patience * self._deadline

        def left() -> float:
            return max(end - time.monotonic(), _SHORTEST)

        try:
            try:
                return operation(self._connected(left), left)
            except _faults():
                self._drop()  # the server may have been restarted: what is known of it counts no more
                if left() <= _SHORTEST:
                    raise
                return operation(self._connected(left), left)
        except _faults() as error:
            self._drop()
            raise LongTermError(
                f"long-term memory at {self.place} could not be reached or did not do it ({_reason(error)}); "
                "go on without it, or check LONG_TERM_URI"
            ) from error

    def close(self) -> None:
        """End the connection; a file is let go of, so that another process may open it."""
        self._drop()
        if self._holds_file:
            self._holds_file = False
            importlib.import_module("milvus_lite").server_manager_instance.release_server(self._uri)

    def _connected(self, left: Left) -> Client:
        with self._connecting:
            if self._client is None:
                client = self._open(left)
                self._prepare(client, left)
                self._client = client
            return self._client

    def _open(self, left: Left) -> Client:
        """A new client. Another process that has the file open may be done with it soon: it is waited for."""
        pymilvus = load_pymilvus()
        if not self.is_file:
            return pymilvus.MilvusClient(self._uri, timeout=left())
        load_with_settings("milvus_lite")
        Path(self._uri).parent.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                client = pymilvus.MilvusClient(self._uri, timeout=left())
                self._holds_file = True
                return client
            except pymilvus.exceptions.ConnectionConfigException as error:
                if left() <= _SHORTEST:
                    raise LongTermError(
                        f"long-term memory at {self.place} cannot be opened: another process has it open, or it is "
                        "damaged; close the other one, or set LONG_TERM_URI to a Milvus server that both can use"
                    ) from error
                time.sleep(_BETWEEN_TRIES)

    def _drop(self) -> None:
        with self._connecting:
            client, self._client = self._client, None
        if client is not None:
            client.close()


def _faults() -> tuple[type[Exception], ...]:
    """What the library raises: its own, those of the transport, and of an address that is none."""
    grpc = importlib.import_module("grpc")
    return load_pymilvus().exceptions.MilvusException, grpc.RpcError, OSError, ValueError


def _reason(error: Exception) -> str:
    """The error in a few words: of the transport's, its status."""
    if isinstance(error, ValueError):  # it may quote a part of a password
        return "its address cannot be read"
    code = getattr(error, "code", None)
    if callable(code):
        return one_line(str(code().name).replace("_", " ").lower())
    return f"{one_line(str(getattr(error, 'message', error))):.160}"
