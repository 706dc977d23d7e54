"""Read plain text, Markdown and source code, which are kept as they are, and the text of RTF."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.decoding import clean, decode
from memory_bank.documents.document import Document, Heading, choose_title
from memory_bank.documents.formats import BY_SUFFIX, CODE_TYPES, PLAIN, suffix_of
from memory_bank.text.document_head import FRONT_MATTER
from memory_bank.text.wording import Wording

_ATX = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_NOT_SETEXT_TITLE = re.compile(r"\s*$|\s{4,}|[ ]{0,3}(?:[-*+>|]\s?|\d+[.)]\s)")
_FRONT_MATTER_TITLE = re.compile(r"^title[ \t]*[:=](.*)$", re.MULTILINE | re.IGNORECASE)
# No heading is longer. Matching one takes time quadratic in the length of the line.
_MAX_HEADING = 1_000


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


def read_markdown(data: bytes, name: str) -> Document:
    """Read Markdown: the text as it is written, with the headings outside code blocks."""
    text = decode_text(data, name)
    front_matter = FRONT_MATTER.match(text)
    headings = tuple(markdown_headings(text, front_matter.end() if front_matter else 0))
    title_line = _FRONT_MATTER_TITLE.search(front_matter["fields"]) if front_matter else None
    title = title_line[1].strip() if title_line else ""
    if len(title) > 1 and title[0] == title[-1] and title[0] in "'\"":
        title = title[1:-1]
    return Document(name, text, BY_SUFFIX[".md"].media_type, headings=headings, title=choose_title(title, headings))


def markdown_headings(text: str, start: int = 0) -> Iterator[Heading]:
    """Yield the headings of Markdown from `start` on, outside code blocks."""
    fence = ""
    offset, previous = start, ""
    for line in text[start:].split("\n"):
        heading: Heading | None = None
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opening:
            fence = opening[1]
        elif heading := _heading(line, offset, previous):
            yield heading
        previous = "" if fence or opening or heading else line
        offset += len(line) + 1


def _heading(line: str, offset: int, previous: str) -> Heading | None:
    """Parse the heading that a line at `offset` is, or ends by underlining the line before."""
    if max(len(line), len(previous)) > _MAX_HEADING:
        return None
    if atx := _ATX.match(line):
        return Heading(offset, offset + len(line), (atx[1] or "").strip())
    if _SETEXT.match(line) and not _NOT_SETEXT_TITLE.match(previous):
        return Heading(offset - len(previous) - 1, offset + len(line), previous.strip())
    return None


def read_rtf(data: bytes, name: str) -> Document:
    """Read an RTF file: paragraphs as lines, table cells separated by `|`. RTF does not mark headings."""
    from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - loaded only when needed

    # RTF is ASCII; other characters are escapes that name their code page.
    text = rtf_to_text(data.decode("cp1252", "replace"), errors="replace")  # type: ignore[no-untyped-call]
    return Document(name, clean(text).strip("\n"), BY_SUFFIX[".rtf"].media_type)
