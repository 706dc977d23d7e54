"""A file to a document: which reader, and what is refused with which reason (specification, section 2)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document
from memory_bank.modules.documents.markup import read_html
from memory_bank.modules.documents.pdf import read_pdf
from memory_bank.modules.documents.plain import CODE_TYPES, read_markdown, read_plain, suffix_of
from memory_bank.modules.documents.records import read_json
from memory_bank.modules.documents.table import read_table
from memory_bank.modules.documents.word import read_docx

Reader = Callable[[bytes, str], Document]

# A file of text is read by what its name ends in; with any other ending it is HTML if it begins so, else plain.
READERS: Mapping[str, Reader] = MappingProxyType(
    {
        **dict.fromkeys(CODE_TYPES, read_plain),
        **dict.fromkeys((".txt", ".text", ".log"), read_plain),
        **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), read_markdown),
        **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
        **dict.fromkeys((".csv", ".tsv"), read_table),
        **dict.fromkeys((".json", ".jsonl", ".ndjson", ".ipynb"), read_json),
    }
)

# First bytes of files that hold no text this package reads: what they are called.
_IMAGES: Mapping[bytes, str] = MappingProxyType(
    {
        b"\x89PNG\r\n": "PNG",
        b"\xff\xd8\xff": "JPEG",
        b"GIF87a": "GIF",
        b"GIF89a": "GIF",
        b"II*\0": "TIFF",
        b"MM\0*": "TIFF",
    }
)
_IMAGE_BRANDS: Mapping[bytes, str] = MappingProxyType(
    {b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIC", b"avif": "AVIF"}
)
_ARCHIVES: tuple[bytes, ...] = (
    *(b"\x1f\x8b", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"\x1f\x9d"),
)
_BZIP2 = b"1AY&SY"  # after "BZh" and a digit
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
# What a ZIP file holds that is no archive to a person: the reason it is refused.
_PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "xl/workbook.xml": "it is an Excel workbook; save its sheets as CSV and add those",
        "ppt/presentation.xml": "it is a PowerPoint presentation; save it as PDF and add that",
        "META-INF/container.xml": "it is an EPUB book; save it as HTML or PDF and add that",
        "content.xml": "it is an OpenDocument file; save it as DOCX or PDF and add that",
    }
)
_DOCX_PART = "word/document.xml"
# A DOCX unpacks to some ten times its size; one that unpacks to this many bytes is made to fill the memory.
_MOST_UNPACKED = 500_000_000

_ARCHIVE_REASON = "it is an archive; unpack it and add the files inside"
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml.*?\?>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_PDF_HEADER = 1024
_HTML_HEADER = 4096


def read_document(path: Path, name: str) -> Document:
    """Read the file at `path` as text. `name` is what a person called it: it is shown, never used as a path.

    The content decides over the ending of the name. Whatever goes wrong is an `UnreadableDocumentError` with one
    line for a person: no other exception, no warning, nothing on stderr.
    """
    name = " ".join(clean(name).split())
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableDocumentError(name, f"the file cannot be opened: {error.strerror}") from error
    if not data.strip():
        raise UnreadableDocumentError(name, "it is empty")
    try:
        document = _reader(data, name)(data, name)
    except UnreadableDocumentError:
        raise
    except Exception as error:  # a parser raises anything on a broken file
        raise UnreadableDocumentError(name, f"it is damaged ({_first_line(error)})") from error
    if not document.text.strip():
        raise UnreadableDocumentError(name, "there is no text in it")
    return document


def _first_line(error: Exception) -> str:
    """Say in a few words what a parser said."""
    lines = clean(str(error)).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:120]


def _reader(data: bytes, name: str) -> Reader:
    """Choose by the content first, then by the ending of the name."""
    _refuse_image(data, name)
    _refuse_archive(data, name)
    if b"%PDF-" in data[:_PDF_HEADER]:
        return read_pdf
    if data.startswith(b"PK\x03\x04"):
        return _package_reader(data, name)
    otherwise = read_html if _HTML_START.match(data[:_HTML_HEADER]) else read_plain
    return READERS.get(suffix_of(name), otherwise)


def _refuse_image(data: bytes, name: str) -> None:
    kind = next((kind for start, kind in _IMAGES.items() if data.startswith(start)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "WebP"
    elif data[:2] == b"BM" and data[6:10] == bytes(4):
        kind = "BMP"
    elif data[4:8] == b"ftyp":
        kind = _IMAGE_BRANDS.get(data[8:12])
    elif suffix_of(name) == ".svg":
        kind = "SVG"
    if kind:
        raise UnreadableDocumentError(name, f"it is an image ({kind}), not a document with text")


def _refuse_archive(data: bytes, name: str) -> None:
    if data.startswith(_OLD_OFFICE):
        if _ENCRYPTED_OFFICE in data:
            raise UnreadableDocumentError(name, "it is protected by a password; remove the password and add it again")
        raise UnreadableDocumentError(name, "it is an Office file of the old kind; save it as DOCX or PDF and add that")
    if data.startswith(b"{\\rtf"):
        raise UnreadableDocumentError(name, "it is an RTF file; save it as DOCX or PDF and add that")
    if data.startswith(_ARCHIVES) or data[257:262] == b"ustar" or data[4:10] == _BZIP2:
        raise UnreadableDocumentError(name, _ARCHIVE_REASON)


def _package_reader(data: bytes, name: str) -> Reader:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        sizes = {part.filename: part.file_size for part in package.infolist()}
    if _DOCX_PART in sizes:
        if sum(sizes.values()) > _MOST_UNPACKED:
            raise UnreadableDocumentError(name, "it unpacks to more than 500 MB, which no document does")
        return read_docx
    raise UnreadableDocumentError(
        name, next((reason for part, reason in _PACKAGES.items() if part in sizes), _ARCHIVE_REASON)
    )
