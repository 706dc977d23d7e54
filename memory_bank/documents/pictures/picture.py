"""Check a picture file and decode its pixels, upright and as RGB; guess its kind; encode it for models.

Files are not trusted. Only the decoders listed here are tried, sizes are checked before anything is decoded, and texts
in the metadata are shortened to one line.
"""

from __future__ import annotations

import threading
import warnings
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.decoding import clean_line
from memory_bank.documents.media_type import HEIC, HEIC_REFUSED, picture_type
from memory_bank.documents.pictures.metadata import Metadata, read_metadata
from memory_bank.text.wording import Wording

Kind = Literal["photograph", "page", "screenshot", "drawing"]
"""A page is rows of text on paper, scanned or not. A screenshot is anything else made by a computer, such as charts and
slides. A drawing has some strokes on a plain background."""

_SAMPLE = 512
_ROWS = 200
_SLICES = 8
_CONTRAST = 32
"""Brightness difference from the background, of 255, from which a pixel is ink."""
_COLOURED = 48
"""Difference between the colour channels, of 255, from which a pixel is coloured."""
_MODEL_PIXELS = 2_048 * 2_048
"""Pixels that models use, according to their makers."""
_MODEL_SIDE = 8_000
"""The strictest limit on a side among the models."""
_JPEG_QUALITY = 90
_DECODERS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF")
"""Pillow's names of the formats that are read."""
_DISPLAYED = {"WEBP": "WebP", "MPO": "JPEG"}  # MPO: a JPEG with more pictures behind it (a preview, the other eye's)

_HEADER = 4096

_MAX_PIXELS = 50_000_000
"""As the largest common cameras take, or an A3 page at 400 dpi."""
_MAX_SIDE = 32_000
_TOO_LARGE = Wording(
    "the picture has more than 50 million pixels, or a side of more than 32,000; make it smaller and add that"
)
_MAX_PAGES = 20
_SCAN, _MAX_SCANS = b"\xff\xda", 100
"""The marker of a scan in a JPEG, and the largest number. A progressive one has about ten; each takes a full pass."""
_WORKING_PIXELS = 16_000_000
"""Larger pictures are reduced to so many pixels: an A4 page at 400 dpi."""

_PILLOW = threading.Lock()
"""Held while decoding, because it switches off warnings for the whole process."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file that can be read. `width` and `height` are in pixels, of the first page turned upright.

    `pages` is the number of pages of a TIFF, and 1 for all other formats: of an `animated` picture only the first frame
    is used. `kind` is a guess from the pixels.
    """

    name: str
    format: str
    media_type: str
    width: int
    height: int
    kind: Kind
    pages: int = 1
    animated: bool = False
    metadata: Metadata = field(default_factory=Metadata)


def read_picture(path: Path, name: str) -> Picture:
    """Check the file at `path`. `name` is the user's name for it: it is shown, never used as a path.

    The content takes precedence over the suffix. Raises `UnreadableDocumentError` with one line for the user if the
    file is no picture, damaged, too large, or of an unsupported format; no other exception, nothing on stderr.
    """
    name = clean_line(name)
    with _opened(path, name) as image:
        format_name = _DISPLAYED.get(str(image.format), str(image.format))
        pages = _count_pages(image, name) if format_name == "TIFF" else 1
        animated = format_name not in {"TIFF", "JPEG"} and bool(getattr(image, "is_animated", False))
        image.seek(0)
        metadata = read_metadata(image)
        # For TIFF the decoder has swapped width and height already.
        swapped = format_name != "TIFF" and image.getexif().get(ExifTags.Base.Orientation) in {5, 6, 7, 8}
        width, height = image.size[:: -1 if swapped else 1]
        kind = guess_kind(_as_rgb(image))
    media_type = f"image/{format_name.lower()}"
    return Picture(name, format_name, media_type, width, height, kind, pages, animated, metadata)


def upright(image: Image.Image) -> Image.Image:
    """An image in memory or an open file as RGB, turned upright, on a plain background, at most 16 million pixels."""
    return ImageOps.exif_transpose(_as_rgb(image))


def open_page(path: Path, name: str, page: int = 1) -> Image.Image:
    """Decode a page, counted from 1, as `upright` does. The file need not be checked. Raises as `read_picture` does."""
    with _opened(path, name) as image:
        if page > 1:
            image.seek(page - 1)
            _check_size(image, name)
        return upright(image)


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Image.Image]:
    """Open a file in Pillow and check its size. Any error becomes an `UnreadableDocumentError` with one line."""
    with _PILLOW, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the user need not know of flaws that a decoder works around
        try:
            _refuse_by_header(path, name)
            # Pillow may leave a file open that it opened by path.
            with path.open("rb") as file, Image.open(file, formats=_DECODERS) as image:
                _check_size(image, name)
                if image.format in {"JPEG", "MPO"} and path.read_bytes().count(_SCAN) > _MAX_SCANS:
                    raise UnreadableDocumentError(
                        name, Wording("it is made to take for ever; save it as PNG and add that")
                    )
                yield image
        except UnreadableDocumentError:
            raise
        except Image.DecompressionBombError as error:
            raise UnreadableDocumentError(name, _TOO_LARGE) from error
        except UnidentifiedImageError as error:
            reason = Wording("it is no picture that can be read; save it as PNG or JPEG and add that")
            raise UnreadableDocumentError(name, reason) from error
        except Exception as error:  # decoders raise anything on a broken file
            detail = clean_line(str(error))[:120] or type(error).__name__
            raise UnreadableDocumentError(name, Wording("it is damaged ({detail})", detail=detail)) from error


def _refuse_by_header(path: Path, name: str) -> None:
    """Raise with advice for well-known files that are not read, and for empty or missing ones."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise UnreadableDocumentError(
            name, Wording("the file cannot be opened: {detail}", detail=error.strerror)
        ) from error
    if not header:
        raise UnreadableDocumentError(name, Wording("it is empty"))
    media_type = picture_type(header)
    if media_type == HEIC:
        raise UnreadableDocumentError(name, HEIC_REFUSED)
    if media_type is None and b"<svg" in header.lower():
        raise UnreadableDocumentError(
            name, Wording("it is an SVG drawing, which is not read; save it as PNG and add that")
        )


def _check_size(image: Image.Image, name: str) -> None:
    if image.width * image.height > _MAX_PIXELS or max(image.size) > _MAX_SIDE:
        raise UnreadableDocumentError(name, _TOO_LARGE)


def _count_pages(image: Image.Image, name: str) -> int:
    """Count pages by seeking, which decodes nothing; the number stated in the file may be wrong."""
    for page in range(1, _MAX_PAGES + 1):
        try:
            image.seek(page)
        except EOFError:
            return page
        _check_size(image, name)
    raise UnreadableDocumentError(
        name, Wording("it has more than {number} pages; save it as PDF and add that", number=_MAX_PAGES)
    )


def _as_rgb(image: Image.Image) -> Image.Image:
    """Decode as RGB, reduced to at most 16 million pixels."""
    if image.format in {"JPEG", "MPO"}:
        image.draft("RGB", _working_size(image.size))  # decodes at a smaller size, which saves memory
    if image.mode[0] in "IF":  # 16 or 32 bits per pixel, which Pillow would clip
        return _to_eight_bits(image)
    if image.has_transparency_data:
        return _on_background(_reduced(_in_mode(image, "RGBA")))
    return _reduced(_in_mode(image, "RGB"))


def _in_mode(image: Image.Image, mode: str) -> Image.Image:
    return image if image.mode == mode else image.convert(mode)  # convert would copy it, up to 200 MB


def _working_size(size: tuple[int, int]) -> tuple[int, int]:
    factor = min(1.0, (_WORKING_PIXELS / (size[0] * size[1])) ** 0.5)
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def _reduced(image: Image.Image) -> Image.Image:
    size = _working_size(image.size)
    return image if size == image.size else image.resize(size, Image.Resampling.BOX, reducing_gap=2.0)


def _to_eight_bits(image: Image.Image) -> Image.Image:
    """Scale 16-bit grey by the bits that it uses (scanners use 10 or 12), and other values by their range."""
    values = np.nan_to_num(np.asarray(image, dtype=np.float32))
    low, high = float(values.min()), float(values.max())
    if image.mode[0] == "I" and low >= 0 and high < 1 << 16:
        low, high = 0.0, float((1 << max(8, int(high).bit_length())) - 1)
    values = (values - low) * (255 / max(high - low, 1e-6))
    return _reduced(Image.fromarray(values.astype(np.uint8)).convert("RGB"))


def _on_background(image: Image.Image) -> Image.Image:
    """Put a transparent picture on white, or on black if its visible part is light."""
    sample = np.asarray(image.resize((64, 64), Image.Resampling.BOX), dtype=np.float32)
    brightness, opacity = sample[..., :3].mean(axis=2), sample[..., 3]
    is_light = float((brightness * opacity).sum()) > 200 * float(opacity.sum())
    background = Image.new("RGBA", image.size, (0, 0, 0) if is_light else (255, 255, 255))
    return Image.alpha_composite(background, image).convert("RGB")


def data_urls(path: Path, name: str) -> tuple[str, ...]:
    """Return each page as a data URL: PNG, or JPEG for a photograph. Raises as `read_picture` does.

    The picture is re-encoded, so that nothing else in the file is sent, such as where it was taken.
    """
    picture = read_picture(path, name)
    image_format = "JPEG" if picture.format == "JPEG" or picture.kind == "photograph" else "PNG"
    pages = range(1, picture.pages + 1)
    return tuple(_data_url(_shrink(open_page(path, name, page)), image_format) for page in pages)


def _shrink(image: Image.Image) -> Image.Image:
    width, height = image.size
    factor = min(1.0, (_MODEL_PIXELS / (width * height)) ** 0.5, _MODEL_SIDE / max(width, height))
    if factor == 1:
        return image
    return image.resize((max(1, int(width * factor)), max(1, int(height * factor))), Image.Resampling.LANCZOS)


def _data_url(image: Image.Image, image_format: str) -> str:
    buffer = BytesIO()
    image.info.clear()  # otherwise comments are saved too
    image.save(buffer, image_format, quality=_JPEG_QUALITY)
    return f"data:image/{image_format.lower()};base64,{b64encode(buffer.getvalue()).decode()}"


def guess_kind(image: Image.Image) -> Kind:
    """Guess from the background, the colours, the flatness and the rows of ink of an RGB picture."""
    flat = _flatness(image)
    sample = image.copy()
    sample.thumbnail((_SAMPLE, _SAMPLE), Image.Resampling.BOX)
    pixels = np.asarray(sample, dtype=np.int16)
    brightness = pixels.mean(axis=2)
    background = float(np.median(brightness))
    ink = np.abs(brightness - background) > _CONTRAST
    coloured = float(np.mean(np.ptp(pixels, axis=2) > _COLOURED))
    on_paper = background > 150 and ink.mean() < 0.4 and coloured < 0.1
    if not on_paper:
        return "screenshot" if flat > 0.6 else "photograph"
    if _rows_of_ink(ink) >= 6:
        return "screenshot" if flat > 0.8 and image.width > image.height else "page"
    return "drawing"


def _flatness(image: Image.Image) -> float:
    """The share of pixels that nearly equal their left neighbour; JPEG compression changes pixels slightly.

    It is low for cameras and scanners, and high for pictures made by computers.
    """
    step = -(-image.height // _ROWS)
    rows = np.concatenate(
        [np.asarray(image.crop((0, y, image.width, y + 1)), dtype=np.int16) for y in range(0, image.height, step)]
    )
    if image.width == 1:
        return 1.0
    return float(np.mean(np.abs(np.diff(rows, axis=1)).max(axis=2) <= 1))


def _rows_of_ink(ink: NDArray[np.bool_]) -> float:
    """Count the rows of ink, as the median over narrow vertical slices, because a page may be skewed."""
    counts = []
    for part in np.array_split(ink, _SLICES, axis=1):
        inked = part.mean(axis=1) > 0.1 if part.size else np.zeros(1, dtype=np.bool_)
        if inked.any():
            counts.append(np.count_nonzero(inked[1:] & ~inked[:-1]))
    return float(np.median(counts)) if counts else 0.0
