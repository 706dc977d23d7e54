"""A document or an image the person gave: material to work on, or a reference to check against."""

from __future__ import annotations

from datetime import date
from typing import Literal

from memory_bank.bank.value import LanguageCode, StoreFile, Value

Role = Literal["material", "reference"]


class Source(Value):
    """One uploaded document or image.

    `name` is what the person called it: shown, never used as a path. `path` lies inside the session's folder; an image
    is there once it was read. Its attachment has the id of its source. `same_as` is the source whose text it repeats.
    `language` is that of most of its text; None where that is not clear, or where it was not noted. `dated` is the day
    that it gives of itself, where it does.
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
        """Whether it is an image to work on, which a task of its own reads, and no text."""
        return self.role == "material" and (self.media_type or "").startswith("image/")
