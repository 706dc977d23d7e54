"""A document the person gave: material to work on, or a reference to check against."""

from __future__ import annotations

from typing import Literal

from memory_bank.bank.value import StoreFile, Value

Role = Literal["material", "reference"]


class Source(Value):
    """One uploaded document.

    `name` is what the person called it: shown, never used as a path. `path` lies inside the session's folder.
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
    refused: str | None = None
