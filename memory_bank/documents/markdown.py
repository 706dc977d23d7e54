"""Read Markdown: the text as it is written but for its HTML, with the headings outside code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_bank.documents.document import Document, Heading, choose_title
from memory_bank.documents.formats import BY_SUFFIX
from memory_bank.documents.html_elements import BLOCKS, HEADINGS, HIDDEN, INLINE
from memory_bank.documents.plain import decode_text
from memory_bank.text.document_head import FRONT_MATTER

_ATX = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_NOT_SETEXT_TITLE = re.compile(r"\s*$|\s{4,}|[ ]{0,3}(?:[-*+>|]\s?|\d+[.)]\s)")
_FRONT_MATTER_TITLE = re.compile(r"^title[ \t]*[:=](.*)$", re.MULTILINE | re.IGNORECASE)
# No heading is longer. Matching one takes time quadratic in the length of the line.
_MAX_HEADING = 1_000
_BREAK = "\0"
"""Stands for the break between two paragraphs; no text that was decoded holds it."""
_MARKS = {"li": "\n- ", "br": "\n", "tr": "\n", "td": " | ", "th": " | "} | {
    heading: f"{_BREAK}{'#' * int(heading[1])} " for heading in HEADINGS
}
"""What an opening tag becomes, besides those of other blocks, which begin a paragraph."""
_NAMES = "|".join(sorted(BLOCKS | INLINE | HIDDEN, key=len, reverse=True))
# Code is matched first, so that nothing is taken out of it. What is not closed goes on to the end, as in CommonMark.
_HTML = re.compile(
    r"(?P<code>^[ ]{0,3}(?P<fence>`{3,}|~{3,}).*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)|`[^`\n]+`)"
    r"|(?P<hidden><!--(?:.*?-->|.*\Z)|<(?P<kind>script|style)\b[^<>]{0,2000}>(?:.*?</(?P=kind)\s{0,9}>|.*\Z))"
    rf"|(?P<before>[ \t]*)<(?P<end>/?)(?P<name>{_NAMES})(?:\s[^<>]{{0,2000}})?/?>(?P<after>[ \t]*(?:\n[ \t]*)?)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_HEADING_BEGUN = re.compile(r"^(#{1,6})[ \t]*\n\s*", re.MULTILINE)


def read_markdown(data: bytes, name: str) -> Document:
    """Read Markdown: the text as it is written but for its HTML, with the headings outside code blocks."""
    text = without_html(decode_text(data, name))
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


def without_html(text: str) -> str:
    """A Markdown text without its HTML, as who reads the rendered page sees it; what is code stays as it is."""
    parts = _HTML.sub(_as_read, text).split(_BREAK)
    if len(parts) == 1:
        return parts[0]
    return _HEADING_BEGUN.sub(r"\1 ", "\n\n".join(part.strip("\n") for part in parts if part.strip()))


def _as_read(found: re.Match[str]) -> str:
    if found["code"]:
        return found["code"]
    name = (found["name"] or "").lower()
    if name not in BLOCKS and name != "br":
        return f"{found['before'] or ''}{found['after'] or ''}"
    if found["end"]:
        return "" if name in ("li", "td", "th", "tr") else _BREAK
    return _MARKS.get(name, _BREAK)
