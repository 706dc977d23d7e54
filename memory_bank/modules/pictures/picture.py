"""A picture file: what it is, and its pixels as they are meant to be seen.

Files are not to be trusted. Only decoders that are named here are tried, sizes are looked at before anything is
decoded, and what a file says about itself is shortened to a line.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.media_type import HEIC, HEIC_REFUSED, picture_type
from memory_bank.modules.pictures.kind import Kind, guess_kind
from memory_bank.modules.pictures.metadata import Metadata, read_metadata

_FORMATS = {
    "PNG": ("PNG", "image/png"),
    "JPEG": ("JPEG", "image/jpeg"),
    "MPO": ("JPEG", "image/jpeg"),  # a JPEG with more pictures behind it (a preview, the other eye's)
    "WEBP": ("WebP", "image/webp"),
    "GIF": ("GIF", "image/gif"),
    "TIFF": ("TIFF", "image/tiff"),
    "BMP": ("BMP", "image/bmp"),
    "AVIF": ("AVIF", "image/avif"),
}
"""Pillow's names of the formats that are read: what a person calls them, and their media types."""
_DECODERS = tuple(name for name in _FORMATS if name != "MPO")  # which is opened as the JPEG that it begins with

_HEADER = 4096

_MOST_PIXELS = 50_000_000
"""What the largest cameras in common use take, and an A3 page at 400 dots an inch."""
_LONGEST_SIDE = 32_000
_TOO_LARGE = "the picture has more than 50 million pixels, or a side of more than 32,000; make it smaller and add that"
_MOST_PAGES = 20
_SCAN, _MOST_SCANS = b"\xff\xda", 100
"""How a pass over a JPEG begins. One that comes clearer by and by has some ten; each costs a look at every pixel."""
_WORKING_PIXELS = 16_000_000
"""More are not handed out: an A4 page at 400 dots an inch."""

_PILLOW = threading.Lock()
"""Warnings are switched off for the whole process while a file is being decoded, by one thread at a time."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file that can be read. Sizes are in pixels, of the first page, turned as it is meant to be seen.

    `pages` counts the pages of a TIFF and is 1 for all others: of a picture that is `animated` only its first frame
    is looked at. `kind` is a guess from the pixels. `path` is where the file lay when it was read.
    """

    path: Path
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
    """Check the file at `path`. `name` is what a person called it: it is shown, never used as a path.

    The content decides over the ending of the name. `UnreadableDocumentError` with one line for a person if it is no
    picture, damaged, too large, or of a format that is not read; no other exception, nothing on stderr.
    """
    name = " ".join(clean(name).split())
    with _opened(path, name) as image:
        said, media_type = _FORMATS[str(image.format)]
        pages = _count_pages(image, name) if said == "TIFF" else 1
        animated = said not in {"TIFF", "JPEG"} and bool(getattr(image, "is_animated", False))
        image.seek(0)
        metadata = read_metadata(image)
        turned = said != "TIFF" and _lies_on_its_side(image)  # of a TIFF the decoder turns the size as well
        width, height = image.size[:: -1 if turned else 1]
        kind = guess_kind(_as_rgb(image))
    return Picture(path, name, said, media_type, width, height, kind, pages, animated, metadata)


@dataclass(frozen=True, slots=True)
class Pixels:
    """A page as RGB, turned as it is meant to be seen; `scale` times as long and wide in the file."""

    image: Image.Image
    scale: float

    @classmethod
    def of(cls, image: Image.Image) -> Pixels:
        """Of a picture in memory or an open file: on plain ground, and at most 16 million pixels."""
        longest = max(image.size)
        upright = ImageOps.exif_transpose(_as_rgb(image))
        return cls(upright, longest / max(upright.size))


def read_pixels(picture: Picture, page: int = 1) -> Pixels:
    """The pixels of a page, counted from 1. `UnreadableDocumentError` if the file does not give them."""
    return open_pixels(picture.path, picture.name, page)


def open_pixels(path: Path, name: str, page: int = 1) -> Pixels:
    """Do the same for a file of which nothing else is wanted."""
    with _opened(path, name) as image:
        if page > 1:
            image.seek(page - 1)
            _check_size(image, name)
        return Pixels.of(image)


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Image.Image]:
    """The file as Pillow has it, its size checked; whatever goes wrong with it becomes one line for a person."""
    with _PILLOW, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a flaw that a decoder works around is of no use to a person
        try:
            _refuse_by_header(path, name)
            with path.open("rb") as file, Image.open(file, formats=_DECODERS) as image:  # Pillow may leave its own open
                _check_size(image, name)
                if image.format in {"JPEG", "MPO"} and path.read_bytes().count(_SCAN) > _MOST_SCANS:
                    raise UnreadableDocumentError(name, "it is made to take for ever; save it as PNG and add that")
                yield image
        except UnreadableDocumentError:
            raise
        except Image.DecompressionBombError as error:
            raise UnreadableDocumentError(name, _TOO_LARGE) from error
        except UnidentifiedImageError as error:
            reason = "it is no picture that can be read; save it as PNG or JPEG and add that"
            raise UnreadableDocumentError(name, reason) from error
        except Exception as error:  # a decoder raises anything on a broken file
            detail = " ".join(clean(str(error)).split())[:120] or type(error).__name__
            raise UnreadableDocumentError(name, f"it is damaged ({detail})") from error


def _refuse_by_header(path: Path, name: str) -> None:
    """Say of well-known files that are not read what to do with them."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise UnreadableDocumentError(name, f"the file cannot be opened: {error.strerror}") from error
    if not header:
        raise UnreadableDocumentError(name, "it is empty")
    media_type = picture_type(header)
    if media_type == HEIC:
        raise UnreadableDocumentError(name, HEIC_REFUSED)
    if media_type is None and b"<svg" in header.lower():
        raise UnreadableDocumentError(name, "it is an SVG drawing, which is not read; save it as PNG and add that")


def _check_size(image: Image.Image, name: str) -> None:
    if image.width * image.height > _MOST_PIXELS or max(image.size) > _LONGEST_SIDE:
        raise UnreadableDocumentError(name, _TOO_LARGE)


def _lies_on_its_side(image: Image.Image) -> bool:
    return image.getexif().get(ExifTags.Base.Orientation) in {5, 6, 7, 8}


def _count_pages(image: Image.Image, name: str) -> int:
    """Go from page to page, which decodes nothing: a file may say that it has any number."""
    for page in range(1, _MOST_PAGES + 1):
        try:
            image.seek(page)
        except EOFError:
            return page
        _check_size(image, name)
    raise UnreadableDocumentError(name, f"it has more than {_MOST_PAGES} pages; save it as PDF and add that")


def _as_rgb(image: Image.Image) -> Image.Image:
    """As RGB, decoded, and made smaller where it has more pixels than anybody needs."""
    if image.format in {"JPEG", "MPO"}:
        image.draft("RGB", _working_size(image.size))  # the decoder itself makes it smaller, which saves the memory
    if image.mode[0] in "IF":  # 16 and 32 bits to a pixel, which Pillow would cut off
        return _in_eight_bits(image)
    if image.has_transparency_data:
        return _on_ground(_smaller(_in_mode(image, "RGBA")))
    return _smaller(_in_mode(image, "RGB"))


def _in_mode(image: Image.Image, mode: str) -> Image.Image:
    return image if image.mode == mode else image.convert(mode)  # which would copy it, 200 MB of the largest


def _working_size(size: tuple[int, int]) -> tuple[int, int]:
    shrink = min(1.0, (_WORKING_PIXELS / (size[0] * size[1])) ** 0.5)
    return max(1, round(size[0] * shrink)), max(1, round(size[1] * shrink))


def _smaller(image: Image.Image) -> Image.Image:
    size = _working_size(image.size)
    return image if size == image.size else image.resize(size, Image.Resampling.BOX, reducing_gap=2.0)


def _in_eight_bits(image: Image.Image) -> Image.Image:
    """Grey of up to 16 bits by as many as it needs: scanners use 10 or 12. Of other numbers all that occur."""
    values = np.nan_to_num(np.asarray(image, dtype=np.float32))
    low, high = float(values.min()), float(values.max())
    if image.mode[0] == "I" and low >= 0 and high < 1 << 16:
        low, high = 0.0, float((1 << max(8, int(high).bit_length())) - 1)
    values = (values - low) * (255 / max(high - low, 1e-6))
    return _smaller(Image.fromarray(values.astype(np.uint8)).convert("RGB"))


def _on_ground(image: Image.Image) -> Image.Image:
    """On white, or on black where all that can be seen is light."""
    seen = np.asarray(image.resize((64, 64), Image.Resampling.BOX), dtype=np.float32)
    brightness, opacity = seen[..., :3].mean(axis=2), seen[..., 3]
    light = float((brightness * opacity).sum()) > 200 * float(opacity.sum())
    ground = Image.new("RGBA", image.size, (0, 0, 0) if light else (255, 255, 255))
    return Image.alpha_composite(ground, image).convert("RGB")
