"""Read the text of RTF."""

from __future__ import annotations

from striprtf.striprtf import rtf_to_text

from memory_bank.documents.decoding import clean
from memory_bank.documents.document import Document

RTF_TYPE = "application/rtf"


def read_rtf(data: bytes, name: str) -> Document:
    """Read an RTF file: paragraphs as lines, table cells separated by `|`. RTF does not mark headings."""
    # RTF is ASCII; other characters are escapes that name their code page.
    return Document(name, clean(rtf_to_text(data.decode("cp1252", "replace"), errors="replace")).strip("\n"), RTF_TYPE)  # type: ignore[no-untyped-call]
