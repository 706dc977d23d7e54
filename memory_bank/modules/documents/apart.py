"""A file read in a process of its own, which may use so much time and memory and no more.

Parsers of binary formats are large, and a file may be made to hang or to fill one, or to crash the C code beneath.
Here nothing of that reaches the program. Between the processes go lines of JSON, each followed by as many bytes as it
says: never a pickled object, for a parser that was taken over must not take over whoever listens. `worker` is the other
end.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from PIL import Image

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.child_process import ROOT, command_of, environment
from memory_bank.modules.documents import bounds
from memory_bank.modules.documents.document import Document, Embedded, Heading, Page, Turn

Recognise = Callable[[Image.Image], str]
"""Reads the text in the picture of a page; empty where there is none."""
OnPage = Callable[[int, int], None]
"""Told how many pages are read, and how many there are; what it raises ends the reading."""

Frame = tuple[dict[str, Any], bytes]

_MORE = {"page": bounds.SECONDS_A_PAGE, "picture": bounds.SECONDS_A_PICTURE}
_WORKER = "memory_bank.modules.documents.worker"


def read_apart(path: Path, name: str, recognise: Recognise | None, on_page: OnPage) -> Document:
    """Read the file at `path` in a process of its own; both callables are called in this one.

    `UnreadableDocumentError` with what the reader said, or that it took too long, broke off or could not begin.
    """
    with _Worker({"path": str(path.resolve()), "name": name, "recognise": recognise is not None}) as worker:
        for header, payload in worker.frames():
            if "page" in header:
                on_page(*header["page"])
            elif "picture" in header and recognise is not None:
                picture = Image.frombytes("RGB", tuple(header["picture"]), payload)
                worker.answer({"text": recognise(picture)})
            elif "refused" in header:
                raise UnreadableDocumentError(name, header["refused"])
            else:
                return unpack(header, payload)
        raise UnreadableDocumentError(name, worker.reason())


class _Worker:
    """The other process, and how long it may still work: the clock runs only while this one waits for it."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._left = bounds.SECONDS
        self._late = False
        try:
            self._process = subprocess.Popen(  # noqa: S603 - nothing of the command comes from outside
                command_of(_WORKER),
                cwd=ROOT,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:  # too many files or processes, or too little memory
            raise UnreadableDocumentError(
                request["name"], "no process could be started to read it; try again"
            ) from error
        self.answer(request)

    def __enter__(self) -> _Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent to a process that is gone
                    pipe.close()
        self._process.wait()

    def answer(self, header: dict[str, Any]) -> None:
        """Send a line; a process that has ended already is found out by its silence."""
        if self._process.stdin is not None:
            with suppress(OSError):
                write_frame(self._process.stdin, header)

    def frames(self) -> Iterator[Frame]:
        """What it sends, until it ends or its time is over."""
        if self._process.stdout is None:
            return
        while self._left > 0:
            began = time.monotonic()
            watch = threading.Timer(self._left, self._end)
            watch.start()
            try:
                frame = read_frame(self._process.stdout)
            finally:
                watch.cancel()
                watch.join()
            self._left -= time.monotonic() - began
            if frame is None:
                return
            self._left += next((seconds for what, seconds in _MORE.items() if what in frame[0]), 0.0)
            yield frame

    def _end(self) -> None:
        """Its time is over, whatever the clock of whoever waits says by then."""
        self._late = True
        self._process.kill()

    def reason(self) -> str:
        """Why it sent no document."""
        if self._late or self._left <= 0:
            return "reading it takes too long; split it and add the parts"
        return "reading it broke off; it is damaged, or takes more memory than a document may"


def write_frame(stream: IO[bytes], header: dict[str, Any], payload: bytes = b"") -> None:
    """Write a line of JSON and the bytes that belong to it."""
    stream.write(json.dumps({**header, "bytes": len(payload)}).encode() + b"\n")
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Frame | None:
    """Read a line of JSON and the bytes that belong to it; `None` where it is none, or the stream ends before them."""
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
    """Make a document a frame: the text and what is embedded are its bytes, one after another."""
    text = document.text.encode()
    kept = [one.data or b"" for one in document.embedded]
    header = {
        "name": document.name,
        "media_type": document.media_type,
        "title": document.title,
        "unread_pages": document.unread_pages,
        "pages": [(page.number, page.start, page.end) for page in document.pages],
        "headings": [(one.start, one.end, one.level, one.title) for one in document.headings],
        "embedded": [(one.name, one.media_type, one.size, one.data is not None) for one in document.embedded],
        "turns": [
            (one.start, one.said, one.end, one.speaker, one.at and one.at.isoformat(), one.sitting)
            for one in document.turns
        ],
        "lengths": [len(text), *map(len, kept)],
    }
    return header, b"".join((text, *kept))


def unpack(header: dict[str, Any], payload: bytes) -> Document:
    """Make the document of a frame."""
    parts = list(_parts(payload, header["lengths"]))
    return Document(
        header["name"],
        parts[0].decode(),
        header["media_type"],
        pages=tuple(Page(*page) for page in header["pages"]),
        headings=tuple(Heading(*heading) for heading in header["headings"]),
        title=header["title"],
        embedded=tuple(
            Embedded(name, media_type, size, data if kept else None)
            for (name, media_type, size, kept), data in zip(header["embedded"], parts[1:], strict=True)
        ),
        unread_pages=header["unread_pages"],
        turns=tuple(
            Turn(start, said, end, speaker, _day_or_time(at), sitting)
            for start, said, end, speaker, at, sitting in header["turns"]
        ),
    )


def _day_or_time(written: str | None) -> date | None:
    if written is None:
        return None
    return datetime.fromisoformat(written) if "T" in written else date.fromisoformat(written)


def _parts(payload: bytes, lengths: list[int]) -> Iterator[bytes]:
    start = 0
    for length in lengths:
        yield payload[start : start + length]
        start += length
