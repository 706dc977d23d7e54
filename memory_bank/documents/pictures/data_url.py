"""Encode a picture for models with vision: in a format that they accept, no larger than they use."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path

from PIL import Image

from memory_bank.documents.pictures.picture import open_pixels, read_picture

_MAX_PIXELS = 2_048 * 2_048
"""Pixels that models use, according to their makers."""
_MAX_SIDE = 8_000
"""The strictest limit on a side among the models."""
_JPEG_QUALITY = 90


def data_urls(path: Path, name: str) -> tuple[str, ...]:
    """Return each page as a data URL: PNG, or JPEG for a photograph. Raises as `read_picture` does.

    The picture is re-encoded, so that nothing else in the file is sent, such as where it was taken.
    """
    picture = read_picture(path, name)
    image_format = "JPEG" if picture.format == "JPEG" or picture.kind == "photograph" else "PNG"
    pages = range(1, picture.pages + 1)
    return tuple(_data_url(_shrink(open_pixels(path, name, page).image), image_format) for page in pages)


def _shrink(image: Image.Image) -> Image.Image:
    width, height = image.size
    factor = min(1.0, (_MAX_PIXELS / (width * height)) ** 0.5, _MAX_SIDE / max(width, height))
    if factor == 1:
        return image
    return image.resize((max(1, int(width * factor)), max(1, int(height * factor))), Image.Resampling.LANCZOS)


def _data_url(image: Image.Image, image_format: str) -> str:
    buffer = BytesIO()
    image.info.clear()  # otherwise comments are saved too
    image.save(buffer, image_format, quality=_JPEG_QUALITY)
    return f"data:image/{image_format.lower()};base64,{b64encode(buffer.getvalue()).decode()}"
