"""Whether a file is a picture, by its first bytes: what a name ends in may be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_STARTS: Mapping[bytes, str] = MappingProxyType(
    {
        b"\x89PNG\r\n": "image/png",
        b"\xff\xd8\xff": "image/jpeg",
        b"GIF87a": "image/gif",
        b"GIF89a": "image/gif",
        b"II*\0": "image/tiff",
        b"MM\0*": "image/tiff",
    }
)
_BRANDS: Mapping[bytes, str] = MappingProxyType(
    {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heic", b"avif": "image/avif"}
)


def picture_type(data: bytes) -> str | None:
    """The media type of a picture whose file begins with `data`, some dozen bytes; None if it is no picture."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and data[6:10] == bytes(4):
        return "image/bmp"
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12])
    return next((media_type for start, media_type in _STARTS.items() if data.startswith(start)), None)
