"""EPUB: the title it says; protection against copying is told."""

from __future__ import annotations

import pytest

from memory_bank.bank.errors import UnreadableDocumentError
from tests.documents.writers import read, with_parts, write_epub


def test_a_book_has_the_title_that_it_says() -> None:
    assert read(write_epub("Chapter", ["One."]), "a.epub").title == "A Book"


def test_a_book_protected_against_copying_is_refused() -> None:
    encrypted = b"<encryption><EncryptedData><CipherReference URI='text/001.xhtml'/></EncryptedData></encryption>"
    fonts = encrypted.replace(b"text/001.xhtml", b"fonts/a.otf")
    with pytest.raises(UnreadableDocumentError, match="it is protected against being copied"):
        read(with_parts(write_epub("A", []), {"META-INF/encryption.xml": encrypted}), "a.epub")
    assert read(with_parts(write_epub("A", []), {"META-INF/encryption.xml": fonts}), "a.epub").text == "A"
