"""What a PDF holds beside its text: the pictures on its pages and the files attached to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from io import BytesIO
from mimetypes import guess_type

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.modules.documents import bounds
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Embedded

_LEAST_SIDE = 32
"""Pixels; a smaller picture is a bullet or a line."""
_AS_IT_IS = ("DCTDecode", "JPXDecode")
_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"II": "image/tiff", b"MM": "image/tiff"}
_JPEG_2000 = "image/jp2"


class Pictures:
    """Gathers the pictures of pages; one that returns, such as a logo, is taken once."""

    def __init__(self) -> None:
        self.found: list[Embedded] = []
        self._seen: set[bytes] = set()
        self._pixels = bounds.MOST_REDRAWN_PIXELS

    def look(self, page: pypdfium2.PdfPage, number: int) -> None:
        """Take the pictures of a page; no more than are named at all."""
        if len(self.found) >= bounds.MOST_EMBEDDED:
            return
        for place, picture in enumerate(page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3), start=1):
            if len(self.found) >= bounds.MOST_EMBEDDED or place > bounds.MOST_EMBEDDED:
                return
            if isinstance(picture, pypdfium2.PdfImage) and min(picture.get_px_size()) >= _LEAST_SIDE:
                self._take(picture, f"page {number}, picture {place}")

    def _take(self, picture: pypdfium2.PdfImage, name: str) -> None:
        data = self._content(picture)
        digest = hashlib.sha256(data or name.encode()).digest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        media_type = _TYPES.get(data[:2], _JPEG_2000) if data else "image/png"
        ending = media_type.removeprefix("image/")
        self.found.append(Embedded(f"{name}.{ending}", media_type, len(data or b""), data))

    def _content(self, picture: pypdfium2.PdfImage) -> bytes | None:
        """The picture as a file; one that must be drawn anew only as long as that takes seconds and no more."""
        if not set(picture.get_filters()).intersection(_AS_IT_IS):
            across, down = picture.get_px_size()
            self._pixels -= across * down
            if self._pixels < 0:
                return None
        written = BytesIO()
        try:
            picture.extract(written)
        except Exception:  # noqa: BLE001 - a decoder raises anything on a broken picture, which must not cost the text
            return None
        return written.getvalue()


def attached_files(source: pypdfium2.PdfDocument) -> Iterator[Embedded]:
    """List the attached files, the first so many."""
    for number in range(min(source.count_attachments(), bounds.MOST_EMBEDDED)):
        attachment = source.get_attachment(number)
        name = " ".join(clean(attachment.get_name()).split())
        try:
            data = bytes(attachment.get_data())
        except pypdfium2.PdfiumError:
            data = b""
        yield Embedded(name, guess_type(name)[0] or "application/octet-stream", len(data), data)
