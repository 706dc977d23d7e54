"""Packages: what is embedded is listed within bounds; encrypted parts are refused."""

from __future__ import annotations

import pytest

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import EmbeddedFile, bounds
from memory_bank.documents.package import keep_within_bounds
from tests.documents.hostile import docx_with, good_docx
from tests.documents.writers import read, with_parts


def test_pictures_and_files_of_a_package_are_embedded() -> None:
    parts = {
        "word/media/b.jpeg": b"\xff\xd8\xff",
        "word/media/a.png": b"\x89PNG",
        "word/embeddings/sheet.xlsx": b"PK",
        "docProps/thumbnail.jpeg": b"\xff\xd8",
    }
    assert read(with_parts(good_docx(), parts), "a.docx").embedded == (
        EmbeddedFile("sheet.xlsx", "application/octet-stream", b"PK"),
        EmbeddedFile("a.png", "image/png", b"\x89PNG"),
        EmbeddedFile("b.jpeg", "image/jpeg", b"\xff\xd8\xff"),
    )


def test_what_is_embedded_is_bounded_in_number_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_EMBEDDED", 3)
    monkeypatch.setattr(bounds, "MOST_EMBEDDED_BYTES", 5)
    given = [EmbeddedFile(str(number), "image/png", b"abc") for number in range(5)]
    given[1:1] = [EmbeddedFile("large", "image/png", b"abcd"), EmbeddedFile("small", "image/png", b"ab")]
    assert [one.name for one in keep_within_bounds(given)] == ["0", "small"]


def test_a_package_whose_parts_are_encrypted_is_refused() -> None:
    data = bytearray(docx_with("x"))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        data[at + place] |= 1
    with pytest.raises(UnreadableDocumentError, match="it is protected by a password"):
        read(bytes(data), "a.docx")
