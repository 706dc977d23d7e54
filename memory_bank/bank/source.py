"""A source: a document or image from the person, as material to work on or a reference to check against."""

from __future__ import annotations

from datetime import date
from typing import Literal

from memory_bank.bank.value import LanguageCode, StoreFile, Value

Role = Literal["material", "reference"]


class Source(Value):
    """One uploaded document or image.

    `name` is the person's file name: shown, never used as a path. `path` lies inside the session's folder; an image is
    there once it was read, and its attachment has the id of its source. `same_as` is an earlier source with the same
    text. `language` is the language of most of its text; None if unclear or not recorded. `dated` is the date that the
    document itself states, if any.
    """

    id: str
    name: str
    role: Role
    path: StoreFile
    bytes: int
    sha256: str
    title: str | None = None
    media_type: str | None = None
    characters: int | None = None
    pages: int | None = None
    language: LanguageCode | None = None
    text_sha256: str | None = None
    dated: date | None = None
    same_as: str | None = None
    refused: str | None = None

    @property
    def is_image(self) -> bool:
        """Whether it is material in the form of an image, which a task of its own reads."""
        return self.role == "material" and (self.media_type or "").startswith("image/")
