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
from memory_bank.documents.document import Document, Reader
from memory_bank.documents.document_date import document_date
from memory_bank.documents.media_type import HEIC, HEIC_REFUSED, picture_type
from memory_bank.documents.package import PROTECTED
from memory_bank.documents.plain import CODE_TYPES, read_markdown, read_plain, suffix_of
from memory_bank.documents.records import read_json
from memory_bank.documents.sandbox import OnPage, Recognise, read_isolated
from memory_bank.documents.table import read_table
from memory_bank.text.language_detection import language_of
from memory_bank.text.one_line import one_line
from memory_bank.text.wording import Wording

# Readers of text files by suffix that need little time, whatever is in the file, and no large library.
_FAST_READERS: dict[str, Reader] = {
    **dict.fromkeys(CODE_TYPES, read_plain),
    **dict.fromkeys((".txt", ".text", ".log"), read_plain),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), read_markdown),
    **dict.fromkeys((".csv", ".tsv"), read_table),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), read_json),
}
# Readers that need large libraries, as module and function: a module is imported when the first file needs it. Text
# files by suffix; with any other suffix one is HTML if it begins like HTML, else plain text.
_HTML = "markup.read_html"
_PARSERS = {**dict.fromkeys((".html", ".htm", ".xhtml"), _HTML), ".ipynb": "notebook.read_notebook"}
_PARSERS[".eml"] = "mail.read_eml"
# The others by the first bytes; a ZIP package by a part that only this format has.
_RTF, _ZIP = b"{\\rtf", b"PK\x03\x04"
_RTF_READER = "rich_text.read_rtf"
_PACKAGES = {
    "word/document.xml": "word.read_docx",
    "ppt/presentation.xml": "slides.read_pptx",
    "xl/workbook.xml": "sheets.read_xlsx",
    "META-INF/container.xml": "book.read_epub",
    "content.xml": "opendocument.read_opendocument",
}

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
_CODE_MEDIA_TYPES = frozenset(media_type for media_type in CODE_TYPES.values() if media_type != "text/plain")
_ARCHIVE_REASON = Wording("it is an archive; unpack it and add the files inside")
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
    if len(data) <= bounds.MAX_IN_PROCESS_BYTES and not _is_binary(data) and _fast_reader(data, name):
        document = read_bytes(data, name, recognise, on_page)
    else:
        document = read_isolated(path, name, recognise, on_page)
    language = None if document.media_type in _CODE_MEDIA_TYPES else language_of(document.text)
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
    return b"%PDF-" in data[:_PDF_HEADER_BYTES]


def _is_binary(data: bytes) -> bool:
    return _is_pdf(data) or data.startswith((_ZIP, _RTF))


def _choose_reader(data: bytes, name: str) -> Reader:
    """Choose the reader by the content first, then by the suffix; raise for what cannot be read."""
    _refuse_image(data, name)
    _refuse_archive(data, name)
    if not _is_binary(data):
        if len(data) > _MAX_TEXT_BYTES:
            raise UnreadableDocumentError(name, _TOO_LONG)
        if (fast := _fast_reader(data, name)) is not None:
            return fast
    return _parser(data, name)


def _fast_reader(data: bytes, name: str) -> Reader | None:
    """The reader of a text file; None if the file needs a parser."""
    suffix = suffix_of(name)
    parsed = suffix in _PARSERS or _HTML_START.match(data[:_HTML_HEADER_BYTES])
    return _FAST_READERS.get(suffix, None if parsed else read_plain)


def _parser(data: bytes, name: str) -> Reader:
    if data.startswith(_RTF):
        return _imported(_RTF_READER)
    if not data.startswith(_ZIP):
        return _imported(_PARSERS.get(suffix_of(name), _HTML))
    with zipfile.ZipFile(BytesIO(data)) as package:
        parts = set(package.namelist())
    reader = next((reader for part, reader in _PACKAGES.items() if part in parts), None)
    if reader is None:
        raise UnreadableDocumentError(name, _ARCHIVE_REASON)
    return _imported(reader)


def _imported(reader: str) -> Reader:
    module, _, function = reader.partition(".")
    imported: Reader = getattr(import_module(f"memory_bank.documents.{module}"), function)
    return imported


def import_parsers() -> None:
    """Import all readers, as a process does that reads one file under limits, under which no bytecode can be kept."""
    for reader in ("pdf.read_pdf", _RTF_READER, *_PARSERS.values(), *_PACKAGES.values()):
        _imported(reader)


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
