"""A page of a document as a picture, with the pages beside it; an image; source code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

import streamlit as st

from components.language import recorded, say
from components.look import escape, plain
from memory_bank.modules.documents.plain import CODE_TYPES
from memory_bank.modules.page_image import PageImage

_LANGUAGES = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".cc": "cpp",
    ".cxx": "cpp",
    ".hpp": "cpp",
    ".hh": "cpp",
    ".h": "c",
    ".cs": "csharp",
    ".sh": "bash",
    ".zsh": "bash",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".yml": "yaml",
    ".hs": "haskell",
    ".ex": "elixir",
    ".exs": "elixir",
    ".pl": "perl",
    ".rb": "ruby",
    ".rs": "rust",
    ".jl": "julia",
    ".m": "matlab",
    ".ps1": "powershell",
    ".clj": "clojure",
    ".tex": "latex",
    ".bib": "latex",
    ".pyi": "python",
    ".pyw": "python",
    ".py": "python",
}
"""By the ending of the name, where the highlighter's word for the language is not the ending itself."""
_MOST_CODE = 4000
_LINES_AROUND = 12


@dataclass(frozen=True)
class DocumentPage:
    """A page: of which document, its picture (None: it is being made), why there is none.

    `wanted` says whether a passage should stand on it.
    """

    source: str
    page: int
    picture: PageImage | None
    wanted: bool = True
    failure: str = ""


def draw_page(shown: DocumentPage) -> None:
    """Draw a page, or in words why it is not there."""
    if shown.failure:
        draw_words(say("This page cannot be shown as a picture: {reason}.", reason=recorded(shown.failure)))
    elif shown.picture is None:
        draw_words(say("The picture of page {page} is being made.", page=shown.page))
    else:
        if shown.wanted and not shown.picture.found:
            draw_words(say("The passage could not be made out in the picture of this page; its words stand above."))
        st.image(shown.picture.png, width="stretch", alt=_described(shown, marked=shown.picture.found))


def _described(shown: DocumentPage, *, marked: bool) -> str:
    if marked:
        return say("Page {page} of {source}, with the passage marked", page=shown.page, source=shown.source)
    return say("Page {page} of {source}", page=shown.page, source=shown.source)


def draw_picture(name: str, picture: PageImage | None, failure: str) -> None:
    """Draw an image of a document or a record."""
    if failure:
        draw_words(say("{name} cannot be shown: {reason}.", name=name, reason=recorded(failure)))
    elif picture is None:
        draw_words(say("{name} is being made ready.", name=name))
    else:
        st.image(picture.png, caption=plain(name), width="content", alt=name)


def draw_words(text: str) -> None:
    """A plain line instead of a picture."""
    st.html(f'<div class="mb-empty">{escape(text)}</div>')


def is_code(name: str) -> bool:
    """Whether a file of this name holds source code."""
    return PurePath(name.lower()).suffix in CODE_TYPES


def draw_code(name: str, text: str, span: tuple[int, int]) -> None:
    """Draw the lines of source code around a passage in colours."""
    st.code(lines_around(text, span), language=language_of(name), wrap_lines=True)


def language_of(name: str) -> str:
    """The highlighter's word for the language of a file."""
    suffix = PurePath(name.lower()).suffix
    return _LANGUAGES.get(suffix, suffix.removeprefix("."))


def lines_around(text: str, span: tuple[int, int]) -> str:
    """The whole lines of a passage, with a few before and after."""
    before, after = text[: span[0]].splitlines(keepends=True), text[span[1] :].splitlines(keepends=True)
    first = "".join(before[-_LINES_AROUND - 1 :])[-_MOST_CODE:]
    last = "".join(after[: _LINES_AROUND + 1])[:_MOST_CODE]
    return (first + text[span[0] : span[1]][:_MOST_CODE] + last).strip("\n")
