"""The formats of the files that are read, a row each. A new format is a row here and its reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its suffixes, its media type, and its reader as module and function of this package.

    A file is of the format that its content shows: by its first bytes (`begins`), a ZIP package by a `part` that no
    other format has. A text file is of the format of its suffix; with any other it is HTML if it begins like HTML, else
    plain text. The reader of a `fast` format needs little time whatever is in the file, and no large library: it runs
    in this process, any other in one of its own.
    """

    suffixes: tuple[str, ...]
    media_type: str
    reader: str
    begins: bytes = b""
    part: str = ""
    fast: bool = False
    code: bool = False


PLAIN = Format((".txt", ".text", ".log"), "text/plain", "plain.read_plain", fast=True)
HTML = Format((".html", ".htm", ".xhtml"), "text/html", "markup.read_html")
PDF = Format((".pdf",), "application/pdf", "pdf.read_pdf", begins=b"%PDF-")
"""Its first bytes may stand a little later, its reader recognises pages, and it has headings only in an outline."""
_OFFICE, _ODF = "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."


def _package(suffix: str, media_type: str, reader: str, part: str) -> Format:
    return Format((suffix,), media_type, reader, begins=ZIP, part=part)


def _opendocument(suffix: str, kind: str) -> Format:
    return _package(suffix, _ODF + kind, "opendocument.read_opendocument", "content.xml")


def _code(media_type: str, *suffixes: str) -> Format:
    return Format(suffixes, media_type, "plain.read_plain", fast=True, code=True)


FORMATS = (
    PLAIN,
    Format((".md", ".markdown", ".mdown", ".mkd"), "text/markdown", "markdown.read_markdown", fast=True),
    Format((".csv",), "text/csv", "table.read_table", fast=True),
    Format((".tsv",), "text/tab-separated-values", "table.read_table", fast=True),
    Format((".json",), "application/json", "messages.read_json", fast=True),
    Format((".jsonl", ".ndjson"), "application/x-ndjson", "messages.read_json", fast=True),
    Format((".srt",), "application/x-subrip", "subtitles.read_subtitles", fast=True),
    Format((".vtt",), "text/vtt", "subtitles.read_subtitles", fast=True),
    HTML,
    Format((".ipynb",), "application/x-ipynb+json", "notebook.read_notebook"),
    Format((".eml",), "message/rfc822", "mail.read_eml"),
    Format((".rtf",), "application/rtf", "plain.read_rtf", begins=b"{\\rtf"),
    PDF,
    _package(".docx", f"{_OFFICE}wordprocessingml.document", "word.read_docx", "word/document.xml"),
    _package(".pptx", f"{_OFFICE}presentationml.presentation", "slides.read_pptx", "ppt/presentation.xml"),
    _package(".xlsx", f"{_OFFICE}spreadsheetml.sheet", "sheets.read_xlsx", "xl/workbook.xml"),
    _package(".epub", "application/epub+zip", "markup.read_epub", "META-INF/container.xml"),
    _opendocument(".odt", "text"),
    _opendocument(".ods", "spreadsheet"),
    _opendocument(".odp", "presentation"),
    _opendocument(".odg", "graphics"),
    *(_code(f"text/x-{name}", f".{name}") for name in "java go php swift scala r lua scss vue dart rst".split()),
    _code("text/x-python", ".py", ".pyi", ".pyw"),
    _code("text/javascript", ".js", ".mjs", ".cjs", ".jsx"),
    _code("text/x-typescript", ".ts", ".tsx"),
    _code("text/x-c", ".c", ".h"),
    _code("text/x-c++", ".cc", ".cpp", ".cxx", ".hpp", ".hh"),
    _code("text/x-shellscript", ".sh", ".bash", ".zsh"),
    _code("text/x-kotlin", ".kt", ".kts"),
    _code("application/yaml", ".yaml", ".yml"),
    _code("text/plain", ".ini", ".cfg", ".conf", ".properties"),
    _code("text/x-tex", ".tex", ".bib", ".sty"),
    _code("application/xml", ".xml", ".xsd", ".xsl"),
    _code("text/x-haskell", ".hs", ".lhs"),
    _code("text/x-elixir", ".ex", ".exs"),
    _code("text/x-perl", ".pl", ".pm"),
    _code("text/x-rust", ".rs"),
    _code("text/x-ruby", ".rb"),
    _code("text/x-csharp", ".cs"),
    _code("text/x-julia", ".jl"),
    _code("text/x-matlab", ".m"),
    _code("application/sql", ".sql"),
    _code("text/x-powershell", ".ps1"),
    _code("text/x-bat", ".bat"),
    _code("text/css", ".css"),
    _code("text/x-protobuf", ".proto"),
    _code("application/toml", ".toml"),
    _code("text/x-clojure", ".clj"),
)
FIRST_BYTES = tuple({one.begins for one in FORMATS if one.begins})
BY_SUFFIX: Mapping[str, Format] = {suffix: one for one in FORMATS for suffix in one.suffixes}
CODE_TYPES: Mapping[str, str] = {suffix: one.media_type for suffix, one in BY_SUFFIX.items() if one.code}
"""Suffixes of source code and configuration, and their media types."""


def suffix_of(name: str) -> str:
    """Return the suffix of a file name in lower case, with its dot; empty if there is none."""
    stem, dot, ending = name.rpartition(".")
    return dot + ending.lower() if stem and dot else ""
