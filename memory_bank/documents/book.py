"""Read EPUB: the chapters in the order of the book's spine, each as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.document import Document, TextBuilder
from memory_bank.documents.formats import BY_SUFFIX
from memory_bank.documents.markup import add_html
from memory_bank.documents.package import Package
from memory_bank.text.wording import Wording

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"


def read_epub(data: bytes, name: str) -> Document:
    """Read an EPUB file with the headings of its chapters. Raises if a chapter is encrypted."""
    package = Package(data, name)
    opf_part = package.xml(_CONTAINER).find(".//{*}rootfile").get("full-path")
    opf = package.xml(opf_part)
    chapters = [part for part in _spine(opf, dirname(opf_part)) if part in package]
    encrypted = package.xml(_ENCRYPTION).iterfind(".//{*}CipherReference") if _ENCRYPTION in package else ()
    if any(unquote(reference.get("URI", "")) in chapters for reference in encrypted):
        raise UnreadableDocumentError(name, Wording("it is protected against being copied"))
    builder = TextBuilder()
    for part in chapters:
        add_html(builder, package.read(part), name)
    title = opf.findtext(".//{http://purl.org/dc/elements/1.1/}title")
    return builder.document(name, BY_SUFFIX[".epub"].media_type, title, package.embedded())


def _spine(opf: Any, folder: str) -> Iterator[str]:  # noqa: ANN401 - lxml
    """Yield the package parts that are chapters, in reading order."""
    items = {item.get("id"): item for item in opf.iterfind(".//{*}manifest/{*}item")}
    for reference in opf.iterfind(".//{*}spine/{*}itemref"):
        item = items.pop(reference.get("idref"), None)  # a chapter listed twice is read once
        if item is not None and "html" in item.get("media-type", ""):
            yield normpath(join(folder, unquote(item.get("href", ""))))
