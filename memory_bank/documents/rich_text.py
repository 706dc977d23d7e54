"""Read the text of RTF."""

from __future__ import annotations

from striprtf.striprtf import rtf_to_text

from memory_bank.documents.decoding import clean
from memory_bank.documents.document import Document
from memory_bank.documents.formats import BY_SUFFIX


def read_rtf(data: bytes, name: str) -> Document:
    """Read an RTF file: paragraphs as lines, table cells separated by `|`. RTF does not mark headings."""
    # RTF is ASCII; other characters are escapes that name their code page.
    text = rtf_to_text(data.decode("cp1252", "replace"), errors="replace")  # type: ignore[no-untyped-call]
    return Document(name, clean(text).strip("\n"), BY_SUFFIX[".rtf"].media_type)
