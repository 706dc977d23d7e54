"""Read Markdown: the text as it is written but for its HTML, with the headings outside code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory_bank.documents.document import BY_SUFFIX, Document, Heading, choose_title
from memory_bank.documents.html_elements import BLOCKS, HEADINGS, HIDDEN, INLINE
from memory_bank.documents.plain import decode_text
from memory_bank.text.document_head import FRONT_MATTER
from memory_bank.text.span import Span

_FRONT_MATTER_TITLE = re.compile(r"^title[ \t]*[:=](.*)$", re.MULTILINE | re.IGNORECASE)
_MAX_HEADING = 1_000
_WITH_TABLES = MarkdownIt("commonmark").enable("table")
_BLOCKS_ONLY = MarkdownIt("commonmark")
_BLOCKS_ONLY.core.ruler.enableOnly(["normalize", "block"])
_LINE_END = re.compile(r"\r\n?|\n")
_BREAK = "\0"
"""Stands for the break between two paragraphs; no text that was decoded holds it."""
_MARKS = {"li": "\n- ", "br": "\n", "tr": "\n", "td": " | ", "th": " | "} | {
    heading: f"{_BREAK}{'#' * int(heading[1])} " for heading in HEADINGS
}
"""What an opening tag becomes, besides those of other blocks, which begin a paragraph."""
_HIDING = HIDDEN - {"input", "embed"}
_KNOWN = BLOCKS | INLINE | HIDDEN
# What is not closed goes on to the end. A tag ends before the next one begins, so that the time is linear.
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[a-z][a-z0-9]*)\b(?:\"[^\"<]*\"|'[^'<]*'|[^<>\"'])*+>|<!--(?:.*?-->|.*\Z)|<[!?][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_HTML = re.compile(
    rf"<(?P<hidden>{'|'.join(sorted(_HIDING))})\b[^<>]*>(?:.*?</(?P=hidden)\s*>|.*\Z)|{_TAG.pattern}",
    re.DOTALL | re.IGNORECASE,
)


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
    """Yield the headings of Markdown from `start` on, outside code blocks, lists and quotations."""
    lines = _lines(text, start)
    for opened, inside in pairwise(_BLOCKS_ONLY.parse(text[start:])):
        is_heading = opened.type == "heading_open" and opened.level == 0
        is_title = "\n" not in inside.content and len(inside.content) <= _MAX_HEADING  # no paragraph above dashes
        if is_heading and is_title and opened.map:
            begin, end = (lines[line] for line in opened.map)
            yield Heading(begin, begin + len(text[begin:end].rstrip("\r\n")), inside.content)


def without_html(text: str) -> str:
    """A Markdown text without its HTML, as who reads the rendered page sees it; what is code stays as it is."""
    front_matter = FRONT_MATTER.match(text)
    done = front_matter.end() if front_matter else 0
    read = [text[:done]]
    for span, shown in _html_of(text, done) if "<" in text[done:] else ():
        read += [text[done : span.start], shown]
        done = span.end
    return "".join([*read, text[done:]])


def _lines(text: str, start: int) -> list[int]:
    """Where each line from `start` on begins, as the parser counts them, and where one after the last would."""
    return [start, *(end.end() for end in _LINE_END.finditer(text, start)), len(text) + 1]


def _html_of(text: str, start: int) -> Iterator[tuple[Span, str]]:
    """Each stretch of HTML from `start` on, in order, with what a reader of the page sees in its place."""
    tokens = _WITH_TABLES.parse(text[start:])
    lines = _lines(text, start)
    place = start
    for before, token in pairwise([Token("", "", 0), *tokens]):
        begin, end = (min(lines[line], len(text)) for line in token.map or (0, 0))
        if token.type == "html_block":
            shown = _shown(text[begin:end])
            is_apart = text[max(begin - 2, 0) : begin] in ("", "\n\n")
            yield Span(begin, end), ("" if is_apart else "\n") + (f"{shown}\n" if shown else "")
        elif token.children:
            place = max(place, begin)
            for tag in _tags(token.children, text, Span(place, end)):
                is_break = tag.of(text)[:3].lower() == "<br" and text[tag.end : tag.end + 1] != "\n"
                place = tag.end
                yield tag, ("\n" if before.type == "paragraph_open" else " ") if is_break else ""


def _tags(pieces: Sequence[Token], text: str, span: Span) -> Iterator[Span]:
    """Where the tags of a paragraph stand; what is between those of a hidden element goes with them."""
    place, hidden = span.start, None
    for piece in pieces:
        found = text.find(piece.content, place, span.end) if piece.content else -1
        while piece.type == "html_inline" and found > 0 and text[found - 1] == "\\":
            found = text.find(piece.content, found + 1, span.end)
        if found < 0:
            continue
        place = found + len(piece.content)
        tag = _TAG.match(piece.content) if piece.type == "html_inline" else None
        name = (tag["name"] or "").lower() if tag else ""
        if name in _HIDING and tag and tag["end"]:
            yield Span(found if hidden is None else hidden, place)
            hidden = None
        elif name in _HIDING:
            hidden = found if hidden is None else hidden
        elif hidden is None and (name in _KNOWN or piece.content.startswith("<!--")):
            yield Span(found, place)


def _shown(html: str) -> str:
    """What a block of HTML shows, as Markdown."""
    parts = []
    for part in _HTML.sub(_as_read, html).split(_BREAK):
        lines = [" ".join(line.split()) for line in part.split("\n") if line.strip()]
        if lines and lines[0].startswith("#"):
            lines = [" ".join(lines)]
        if any(re.search(r"\w", line) for line in lines):
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _as_read(found: re.Match[str]) -> str:
    name = (found["name"] or "").lower()
    if name not in BLOCKS and name != "br":
        return ""
    if found["end"]:
        return "" if name in ("li", "td", "th", "tr") else _BREAK
    return _MARKS.get(name, _BREAK)
