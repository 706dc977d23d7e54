"""Read the useful metadata of a picture file: time, camera and texts.

The GPS position is left out on purpose: numbers answer no question asked in words, and an entry is exported and sent to
models, which would disclose where somebody lives. It stays in the stored file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from PIL import ExifTags, Image

from memory_bank.documents.decoding import clean_line

_MAX_CHARACTERS = 500
"""Characters of a text that are kept; a description is a few sentences."""
_XP_TEXTS = {0x9C9B: "title", 0x9C9C: "comment"}
_TEXTS = frozenset({"title", "description", "comment", "author"})
_TIME = re.compile(r"(\d{4}):(\d\d):(\d\d) ([01]\d|2[0-3]):([0-5]\d)(?::\d\d)?")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The time taken (local, without a zone, "2024-05-01 14:30"), the camera, and texts as (label, text)."""

    taken_at: str | None = None
    camera: str | None = None
    texts: tuple[tuple[str, str], ...] = ()


def read_metadata(image: Image.Image) -> Metadata:
    """Read the metadata of an open image. Broken metadata gives an empty result, as the picture is still usable."""
    try:
        exif = image.getexif()
        details = exif.get_ifd(ExifTags.IFD.Exif)
        return Metadata(
            taken_at=_time(details.get(ExifTags.Base.DateTimeOriginal) or exif.get(ExifTags.Base.DateTime)),
            camera=_camera(_one_line(exif.get(ExifTags.Base.Make)), _one_line(exif.get(ExifTags.Base.Model))),
            texts=tuple({text: (label, text) for label, text in _texts(image, exif, details) if text}.values()),
        )
    except Exception:  # noqa: BLE001 - broken metadata raises anything
        return Metadata()


def _texts(image: Image.Image, exif: Mapping[int, Any], details: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    """Yield (label, text) from all the places where programs store texts."""
    for key, value in image.info.items():
        if isinstance(key, str) and key.lower() in _TEXTS:
            yield key.lower(), _one_line(value)
    yield "description", _one_line(exif.get(ExifTags.Base.ImageDescription))
    yield "author", _one_line(exif.get(ExifTags.Base.Artist))
    for tag, label in _XP_TEXTS.items():
        value = exif.get(tag)
        yield label, _one_line(value.decode("utf-16-le", "replace") if isinstance(value, bytes) else value)
    yield "comment", _one_line(_user_comment(details.get(ExifTags.Base.UserComment)))


def _user_comment(value: object) -> object:
    """Decode an EXIF comment, which begins with eight bytes that name its encoding."""
    if not isinstance(value, bytes):
        return value
    encoding = "utf-16" if value.startswith(b"UNICODE") else "utf-8"
    return value[8:].decode(encoding, "replace")


def _one_line(value: object) -> str:
    """A text on one line; "" for a value that is no text."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return clean_line(text.replace("\0", " "))[:_MAX_CHARACTERS] if isinstance(text, str) else ""


def _camera(make: str, model: str) -> str | None:
    """Join make and model, unless the model already begins with the make."""
    brand = make.split(" ", maxsplit=1)[0].lower()
    return (model if brand and model.lower().startswith(brand) else f"{make} {model}".strip()) or None


def _time(value: object) -> str | None:
    """Parse an EXIF time, "2024:05:01 14:30:00"; `None` for the zeros of a camera whose clock was never set."""
    match = _TIME.fullmatch(value.strip("\0 ")) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day, hour, minute = match.groups()
    try:
        return f"{date(int(year), int(month), int(day)).isoformat()} {hour}:{minute}"
    except ValueError:
        return None
