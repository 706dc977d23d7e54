"""A connection to Milvus: a file of Milvus Lite, a server or a cluster, through one client.

Everything that can go wrong is a `LongTermError` within the deadline. A connection that broke is made anew at the next
call, so that memory works again when the server is back.
"""

from __future__ import annotations

import importlib
import os
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
        self._connecting, self._dropping = threading.Lock(), threading.Lock()

    @property
    def is_file(self) -> bool:
        """Whether it is a file of Milvus Lite, which this process alone has open."""
        return self._uri.endswith(_LITE) and "://" not in self._uri

    @property
    def is_open(self) -> bool:
        """Whether there is a connection that worked when it was last used."""
        return self._client is not None

    @property
    def place(self) -> str:
        """Where it is, for a person: no name or password that the address may hold, nor a folder of this machine."""
        if self.is_file or self._uri.startswith("unix:"):
            return Path(self._uri).name
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
                return self._attempt(operation, left)
            except _faults():
                if left() <= _SHORTEST:
                    raise
                return self._attempt(operation, left)
        except _faults() as error:
            raise LongTermError(
                f"long-term memory at {self.place} could not be reached or did not do it ({_reason(error)}); "
                "go on without it, or check LONG_TERM_URI"
            ) from error

    def close(self) -> None:
        """End the connection; a file is let go of, so that another process may open it."""
        self._drop(self._client)
        if self._holds_file:
            self._holds_file = False
            importlib.import_module("milvus_lite").server_manager_instance.release_server(self._uri)

    def _attempt(self, operation: Callable[[Client, Left], Result], left: Left) -> Result:
        client = self._connected(left)
        try:
            return operation(client, left)
        except _faults():
            self._drop(client)  # the server may have been restarted: what is known of it counts no more
            raise

    def _connected(self, left: Left) -> Client:
        if not self._connecting.acquire(timeout=left()):  # another thread has been waiting for the server
            raise TimeoutError("timed out")
        try:
            if self._client is None:
                client = self._open(left)
                try:
                    self._prepare(client, left)
                except BaseException:
                    client.close()
                    raise
                self._client = client
            return self._client
        finally:
            self._connecting.release()

    def _open(self, left: Left) -> Client:
        """A new client. Another process that has the file open may be done with it soon: it is waited for."""
        pymilvus = load_pymilvus()
        if not self.is_file:
            return self._client_of(pymilvus, left)
        load_with_settings("milvus_lite")
        folder = Path(self._uri)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(folder if folder.exists() else folder.parent, os.W_OK):
            raise LongTermError(
                f"long-term memory at {self.place} may not be written by this account; "
                "go on without it, or set LONG_TERM_URI to a place that may"
            )
        while True:
            try:
                client = self._client_of(pymilvus, left)
                self._holds_file = True
                return client
            except pymilvus.exceptions.ConnectionConfigException as error:
                if left() <= _SHORTEST:
                    raise LongTermError(
                        f"long-term memory at {self.place} cannot be opened: another process has it open, or it is "
                        "damaged; close the other one, or set LONG_TERM_URI to a Milvus server that both can use"
                    ) from error
                time.sleep(_BETWEEN_TRIES)

    def _client_of(self, pymilvus: Any, left: Left) -> Client:  # noqa: ANN401 - the library has no types
        """A client with a connection of its own: one that is shared goes on failing for a while after a restart."""
        return pymilvus.MilvusClient(self._uri, timeout=left(), dedicated=True)

    def _drop(self, client: Client | None) -> None:
        """Let go of a client, unless another thread has done so: the one that it made after that is not meant."""
        with self._dropping:
            if client is not self._client:
                return
            self._client = None
        if client is not None:
            client.close()


def _faults() -> tuple[type[Exception], ...]:
    """What the library raises: its own, those of the transport, and of an address that is none."""
    grpc = importlib.import_module("grpc")
    return load_pymilvus().exceptions.MilvusException, grpc.RpcError, OSError, ValueError


def _reason(error: Exception) -> str:
    """The error in a few words: of the transport's, its status."""
    if isinstance(error, ValueError):  # it may quote a part of a password
        return "the connection was closed" if "closed channel" in str(error) else "its address cannot be read"
    code = getattr(error, "code", None)
    if callable(code):
        return one_line(str(code().name).replace("_", " ").lower())
    return f"{one_line(str(getattr(error, 'message', error))):.160}"
