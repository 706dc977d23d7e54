"""The text that stands for a picture: the text of its entry in the Interaction Tree."""

from __future__ import annotations

from collections.abc import Iterator

from memory_bank.modules.pictures.ocr import Recognised
from memory_bank.modules.pictures.picture import Picture

_KINDS = {
    "photograph": "a photograph",
    "page": "a page of text",
    "screenshot": "a screenshot or graphic",
    "drawing": "a drawing",
}
_CLEAR = 0.8
"""A confidence below which letters are wrong in most lines."""


def describe(picture: Picture, recognised: Recognised) -> str:
    """What is written in the picture, and after a blank line what it is.

    Where nothing is written it says so, and the picture stays findable by its name and what its file tells.
    """
    about = " ".join(_about(picture, recognised))
    return f"{recognised.text}\n\n{about}" if recognised.text else about


def _about(picture: Picture, recognised: Recognised) -> Iterator[str]:
    pages = f", {picture.pages} pages" if picture.pages > 1 else ""
    size = f"{picture.width:,} × {picture.height:,} pixels ({picture.format}{pages})"
    yield f"{picture.name} is a picture, by its looks {_KINDS[picture.kind]}, of {size}."
    if picture.animated:
        yield "It is animated; only its first frame was looked at."
    metadata = picture.metadata
    if metadata.taken_at or metadata.camera:
        day, _, hour = (metadata.taken_at or "").partition(" ")
        when = f" on {day} at {hour}" if day else ""
        yield f"It was taken{when}{f' with {metadata.camera}' if metadata.camera else ''}."
    for label, text in metadata.texts:
        yield f"The {label} in its file is “{text}”."
    yield _how_sure(recognised)


def _how_sure(recognised: Recognised) -> str:
    if not recognised.text:
        return "No text was found in it."
    doubt = "" if recognised.confidence >= _CLEAR else "; parts of it may be wrong"
    return f"Its text was recognised with a confidence of {recognised.confidence:.0%}{doubt}."
