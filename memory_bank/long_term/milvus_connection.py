"""A connection to Milvus: a file of Milvus Lite, a server or a cluster, through one client.

Every failure is a `LongTermError` within the deadline. A broken connection is opened again at the next call, so memory
works again when the server is back.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.milvus_rows import BATCH
from memory_bank.search.pymilvus_library import batches, load_pymilvus, load_with_settings
from memory_bank.text.wording import Wording, one_line

DEADLINE = 5.0
"""Most seconds of a reading call."""
WRITING = 6
"""Deadlines that a writing call may take: now and then Milvus Lite writes a whole file before it answers."""
_LITE_SUFFIX = ".db"
_RETRY_SECONDS = 0.1
_SHORTEST_TIMEOUT = 0.05

Client = Any
"""A `pymilvus.MilvusClient`, of which each request ends with the time of its call. The library is loaded late."""
Item = TypeVar("Item")
Result = TypeVar("Result")
_Left = Callable[[], float]


class _TimedClient:
    """A client that gives each request the seconds that are left."""

    def __init__(self, client: Client, left: _Left) -> None:
        self._client, self._left = client, left

    def __getattr__(self, request: str) -> Callable[..., Any]:
        return partial(getattr(self._client, request), timeout=self._left())


class MilvusConnection:
    """One client, shared by all threads. `prepare` is called with each new client first."""

    def __init__(self, uri: str, prepare: Callable[[Client], None], deadline: float = DEADLINE) -> None:
        self._uri, self._prepare, self._deadline = uri, prepare, deadline
        self._client: Client | None = None
        self._holds_file = False
        self._connecting, self._dropping = threading.Lock(), threading.Lock()

    @property
    def is_file(self) -> bool:
        """Whether it is a file of Milvus Lite, which only one process can have open."""
        return self._uri.endswith(_LITE_SUFFIX) and "://" not in self._uri

    @property
    def is_open(self) -> bool:
        """Whether there is a client, which worked when it was last used."""
        return self._client is not None

    @property
    def place(self) -> str:
        """The address for people, without user name, password or local folder."""
        if self.is_file or self._uri.startswith("unix:"):
            return Path(self._uri).name
        return self._uri.partition("://")[2].rpartition("@")[2].partition("/")[0]

    def call(self, operation: Callable[[Client], Result], patience: int = 1) -> Result:
        """Call an operation with the client, and return its result.

        It is tried twice, so it must do no harm when repeated. `patience` is how many deadlines both may take together.
        `LongTermError` if both fail.
        """
        end = time.monotonic() + patience * self._deadline

        def left() -> float:
            return max(end - time.monotonic(), _SHORTEST_TIMEOUT)

        try:
            try:
                return self._attempt(operation, left)
            except _library_errors():
                if left() <= _SHORTEST_TIMEOUT:
                    raise
                return self._attempt(operation, left)
        except _library_errors() as error:
            raise LongTermError(
                Wording(
                    "long-term memory at {file} could not be reached or did not do it ({detail}); go on "
                    "without it, or check LONG_TERM_URI",
                    file=self.place,
                    detail=_reason(error),
                )
            ) from error

    def write_each(self, items: Sequence[Item], operation: Callable[[Sequence[Item], Client], object]) -> None:
        """Call an operation that writes some of the items, until all are written."""
        for batch in batches(items, BATCH):
            self.call(partial(operation, batch), WRITING)

    def close(self) -> None:
        """Close the connection, and release a file so that another process may open it."""
        self._drop(self._client)
        if self._holds_file:
            self._holds_file = False
            importlib.import_module("milvus_lite").server_manager_instance.release_server(self._uri)

    def _attempt(self, operation: Callable[[Client], Result], left: _Left) -> Result:
        client = self._connect(left)
        try:
            return operation(_TimedClient(client, left))
        except _library_errors():
            self._drop(client)  # the server may have been restarted, so all known state is outdated
            raise

    def _connect(self, left: _Left) -> Client:
        if not self._connecting.acquire(timeout=left()):  # another thread has been waiting for the server
            raise TimeoutError("timed out")
        try:
            if self._client is None:
                client = self._open(left)
                try:
                    self._prepare(_TimedClient(client, left))
                except BaseException:
                    client.close()
                    raise
                self._client = client
            return self._client
        finally:
            self._connecting.release()

    def _open(self, left: _Left) -> Client:
        """A new client. If another process has the file open, wait for it until the deadline."""
        pymilvus = load_pymilvus()
        if not self.is_file:
            return self._new_client(pymilvus, left)
        load_with_settings("milvus_lite")
        path = Path(self._uri)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise LongTermError(
                f"long-term memory at {self.place} may not be written by this account; "
                "go on without it, or set LONG_TERM_URI to a place that may"
            )
        while True:
            try:
                client = self._new_client(pymilvus, left)
                self._holds_file = True
                return client
            except pymilvus.exceptions.ConnectionConfigException as error:
                if left() <= _SHORTEST_TIMEOUT:
                    raise LongTermError(
                        Wording(
                            "long-term memory at {file} cannot be opened: another process has it open, or it is "
                            "damaged; close the other one, or set LONG_TERM_URI to a Milvus server that both can use",
                            file=self.place,
                        )
                    ) from error
                time.sleep(_RETRY_SECONDS)

    def _new_client(self, pymilvus: Any, left: _Left) -> Client:  # noqa: ANN401 - the library has no types
        """A client with a dedicated connection: a shared one keeps failing for a while after a server restart."""
        return pymilvus.MilvusClient(self._uri, timeout=left(), dedicated=True)

    def _drop(self, client: Client | None) -> None:
        """Close a client, unless another thread already did and has perhaps opened a new one, which must stay."""
        with self._dropping:
            if client is not self._client:
                return
            self._client = None
        if client is not None:
            client.close()


def _library_errors() -> tuple[type[Exception], ...]:
    """Exceptions of the library, of the transport, and of an invalid address."""
    pymilvus = load_pymilvus()  # first: it says what to do where it is not installed
    return pymilvus.exceptions.MilvusException, importlib.import_module("grpc").RpcError, OSError, ValueError


def _reason(error: Exception) -> str:
    """The error in a few words; for an error of the transport, its status."""
    if isinstance(error, ValueError):  # it may quote a part of a password
        return "the connection was closed" if "closed channel" in str(error) else "its address cannot be read"
    code = getattr(error, "code", None)
    if callable(code):
        return one_line(str(code().name).replace("_", " ").lower())
    return f"{one_line(str(getattr(error, 'message', error))):.160}"
