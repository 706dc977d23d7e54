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
_AVIF = (b"avif", b"avis")
_GENERAL = (b"mif1", b"msf1")
"""Brands of a file that holds pictures of whatever kind; the brands after it say which."""
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", *_GENERAL)
_BRANDS = slice(8, 64)

HEIC = "image/heic"
# The decoders that can be had bind a program to the GNU General Public License.
HEIC_REFUSED = "it is a HEIC picture, which is not read; save it as JPEG or PNG and add that"


def picture_type(data: bytes) -> str | None:
    """The media type of a picture whose file begins with `data`, at least 64 bytes of it; None if it is no picture."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and data[6:10] == bytes(4):
        return "image/bmp"
    if data[4:8] == b"ftyp":
        return _by_brand(data[8:12], data[_BRANDS])
    return next((media_type for start, media_type in _STARTS.items() if data.startswith(start)), None)


def _by_brand(brand: bytes, brands: bytes) -> str | None:
    if brand in _AVIF or (brand in _GENERAL and any(one in brands for one in _AVIF)):
        return "image/avif"
    return HEIC if brand in _HEIC else None
