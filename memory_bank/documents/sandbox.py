"""Read a file in a separate process with limited time and memory.

Parsers of binary formats are large, and a malicious file may make one hang, fill the memory or crash its C code. None
of that reaches this process. The processes exchange lines of JSON, each followed by as many bytes as it states. They
never exchange pickled objects, so that a hijacked parser cannot take over this process. `worker` is the other end.
`start_module` and `limit` start and bound a process; `page_image` uses them too.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from PIL import Image
from pydantic import TypeAdapter

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import bounds
from memory_bank.documents.document import Document
from memory_bank.text.wording import Wording, restored

ROOT = Path(__file__).parents[2]
"""The directory that holds the package `memory_bank`."""

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Each further thread of these libraries takes 41 MB of address space, even when idle."""
_PASSED_ON = frozenset("PATH HOME LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH TMPDIR TEMP TMP SYSTEMROOT TZ".split())
"""Variables that Python and the system libraries need. No other is passed on, so a hijacked parser finds no API key."""

Recognise = Callable[[Image.Image], str]
"""Reads the text in the image of a page; empty if there is none."""
OnPage = Callable[[int, int], None]
"""Called with the number of pages read and the total. What it raises ends the reading."""

Frame = tuple[dict[str, Any], bytes]
"""A message between the processes: a JSON header and a payload."""

_EXTRA_SECONDS = {"page": bounds.SECONDS_PER_PAGE, "picture": bounds.SECONDS_PER_PICTURE}
_WORKER = "memory_bank.documents.worker"
_DOCUMENT = TypeAdapter(Document)


def read_isolated(path: Path, name: str, recognise: Recognise | None, on_page: OnPage) -> Document:
    """Read the file at `path` in a separate process; both callables are called in this one.

    Raises `UnreadableDocumentError` with the reader's reason, or if it took too long, crashed or could not start.
    """
    with _Worker({"path": str(path.resolve()), "name": name, "recognise": recognise is not None}) as worker:
        for header, payload in worker.frames():
            if "page" in header:
                on_page(*header["page"])
            elif "picture" in header and recognise is not None:
                picture = Image.frombytes("RGB", tuple(header["picture"]), payload)
                worker.send({"text": recognise(picture)})
            elif "refused" in header:
                raise UnreadableDocumentError(name, restored(header["refused"]))
            else:
                return unpack(header, payload)
        raise UnreadableDocumentError(name, worker.failure_reason())


class _Worker:
    """The reading process and its time limit. The clock runs only while this process waits for it."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._seconds_left = bounds.SECONDS
        self._timed_out = False
        try:
            self._process = start_module(_WORKER)
        except OSError as error:  # too many files or processes, or too little memory
            raise UnreadableDocumentError(
                request["name"], Wording("no process could be started to read it; try again")
            ) from error
        self.send(request)

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        with suppress(OSError), self._process:  # unsent data for a process that has ended
            pass

    def send(self, header: dict[str, Any]) -> None:
        """Send a header. If the process has ended already, `frames` will notice."""
        if self._process.stdin is not None:
            with suppress(OSError):
                write_frame(self._process.stdin, header)

    def frames(self) -> Iterator[Frame]:
        """Yield what the process sends, until it ends or its time is over."""
        if self._process.stdout is None:
            return
        while self._seconds_left > 0:
            started = time.monotonic()
            timer = threading.Timer(self._seconds_left, self._time_out)
            timer.start()
            try:
                frame = read_frame(self._process.stdout)
            finally:
                timer.cancel()
                timer.join()
            self._seconds_left -= time.monotonic() - started
            if frame is None:
                return
            self._seconds_left += next((seconds for key, seconds in _EXTRA_SECONDS.items() if key in frame[0]), 0.0)
            yield frame

    def _time_out(self) -> None:
        """Kill the process and record why: by the clock in `frames` there may be time left."""
        self._timed_out = True
        self._process.kill()

    def failure_reason(self) -> str:
        """Why the process sent no document."""
        if self._timed_out or self._seconds_left <= 0:
            return Wording("reading it takes too long; split it and add the parts")
        return Wording("reading it broke off; it is damaged, or takes more memory than a document may")


def write_frame(stream: IO[bytes], header: dict[str, Any], payload: bytes = b"") -> None:
    """Write a line of JSON and its payload."""
    stream.write(json.dumps({**header, "bytes": len(payload)}).encode() + b"\n")
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Frame | None:
    """Read a line of JSON and its payload; `None` if the line is not JSON or the stream ends early."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    try:
        header = json.loads(line)
    except ValueError:
        return None
    length = header.pop("bytes")
    payload = stream.read(length)
    return (header, payload) if len(payload) == length else None


def pack(document: Document) -> Frame:
    """Serialise a document as a frame. Its payload is the text followed by the embedded files."""
    contents = [document.text.encode(), *(file.data for file in document.embedded)]
    empty = replace(document, text="", embedded=tuple(replace(file, data=b"") for file in document.embedded))
    header = {"document": _DOCUMENT.dump_python(empty, mode="json"), "lengths": list(map(len, contents))}
    return header, b"".join(contents)


def unpack(header: dict[str, Any], payload: bytes) -> Document:
    """Restore the document from a frame."""
    document = _DOCUMENT.validate_python(header["document"])
    rest = BytesIO(payload)
    text, *contents = map(rest.read, header["lengths"])
    files = zip(document.embedded, contents, strict=True)
    return replace(document, text=text.decode(), embedded=tuple(replace(file, data=data) for file, data in files))


# -- the process -------------------------------------------------------------------------------------------------------


def command_of(module: str) -> list[str]:
    """The command that runs a module of this package."""
    return [sys.executable, "-m", module]


def environment() -> dict[str, str]:
    """The environment for the process: one thread, no API keys, and the package importable from any directory."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    inherited = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    return {**inherited, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def start_module(module: str) -> subprocess.Popen[bytes]:
    """Start a module of this package, with pipes to its standard input and output."""
    return subprocess.Popen(  # noqa: S603 - no part of the command comes from outside
        command_of(module),
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def limit(memory: int, seconds: float) -> None:
    """Limit the address space (bytes) and the processor time of this process, as far as the system allows.

    It also stops the process from writing to files; pipes still work, and reading a file needs nothing else.

    The parent process enforces the time limit too; these limits still hold when the parent is gone.
    """
    limits = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(seconds)), (resource.RLIMIT_FSIZE, 0))
    for kind, wanted in limits:
        _, hard = resource.getrlimit(kind)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(ValueError, OSError):  # not every system supports each limit
            resource.setrlimit(kind, (value, value))
