"""A file to a document: which reader, and what is refused with which reason (specification, section 2)."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import MappingProxyType

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents import bounds
from memory_bank.modules.documents.apart import OnPage, Recognise, read_apart
from memory_bank.modules.documents.book import CONTAINER, read_epub
from memory_bank.modules.documents.chat import as_chat
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document
from memory_bank.modules.documents.language import language_of
from memory_bank.modules.documents.mail import read_eml
from memory_bank.modules.documents.markup import read_html
from memory_bank.modules.documents.notebook import read_notebook
from memory_bank.modules.documents.opendocument import CONTENT, read_opendocument
from memory_bank.modules.documents.package import PROTECTED
from memory_bank.modules.documents.pdf import read_pdf
from memory_bank.modules.documents.plain import CODE_TYPES, read_markdown, read_plain, suffix_of
from memory_bank.modules.documents.records import read_json
from memory_bank.modules.documents.rich_text import read_rtf
from memory_bank.modules.documents.sheets import read_xlsx
from memory_bank.modules.documents.slides import read_pptx
from memory_bank.modules.documents.table import read_table
from memory_bank.modules.documents.word import read_docx
from memory_bank.modules.media_type import HEIC, HEIC_REFUSED, picture_type
from memory_bank.one_line import one_line

Reader = Callable[[bytes, str], Document]

# A file of text is read by what its name ends in; with any other ending it is HTML if it begins so, else plain.
READERS: Mapping[str, Reader] = MappingProxyType(
    {
        **dict.fromkeys(CODE_TYPES, read_plain),
        **dict.fromkeys((".txt", ".text", ".log"), read_plain),
        **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), read_markdown),
        **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
        **dict.fromkeys((".csv", ".tsv"), read_table),
        **dict.fromkeys((".json", ".jsonl", ".ndjson"), read_json),
        ".ipynb": read_notebook,
        ".eml": read_eml,
    }
)
_SIMPLE = (read_plain, read_markdown, read_table, read_json)
# A package is read by the part that only its kind has.
_PACKAGES: Mapping[str, Reader] = MappingProxyType(
    {
        "word/document.xml": read_docx,
        "ppt/presentation.xml": read_pptx,
        "xl/workbook.xml": read_xlsx,
        CONTAINER: read_epub,
        CONTENT: read_opendocument,
    }
)

_SPELT = {"image/webp": "WebP"}
# First bytes of files that hold no text this package reads.
_ARCHIVES: tuple[bytes, ...] = (
    *(b"\x1f\x8b", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"\x1f\x9d"),
)
_BZIP2 = b"1AY&SY"  # after "BZh" and a digit
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
_RTF = b"{\\rtf"
_ZIP = b"PK\x03\x04"

_TOO_LONG = "it has more than 20,000,000 characters; split it and add the parts"
_MOST_TEXT_BYTES = 4 * bounds.MOST_CHARACTERS
_CODE = frozenset(media_type for media_type in CODE_TYPES.values() if media_type != "text/plain")
_ARCHIVE_REASON = "it is an archive; unpack it and add the files inside"
_HTML_START = re.compile(
    # Each piece of a comment is taken whole (possessive), or many comments would be tried in every combination.
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml(?>.*?\?>)\s*+|<!--(?>.*?-->)\s*+)*+<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_PDF_HEADER = 1024
_HTML_HEADER = 4096


def read_document(
    path: Path, name: str, *, recognise: Recognise | None = None, on_page: OnPage | None = None
) -> Document:
    """Read the file at `path` as text. `name` is what a person called it: it is shown, never used as a path.

    The content decides over the ending of the name. `recognise` reads the pictures of pages that have no text layer.
    `on_page` is told the pages done and the pages in all, of a file without pages one of one; what it raises ends the
    reading. Whatever else goes wrong is an `UnreadableDocumentError` with one line for a person: no other exception,
    no warning, nothing on stderr. It takes at most 30 s, recognition not counted, and 1 GB.
    """
    name = " ".join(clean(name).split())
    on_page = on_page or _tell_nobody
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(bounds.SMALL_TEXT + 1)
    except OSError as error:
        raise UnreadableDocumentError(name, f"the file cannot be opened: {error.strerror}") from error
    if size > bounds.MOST_BYTES:
        raise UnreadableDocumentError(name, "it is larger than 200 MB; split it and add the parts")
    if len(data) <= bounds.SMALL_TEXT and _is_simple(data, name):
        document = read_bytes(data, name, recognise, on_page)
    else:
        document = read_apart(path, name, recognise, on_page)
    code = document.media_type in _CODE
    return replace(document, language=None if code else language_of(document.text))


def read_bytes(data: bytes, name: str, recognise: Recognise | None, on_page: OnPage) -> Document:
    """Read the content of a file in this process, however long it takes; errors as of `read_document`."""
    if not data.strip():
        raise UnreadableDocumentError(name, "it is empty")
    try:
        document = (
            read_pdf(data, name, recognise, on_page) if _is_pdf(data) else as_chat(_reader(data, name)(data, name))
        )
    except UnreadableDocumentError:
        raise
    except RecursionError as error:
        raise UnreadableDocumentError(name, "it is nested too deeply") from error
    except MemoryError as error:
        raise UnreadableDocumentError(name, "reading it takes more memory than a document may") from error
    except Exception as error:  # a parser raises anything on a broken file
        raise UnreadableDocumentError(name, f"it is damaged ({_first_line(error)})") from error
    if len(document.text) > bounds.MOST_CHARACTERS:
        raise UnreadableDocumentError(name, _TOO_LONG)
    if not document.text.strip():
        raise UnreadableDocumentError(name, "there is no text in it")
    if not document.pages:
        on_page(1, 1)
    return document


def _tell_nobody(_done: int, _of: int) -> None:
    """Progress that nobody waits for."""


def _first_line(error: Exception) -> str:
    """Say in a few words what a parser said."""
    lines = str(error).strip().splitlines()
    return one_line(lines[0] if lines else type(error).__name__)[:120]


def _is_pdf(data: bytes) -> bool:
    return b"%PDF-" in data[:_PDF_HEADER]


def _is_simple(data: bytes, name: str) -> bool:
    """Whether a reader is for it that no content can keep busy for long."""
    return not (_is_pdf(data) or data.startswith((_ZIP, _RTF))) and _text_reader(data, name) in _SIMPLE


def _reader(data: bytes, name: str) -> Reader:
    """Choose by the content first, then by the ending of the name."""
    _refuse_image(data, name)
    _refuse_archive(data, name)
    if data.startswith(_ZIP):
        return _package_reader(data, name)
    if data.startswith(_RTF):
        return read_rtf
    if len(data) > _MOST_TEXT_BYTES:
        raise UnreadableDocumentError(name, _TOO_LONG)
    return _text_reader(data, name)


def _text_reader(data: bytes, name: str) -> Reader:
    otherwise = read_html if _HTML_START.match(data[:_HTML_HEADER]) else read_plain
    return READERS.get(suffix_of(name), otherwise)


def _refuse_image(data: bytes, name: str) -> None:
    media_type = picture_type(data)
    if media_type == HEIC:
        raise UnreadableDocumentError(name, HEIC_REFUSED)
    if media_type is not None:
        kind = _SPELT.get(media_type) or media_type.removeprefix("image/").upper()
    elif suffix_of(name) == ".svg":
        kind = "SVG"
    else:
        return
    raise UnreadableDocumentError(name, f"it is an image ({kind}), not a document with text")


def _refuse_archive(data: bytes, name: str) -> None:
    if data.startswith(_OLD_OFFICE):
        if _ENCRYPTED_OFFICE in data:
            raise UnreadableDocumentError(name, PROTECTED)
        raise UnreadableDocumentError(name, "it is an Office file of the old kind; save it as DOCX or PDF and add that")
    if data.startswith(_ARCHIVES) or data[257:262] == b"ustar" or data[4:10] == _BZIP2:
        raise UnreadableDocumentError(name, _ARCHIVE_REASON)


def _package_reader(data: bytes, name: str) -> Reader:
    with zipfile.ZipFile(BytesIO(data)) as package:
        parts = set(package.namelist())
    reader = next((reader for part, reader in _PACKAGES.items() if part in parts), None)
    if reader is None:
        raise UnreadableDocumentError(name, _ARCHIVE_REASON)
    return reader
