"""Detect the media type of a picture by its first bytes, because a file name may end wrongly."""

from __future__ import annotations

from memory_bank.text.wording import Wording

_SIGNATURES = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"II*\0": "image/tiff",
    b"MM\0*": "image/tiff",
}
_AVIF = (b"avif", b"avis")
_GENERIC = (b"mif1", b"msf1")
"""Generic main brands; the compatible brands after them tell the format."""
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", *_GENERIC)
_BRANDS = slice(8, 64)

HEIC = "image/heic"
# HEIC is not decoded, because the available decoders are under the GNU General Public License.
HEIC_REFUSED = Wording("it is a HEIC picture, which is not read; save it as JPEG or PNG and add that")


def picture_type(data: bytes) -> str | None:
    """The media type of a picture file that begins with `data` (at least 64 bytes); `None` if it is not a picture."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and data[6:10] == bytes(4):
        return "image/bmp"
    if data[4:8] == b"ftyp":
        main_brand, brands = data[8:12], data[_BRANDS]
        if main_brand in _AVIF or (main_brand in _GENERIC and any(brand in brands for brand in _AVIF)):
            return "image/avif"
        return HEIC if main_brand in _HEIC else None
    return next((media_type for signature, media_type in _SIGNATURES.items() if data.startswith(signature)), None)
