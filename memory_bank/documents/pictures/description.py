"""Describe a picture in text, for its entry in the Interaction Tree."""

from __future__ import annotations

from collections.abc import Iterator

from memory_bank.documents.pictures.ocr import RecognisedText
from memory_bank.documents.pictures.picture import Picture

_KINDS = {
    "photograph": "a photograph",
    "page": "a page of text",
    "screenshot": "a screenshot or graphic",
    "drawing": "a drawing",
}
_HIGH_CONFIDENCE = 0.8
"""Below this confidence most lines contain wrong letters."""


def describe(picture: Picture, recognised: RecognisedText) -> str:
    """Return the recognised text and, after a blank line, sentences about the picture.

    Without any text the sentences say so; the picture can still be found by its name and metadata.
    """
    sentences = " ".join(_sentences_about(picture, recognised))
    return f"{recognised.text}\n\n{sentences}" if recognised.text else sentences


def _sentences_about(picture: Picture, recognised: RecognisedText) -> Iterator[str]:
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
    yield _confidence(recognised)


def _confidence(recognised: RecognisedText) -> str:
    if not recognised.text:
        return "No text was found in it."
    doubt = "" if recognised.confidence >= _HIGH_CONFIDENCE else "; parts of it may be wrong"
    return f"Its text was recognised with a confidence of {recognised.confidence:.0%}{doubt}."
