"""The ZIP package that office documents and books are: its parts, opened with bounds, and the pictures in it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from lxml import etree

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents import bounds
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Embedded

PROTECTED = "it is protected by a password; remove the password and add it again"

_PICTURES = {
    **dict.fromkeys((".jpg", ".jpeg"), "image/jpeg"),
    **dict.fromkeys((".tif", ".tiff"), "image/tiff"),
    **{f".{kind}": f"image/{kind}" for kind in ("png", "gif", "webp", "bmp", "heic")},
    ".svg": "image/svg+xml",
}
_FILE_FOLDERS = ("word/embeddings/", "xl/embeddings/", "ppt/embeddings/")
_THUMBNAILS = ("Thumbnails/", "docProps/")
_ENCRYPTED = 0x1


class Package:
    """The parts of a package by name. Opening refuses one that needs a password or unpacks to a mountain."""

    def __init__(self, data: bytes, name: str) -> None:
        self._zip = zipfile.ZipFile(BytesIO(data))
        parts = self._zip.infolist()
        if sum(part.file_size for part in parts) > bounds.MOST_UNPACKED:
            raise UnreadableDocumentError(name, "it unpacks to more than 500 MB, which no document does")
        if any(part.flag_bits & _ENCRYPTED for part in parts):
            raise UnreadableDocumentError(name, PROTECTED)
        self._sizes = {part.filename: part.file_size for part in parts if not part.is_dir()}

    def __contains__(self, part: str) -> bool:
        return part in self._sizes

    def read(self, part: str) -> bytes:
        """Unpack a part; `KeyError` where there is none. No more comes than the directory of the package says."""
        return self._zip.read(part)

    def xml(self, part: str) -> Any:  # noqa: ANN401 - lxml
        """Parse a part. No entity is expanded and nothing is fetched."""
        return parse_xml(self.read(part))

    def embedded(self) -> tuple[Embedded, ...]:
        """List the pictures and files of the package, in the order of their names."""
        return tuple(keep_within_bounds(self._embedded()))

    def _embedded(self) -> Iterator[Embedded]:
        for part in sorted(self._sizes):
            media_type = _PICTURES.get(PurePosixPath(part).suffix.lower())
            if media_type is None and part.startswith(_FILE_FOLDERS):
                media_type = "application/octet-stream"
            if media_type is None or part.startswith(_THUMBNAILS):
                continue
            size = self._sizes[part]
            data = self.read(part) if size <= bounds.MOST_EMBEDDED_BYTES else None
            yield Embedded(clean(PurePosixPath(part).name), media_type, size, data)


def parse_xml(data: bytes) -> Any:  # noqa: ANN401 - lxml
    """Parse XML of unknown origin. No entity is expanded and nothing is fetched."""
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def keep_within_bounds(found: Iterable[Embedded]) -> Iterator[Embedded]:
    """Take the first so many, the content of the first so many bytes; of those after it the name alone."""
    left = bounds.MOST_EMBEDDED_BYTES
    for number, one in enumerate(found, start=1):
        if one.data is not None and one.size > left:
            one = Embedded(one.name, one.media_type, one.size)  # noqa: PLW2901 - the same one, without its bytes
        left -= len(one.data or b"")
        yield one
        if number == bounds.MOST_EMBEDDED:
            return
