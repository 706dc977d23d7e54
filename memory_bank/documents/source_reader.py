"""Read the source files of a session as documents, with text recognition for pictures and scanned pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.source import Source
from memory_bank.documents import Document, detect_language, read_document
from memory_bank.documents.document_date import document_date
from memory_bank.documents.media_type import picture_type
from memory_bank.documents.pictures import read_pages, read_picture, recognise
from memory_bank.text.iteration import Returning

_FIRST_BYTES = 64


class ReadingStoppedError(Exception):
    """Reading was stopped between two pages. This is not a failure: the file is read when the session resumes."""


@dataclass(frozen=True)
class ReadingProgress:
    """Progress of reading a file."""

    source_id: str
    done: int
    of: int


class SourceReader:
    """Reads the sources in a session's folder. `reading` is the progress of the current file, for other threads."""

    def __init__(self, folder: Path, stopping: Callable[[], bool] = lambda: False) -> None:
        """`stopping` is called after each page; reading stops if it returns true."""
        self._folder = folder
        self._stopping = stopping
        self._references: dict[str, Document] = {}
        self.reading: ReadingProgress | None = None

    def read(self, source: Source, *, stops: bool = True) -> Document:
        """Read the document of a source.

        Raises `UnreadableDocumentError` with a reason for the user, and `ReadingStoppedError` if it was asked to stop
        and `stops` is true. A reference is kept for `take`, because recognising its pages is slow.
        """

        def on_page(done: int, of: int) -> None:
            self.reading = ReadingProgress(source.id, done, of)
            if stops and done < of and self._stopping():
                raise ReadingStoppedError

        path = self._folder / source.path
        try:
            if _is_picture(path):
                document = _read_picture(path, source.name, on_page)
            else:
                document = read_document(
                    path, source.name, recognise=lambda page: recognise(page).text, on_page=on_page
                )
        finally:
            self.reading = None
        if source.role == "reference":
            self._references[source.id] = document
        return document

    def take(self, source: Source) -> Document:
        """Return and forget the kept document of a reference, or read it without stopping.

        Raises `UnreadableDocumentError`.
        """
        document = self._references.get(source.id) or self.read(source, stops=False)
        self._references.pop(source.id, None)
        return document


def refusals(files: Sequence[tuple[Path, str]]) -> list[UnreadableDocumentError]:
    """Why none of the files, each a path with its name, can be read; empty if one can, as far as its first page tells.

    The smallest file is tried first, and nothing is recognised, so that usually the answer comes at once.
    """
    refused = []
    for path, name in sorted(files, key=lambda file: file[0].stat().st_size):
        try:
            if _is_picture(path):
                read_picture(path, name)
            else:
                read_document(path, name, recognise=_stop_at_first, on_page=_stop_at_first)
        except UnreadableDocumentError as error:
            refused.append(error)
            continue
        except ReadingStoppedError:
            pass
        return []
    return refused


def _stop_at_first(*_page: object) -> NoReturn:
    raise ReadingStoppedError


def _is_picture(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return picture_type(file.read(_FIRST_BYTES)) is not None
    except FileNotFoundError:
        return False  # `read_document` reports it


def _read_picture(path: Path, name: str, on_page: Callable[[int, int], None]) -> Document:
    reading = Returning(read_pages(path, name))
    for done, pages in reading:
        on_page(done, pages)
    result = reading.result
    language = detect_language(result.recognised.text)
    return Document(
        name,
        result.text,
        result.picture.media_type,
        title=result.title,
        language=language,
        dated=document_date(result.recognised.text, language),
    )
