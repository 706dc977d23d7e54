"""A picture as models that see are given one: in a format that they know, and no larger than they look at."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path

from PIL import Image

from memory_bank.modules.pictures.picture import open_pixels, read_picture

_MOST_PIXELS = 2_048 * 2_048
_LONGEST_SIDE = 8_000
"""What the makers of models say is looked at, and what the strictest of them takes."""
_JPEG_QUALITY = 90


def data_urls(path: Path, name: str) -> tuple[str, ...]:
    """Each page as PNG, of a photograph as JPEG, in base64. `UnreadableDocumentError` as of `read_picture`.

    It is written anew: what else its file holds, such as where it was taken, is sent to nobody.
    """
    picture = read_picture(path, name)
    kind = "JPEG" if picture.format == "JPEG" or picture.kind == "photograph" else "PNG"
    pages = range(1, picture.pages + 1)
    return tuple(_data_url(_bounded(open_pixels(path, name, page).image), kind) for page in pages)


def _bounded(image: Image.Image) -> Image.Image:
    width, height = image.size
    shrink = min(1.0, (_MOST_PIXELS / (width * height)) ** 0.5, _LONGEST_SIDE / max(width, height))
    if shrink == 1:
        return image
    return image.resize((max(1, int(width * shrink)), max(1, int(height * shrink))), Image.Resampling.LANCZOS)


def _data_url(image: Image.Image, kind: str) -> str:
    written = BytesIO()
    image.info.clear()  # comments would be written with it
    image.save(written, kind, quality=_JPEG_QUALITY)
    return f"data:image/{kind.lower()};base64,{b64encode(written.getvalue()).decode()}"
