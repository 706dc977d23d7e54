"""Describe a picture in text, for its entry in the Interaction Tree."""

from __future__ import annotations

from collections.abc import Iterator

from memory_bank.documents.pictures.picture import Picture

_KINDS = {
    "photograph": "a photograph",
    "page": "a page of text",
    "screenshot": "a screenshot or graphic",
    "drawing": "a drawing",
}


def describe(picture: Picture) -> str:
    """Return sentences about a picture without text: it can still be found by its name and metadata."""
    return " ".join(_sentences_about(picture))


def _sentences_about(picture: Picture) -> Iterator[str]:
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
    yield "No text was found in it."
