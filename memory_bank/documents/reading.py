"""Read a file as a document: choose the reader, or refuse the file with a reason."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from importlib import import_module
from io import BytesIO
from pathlib import Path

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import bounds
from memory_bank.documents.chat import as_chat
from memory_bank.documents.decoding import clean_line
from memory_bank.documents.document import (
    BY_SUFFIX,
    CODE_TYPES,
    FIRST_BYTES,
    FORMATS,
    HTML,
    PDF,
    PLAIN,
    ZIP,
    Document,
    Format,
    Reader,
    suffix_of,
)
from memory_bank.documents.document_date import document_date
from memory_bank.documents.media_type import HEIC, HEIC_REFUSED, picture_type
from memory_bank.documents.package import PROTECTED
from memory_bank.documents.sandbox import OnPage, Recognise, read_isolated
from memory_bank.text.language_detection import detect_language
from memory_bank.text.wording import Wording, one_line

_FORMAT_NAMES = {"image/webp": "WebP"}
# First bytes of archives, which are refused.
_ARCHIVE_SIGNATURES: tuple[bytes, ...] = (
    *(b"\x1f\x8b", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"\x1f\x9d"),
)
_BZIP2 = b"1AY&SY"  # after "BZh" and a digit
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")

_TOO_LONG = Wording("it has more than 20,000,000 characters; split it and add the parts")
_MAX_TEXT_BYTES = 4 * bounds.MOST_CHARACTERS
_CODE_MEDIA_TYPES = frozenset(media_type for media_type in CODE_TYPES.values() if media_type != PLAIN.media_type)
_ARCHIVE_REASON = Wording("it is an archive; unpack it and add the files inside")
_APPLE_SUFFIXES, _APPLE_PART = (".pages", ".numbers", ".key"), ".iwa"
_APPLE_REASON = Wording("it is a file of Pages, Numbers or Keynote; export it as PDF, DOCX, XLSX or PPTX and add that")
_HTML_START = re.compile(
    # Possessive, because otherwise many comments would be tried in every combination.
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml(?>.*?\?>)\s*+|<!--(?>.*?-->)\s*+)*+<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_PDF_HEADER_BYTES = 1024
_HTML_HEADER_BYTES = 4096


def read_document(
    path: Path, name: str, *, recognise: Recognise | None = None, on_page: OnPage | None = None
) -> Document:
    """Read the file at `path` as text. `name` is the user's name for it: it is shown, never used as a path.

    The content takes precedence over the suffix. `recognise` reads the images of pages without a text layer. `on_page`
    is called with the pages done and the total, (1, 1) for a file without pages; what it raises ends the reading. Any
    other failure raises `UnreadableDocumentError` with one line for the user: no other exception, no warning, nothing
    on stderr. Reading takes at most 30 s, recognition not counted, and 1 GB of memory.
    """
    name = clean_line(name)
    on_page = on_page or (lambda _done, _total: None)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(bounds.MAX_IN_PROCESS_BYTES + 1)
    except OSError as error:
        raise UnreadableDocumentError(
            name, Wording("the file cannot be opened: {detail}", detail=error.strerror)
        ) from error
    if size > bounds.MOST_BYTES:
        raise UnreadableDocumentError(name, Wording("it is larger than 200 MB; split it and add the parts"))
    is_short_text = len(data) <= bounds.MAX_IN_PROCESS_BYTES and not _is_known_by_first_bytes(data)
    if is_short_text and _text_format(data, name).fast:
        document = read_bytes(data, name, recognise, on_page)
    else:
        document = read_isolated(path, name, recognise, on_page)
    language = None if document.media_type in _CODE_MEDIA_TYPES else detect_language(document.text)
    heads = (document.text, document.title or "")
    dated = document.dated or next(filter(None, (document_date(head, language) for head in heads)), None)
    return replace(document, language=language, dated=dated)


def read_bytes(data: bytes, name: str, recognise: Recognise | None, on_page: OnPage) -> Document:
    """Read the content of a file in this process, without a time limit. Raises as `read_document` does."""
    if not data.strip():
        raise UnreadableDocumentError(name, Wording("it is empty"))
    try:
        if _is_pdf(data):
            from memory_bank.documents.pdf import read_pdf  # noqa: PLC0415 - a large library

            document = read_pdf(data, name, recognise, on_page)
        else:
            document = as_chat(_choose_reader(data, name)(data, name))
    except UnreadableDocumentError:
        raise
    except RecursionError as error:
        raise UnreadableDocumentError(name, Wording("it is nested too deeply")) from error
    except MemoryError as error:
        raise UnreadableDocumentError(name, Wording("reading it takes more memory than a document may")) from error
    except Exception as error:  # parsers raise anything on a broken file
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = Wording("it is damaged ({detail})", detail=one_line(lines[0])[:120])
        raise UnreadableDocumentError(name, reason) from error
    if len(document.text) > bounds.MOST_CHARACTERS:
        raise UnreadableDocumentError(name, _TOO_LONG)
    if not document.text.strip():
        raise UnreadableDocumentError(name, Wording("there is no text in it"))
    if not document.pages:
        on_page(1, 1)
    return document


def _is_pdf(data: bytes) -> bool:
    return PDF.begins in data[:_PDF_HEADER_BYTES]


def _is_known_by_first_bytes(data: bytes) -> bool:
    return _is_pdf(data) or data.startswith(FIRST_BYTES)


def _choose_reader(data: bytes, name: str) -> Reader:
    """Choose the reader by the content first, then by the suffix; raise for what cannot be read."""
    _refuse_image(data, name)
    _refuse_archive(data, name)
    if _is_known_by_first_bytes(data):
        return _imported(_format_by_content(data, name))
    if len(data) > _MAX_TEXT_BYTES:
        raise UnreadableDocumentError(name, _TOO_LONG)
    return _imported(_text_format(data, name))


def _text_format(data: bytes, name: str) -> Format:
    """The format of a text file: that of its suffix, else HTML or plain text."""
    known_format = BY_SUFFIX.get(suffix_of(name))
    if known_format is not None and not known_format.begins:
        return known_format
    return HTML if _HTML_START.match(data[:_HTML_HEADER_BYTES]) else PLAIN


def _format_by_content(data: bytes, name: str) -> Format:
    """The format of a file that is no text file. Raises for a ZIP file that is none of the packages."""
    parts = {""}
    if data.startswith(ZIP):
        with zipfile.ZipFile(BytesIO(data)) as package:
            parts = set(package.namelist())
    known_format = next(
        (one for one in FORMATS if one.begins and data.startswith(one.begins) and one.part in parts), None
    )
    if known_format is None:
        is_apple = suffix_of(name) in _APPLE_SUFFIXES or any(part.endswith(_APPLE_PART) for part in parts)
        raise UnreadableDocumentError(name, _APPLE_REASON if is_apple else _ARCHIVE_REASON)
    return known_format


def _imported(chosen: Format) -> Reader:
    module, _, function = chosen.reader.partition(".")
    imported: Reader = getattr(import_module(f"memory_bank.documents.{module}"), function)
    return imported


def import_parsers() -> None:
    """Import all readers, as a process does that reads one file under limits, under which no bytecode can be kept."""
    for one in FORMATS:
        _imported(one)


def _refuse_image(data: bytes, name: str) -> None:
    media_type = picture_type(data)
    if media_type == HEIC:
        raise UnreadableDocumentError(name, HEIC_REFUSED)
    if media_type is not None:
        kind = _FORMAT_NAMES.get(media_type) or media_type.removeprefix("image/").upper()
    elif suffix_of(name) == ".svg":
        kind = "SVG"
    else:
        return
    raise UnreadableDocumentError(name, Wording("it is an image ({kind}), not a document with text", kind=kind))


def _refuse_archive(data: bytes, name: str) -> None:
    if data.startswith(_OLD_OFFICE):
        if _ENCRYPTED_OFFICE in data:
            raise UnreadableDocumentError(name, PROTECTED)
        raise UnreadableDocumentError(
            name, Wording("it is an Office file of the old kind; save it as DOCX or PDF and add that")
        )
    if data.startswith(_ARCHIVE_SIGNATURES) or data[257:262] == b"ustar" or data[4:10] == _BZIP2:
        raise UnreadableDocumentError(name, _ARCHIVE_REASON)
