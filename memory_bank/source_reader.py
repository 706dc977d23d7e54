"""The files that a person gave, read as documents: text as it is, and what is written in pictures recognised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memory_bank.bank.source import Source
from memory_bank.modules.documents import Document, language_of, read_document
from memory_bank.modules.media_type import picture_type
from memory_bank.modules.pictures import read_pages, recognise_page
from memory_bank.modules.returning import Returning

_FIRST_BYTES = 64


class ReadingStoppedError(Exception):
    """Reading a file was stopped between two of its pages. It is no failure: the file is read when the work goes on."""


@dataclass(frozen=True)
class PagesRead:
    """How far reading a file has got."""

    source_id: str
    done: int
    of: int


class SourceReader:
    """Reads the sources in a session's folder. `reading` tells how far it has got; other threads may look at it."""

    def __init__(self, folder: Path, stopping: Callable[[], bool] = lambda: False) -> None:
        """`stopping` is asked after every page whether to read on."""
        self._folder = folder
        self._stopping = stopping
        self._kept: dict[str, Document] = {}
        self.reading: PagesRead | None = None

    def read(self, source: Source, *, stops: bool = True) -> Document:
        """The document of a source.

        `UnreadableDocumentError` with the reason for a person; `ReadingStoppedError` when it was to stop. A reference
        is kept until it was taken by `take`: recognising its pages twice would take as long again.
        """

        def on_page(done: int, of: int) -> None:
            self.reading = PagesRead(source.id, done, of)
            if stops and done < of and self._stopping():
                raise ReadingStoppedError

        path = self._folder / source.path
        try:
            if _is_picture(path):
                document = _picture(path, source.name, on_page)
            else:
                document = read_document(path, source.name, recognise=recognise_page, on_page=on_page)
        finally:
            self.reading = None
        if source.role == "reference":
            self._kept[source.id] = document
        return document

    def take(self, source: Source) -> Document:
        """The document of a reference, as it was read before or anew, in one go; `UnreadableDocumentError`."""
        document = self._kept.get(source.id) or self.read(source, stops=False)
        self._kept.pop(source.id, None)
        return document


def _is_picture(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return picture_type(file.read(_FIRST_BYTES)) is not None
    except FileNotFoundError:
        return False  # the reader of documents says what is wrong


def _picture(path: Path, name: str, on_page: Callable[[int, int], None]) -> Document:
    reading = Returning(read_pages(path, name))
    for done, pages in reading:
        on_page(done, pages)
    read = reading.result
    language = language_of(read.recognised.text)
    return Document(name, read.text, read.picture.media_type, title=read.title, language=language)
