"""RTF: its text."""

from __future__ import annotations

from striprtf.striprtf import rtf_to_text

from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document

RTF_TYPE = "application/rtf"


def read_rtf(data: bytes, name: str) -> Document:
    """Read an RTF file: paragraphs as lines, the cells of a table row parted by `|`. Headings have no mark in it."""
    # The format is ASCII: other characters are escapes that name their own code page.
    return Document(name, clean(rtf_to_text(data.decode("cp1252", "replace"), errors="replace")).strip("\n"), RTF_TYPE)  # type: ignore[no-untyped-call]
