"""Extract the pictures on the pages of a PDF and its attached files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from io import BytesIO
from mimetypes import guess_type

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.documents import bounds
from memory_bank.documents.decoding import clean_line
from memory_bank.documents.document import Embedded

_MIN_SIDE = 32
"""Pixels. A smaller picture is a bullet or a line."""
_FILE_FILTERS = ("DCTDecode", "JPXDecode")
"""Filters whose pictures are stored as complete JPEG or JPEG 2000 files."""
_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"II": "image/tiff", b"MM": "image/tiff"}
_JPEG_2000 = "image/jp2"


class PictureCollector:
    """Collects the pictures of pages. One that is repeated, such as a logo, is taken once."""

    def __init__(self) -> None:
        self.found: list[Embedded] = []
        self._seen: set[bytes] = set()
        self._pixels_left = bounds.MOST_REDRAWN_PIXELS

    def look(self, page: pypdfium2.PdfPage, number: int) -> None:
        """Collect the pictures of a page, up to the limit for the document."""
        if len(self.found) >= bounds.MOST_EMBEDDED:
            return
        for position, picture in enumerate(page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3), start=1):
            if len(self.found) >= bounds.MOST_EMBEDDED or position > bounds.MOST_EMBEDDED:
                return
            if isinstance(picture, pypdfium2.PdfImage) and min(picture.get_px_size()) >= _MIN_SIDE:
                self._add(picture, f"page {number}, picture {position}")

    def _add(self, picture: pypdfium2.PdfImage, name: str) -> None:
        data = self._content(picture)
        digest = hashlib.sha256(data or name.encode()).digest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        media_type = _TYPES.get(data[:2], _JPEG_2000) if data else "image/png"
        suffix = media_type.removeprefix("image/")
        self.found.append(Embedded(f"{name}.{suffix}", media_type, len(data or b""), data))

    def _content(self, picture: pypdfium2.PdfImage) -> bytes | None:
        """The bytes of the picture as a file. One that must be re-encoded is left out beyond the limit on pixels."""
        if not set(picture.get_filters()).intersection(_FILE_FILTERS):
            width, height = picture.get_px_size()
            self._pixels_left -= width * height
            if self._pixels_left < 0:
                return None
        buffer = BytesIO()
        try:
            picture.extract(buffer)
        except Exception:  # noqa: BLE001 - decoders raise anything on a broken picture; the text is still wanted
            return None
        return buffer.getvalue()


def attached_files(source: pypdfium2.PdfDocument) -> Iterator[Embedded]:
    """Yield the attached files, up to the limit."""
    for number in range(min(source.count_attachments(), bounds.MOST_EMBEDDED)):
        attachment = source.get_attachment(number)
        name = clean_line(attachment.get_name())
        try:
            data = bytes(attachment.get_data())
        except pypdfium2.PdfiumError:
            data = b""
        yield Embedded(name, guess_type(name)[0] or "application/octet-stream", len(data), data)
