"""What a picture file says about itself that is worth telling: when, with what, and what people wrote into it.

The place (GPS) is left out on purpose: it is a number that answers no question asked in words, and it would put where
somebody lives into an entry that is exported and sent to models. It stays in the stored file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from PIL import ExifTags, Image

from memory_bank.modules.documents.decoding import clean

_LONGEST = 500
"""Characters of a text: a description is a few sentences, and whatever is longer is none."""
_XP_TEXTS = {0x9C9B: "title", 0x9C9C: "comment"}
_TEXTS = {"title": "title", "description": "description", "comment": "comment", "author": "author"}
_TIME = re.compile(r"(\d{4}):(\d\d):(\d\d) ([01]\d|2[0-3]):([0-5]\d)(?::\d\d)?")


@dataclass(frozen=True, slots=True)
class Metadata:
    """When it was taken (local time without a zone, "2024-05-01 14:30"), the camera, and texts as (label, text)."""

    taken_at: str | None = None
    camera: str | None = None
    texts: tuple[tuple[str, str], ...] = ()


def read_metadata(image: Image.Image) -> Metadata:
    """Read what an open file says about itself; what is broken is left out, for it must not cost the picture."""
    try:
        exif = image.getexif()
        details = exif.get_ifd(ExifTags.IFD.Exif)
        return Metadata(
            taken_at=_time(details.get(ExifTags.Base.DateTimeOriginal) or exif.get(ExifTags.Base.DateTime)),
            camera=_camera(_said(exif.get(ExifTags.Base.Make)), _said(exif.get(ExifTags.Base.Model))),
            texts=tuple({text: (label, text) for label, text in _texts(image, exif, details) if text}.values()),
        )
    except Exception:  # noqa: BLE001 - broken metadata raises anything
        return Metadata()


def _texts(image: Image.Image, exif: Mapping[int, Any], details: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    """The texts in any of the places where programs put them."""
    for key, value in image.info.items():
        if isinstance(key, str) and key.lower() in _TEXTS:
            yield _TEXTS[key.lower()], _said(value)
    yield "description", _said(exif.get(ExifTags.Base.ImageDescription))
    yield "author", _said(exif.get(ExifTags.Base.Artist))
    for tag, label in _XP_TEXTS.items():
        value = exif.get(tag)
        yield label, _said(value.decode("utf-16-le", "replace") if isinstance(value, bytes) else value)
    yield "comment", _said(_user_comment(details.get(ExifTags.Base.UserComment)))


def _user_comment(value: object) -> object:
    """A comment begins with eight bytes that name its encoding."""
    if not isinstance(value, bytes):
        return value
    encoding = "utf-16" if value.startswith(b"UNICODE") else "utf-8"
    return value[8:].decode(encoding, "replace")


def _said(value: object) -> str:
    """A text on one line, "" for what is none."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return " ".join(clean(text.replace("\0", " ")).split())[:_LONGEST] if isinstance(text, str) else ""


def _camera(make: str, model: str) -> str | None:
    """Makers repeat their name in the model's, or not."""
    first = make.split(" ", maxsplit=1)[0].lower()
    return (model if first and model.lower().startswith(first) else f"{make} {model}".strip()) or None


def _time(value: object) -> str | None:
    """A time as the format writes it, "2024:05:01 14:30:00"; cameras whose clock was never set write zeros."""
    found = _TIME.fullmatch(value.strip("\0 ")) if isinstance(value, str) else None
    if found is None:
        return None
    year, month, day, hour, minute = found.groups()
    try:
        return f"{date(int(year), int(month), int(day)).isoformat()} {hour}:{minute}"
    except ValueError:
        return None
