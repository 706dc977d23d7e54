"""Read plain text and source code, which are kept as they are, and the text of RTF."""

from __future__ import annotations

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.decoding import clean, decode
from memory_bank.documents.document import BY_SUFFIX, CODE_TYPES, PLAIN, Document, suffix_of
from memory_bank.text.wording import Wording


def decode_text(data: bytes, name: str, declared: str | None = None) -> str:
    """Decode a text file. Raises `UnreadableDocumentError` if it is not text."""
    text = decode(data, declared)
    if text is None:
        raise UnreadableDocumentError(
            name, Wording("it is not a text, nor any other kind of document that can be read")
        )
    return text


def read_plain(data: bytes, name: str) -> Document:
    """Read plain text or source code. Only line ends and control characters are changed."""
    return Document(name, decode_text(data, name), CODE_TYPES.get(suffix_of(name), PLAIN.media_type))


def read_rtf(data: bytes, name: str) -> Document:
    """Read an RTF file: paragraphs as lines, table cells separated by `|`. RTF does not mark headings."""
    from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - loaded only when needed

    # RTF is ASCII; other characters are escapes that name their code page.
    text = rtf_to_text(data.decode("cp1252", "replace"), errors="replace")  # type: ignore[no-untyped-call]
    return Document(name, clean(text).strip("\n"), BY_SUFFIX[".rtf"].media_type)
