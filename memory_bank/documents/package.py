"""Open the ZIP package of an office document or EPUB within limits: its parts, its XML and its embedded pictures."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from lxml import etree

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import bounds
from memory_bank.documents.decoding import clean
from memory_bank.documents.document import EmbeddedFile
from memory_bank.text.iteration import those_fitting
from memory_bank.text.wording import Wording

PROTECTED = Wording("it is protected by a password; remove the password and add it again")

_PICTURE_TYPES = {
    **dict.fromkeys((".jpg", ".jpeg"), "image/jpeg"),
    **dict.fromkeys((".tif", ".tiff"), "image/tiff"),
    **{f".{suffix}": f"image/{suffix}" for suffix in ("png", "gif", "webp", "bmp", "heic")},
    ".svg": "image/svg+xml",
}
_FILE_FOLDERS = ("word/embeddings/", "xl/embeddings/", "ppt/embeddings/")
_THUMBNAILS = ("Thumbnails/", "docProps/")
_ENCRYPTED_FLAG = 0x1


class Package:
    """The parts of a package by name. Opening raises if it needs a password or unpacks to more than 500 MB."""

    def __init__(self, data: bytes, name: str) -> None:
        self._zip = zipfile.ZipFile(BytesIO(data))
        parts = self._zip.infolist()
        if sum(part.file_size for part in parts) > bounds.MOST_UNPACKED:
            raise UnreadableDocumentError(name, Wording("it unpacks to more than 500 MB, which no document does"))
        if any(part.flag_bits & _ENCRYPTED_FLAG for part in parts):
            raise UnreadableDocumentError(name, PROTECTED)
        self._sizes = {part.filename: part.file_size for part in parts if not part.is_dir()}

    def __contains__(self, part: str) -> bool:
        return part in self._sizes

    def read(self, part: str) -> bytes:
        """Unpack a part, to no more bytes than the package directory states. Raises `KeyError` if there is none."""
        return self._zip.read(part)

    def xml(self, part: str) -> Any:  # noqa: ANN401 - lxml
        """Parse a part as XML. No entity is expanded and nothing is fetched."""
        return etree.fromstring(
            self.read(part), etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        )

    def embedded(self) -> tuple[EmbeddedFile, ...]:
        """Return the pictures and files in the package, sorted by name."""
        return keep_within_bounds(self._list_embedded())

    def _list_embedded(self) -> Iterator[EmbeddedFile]:
        for part in sorted(self._sizes):
            media_type = _PICTURE_TYPES.get(PurePosixPath(part).suffix.lower())
            if media_type is None and part.startswith(_FILE_FOLDERS):
                media_type = "application/octet-stream"
            if media_type is None or part.startswith(_THUMBNAILS):
                continue
            if self._sizes[part] <= bounds.MOST_EMBEDDED_BYTES:
                yield EmbeddedFile(clean(PurePosixPath(part).name), media_type, self.read(part))


def find_elements(container: Any, skipped: Collection[str], *tags: str) -> Iterator[Any]:  # noqa: ANN401 - lxml
    """Yield the elements with one of the tags at any depth, but not those inside such an element or a `skipped` one."""
    for child in container:
        if child.tag in tags:
            yield child
        elif child.tag not in skipped:
            yield from find_elements(child, skipped, *tags)


def keep_within_bounds(files: Iterable[EmbeddedFile]) -> tuple[EmbeddedFile, ...]:
    """Take embedded files up to the maximum number, without those beyond the maximum bytes."""
    first = islice(files, bounds.MOST_EMBEDDED)
    return tuple(those_fitting(first, bounds.MOST_EMBEDDED_BYTES, lambda file: len(file.data)))
