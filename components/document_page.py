"""Draw a page of a document as a picture, an image, or the source code around a passage."""

from __future__ import annotations

import streamlit as st

from components.language import recorded, say
from components.look import draw_note, plain
from memory_bank.documents.document import CODE_TYPES, PLAIN, suffix_of
from memory_bank.documents.page_image import PageImage

_LANGUAGES = {"c++": "cpp", "shellscript": "bash", "tex": "latex"}
"""The highlighter's name of a language, where it is not that of the media type."""
_MAX_CODE = 4000
"""Most characters of code shown before, in and after a passage, each."""
_CONTEXT_LINES = 12


def draw_document_page(
    source: str, number: int, picture: PageImage | None, failure: str, *, expects_passage: bool
) -> None:
    """Draw a page of a document, or say why it cannot be shown. `picture` is None while it is made."""
    if failure:
        draw_note(say("This page cannot be shown as a picture: {reason}.", reason=recorded(failure)))
    elif picture is None:
        draw_note(say("Preparing page {page} …", page=number))
    else:
        alt = say("Page {page} of {source}", page=number, source=source)
        if picture.found:
            alt = say("Page {page} of {source}, with the passage marked", page=number, source=source)
        elif expects_passage:
            draw_note(say("The passage could not be located in the picture of this page. Its text is above."))
        st.image(picture.png, width="stretch", alt=alt)


def draw_picture(name: str, picture: PageImage | None, failure: str) -> None:
    """Draw an image of a document or a record."""
    if failure:
        draw_note(say("{name} cannot be shown: {reason}.", name=name, reason=recorded(failure)))
    elif picture is None:
        draw_note(say("Preparing {name} …", name=name))
    else:
        st.image(picture.png, caption=plain(name), width="content", alt=name)


def is_code(name: str) -> bool:
    """Whether a file of this name holds source code."""
    return suffix_of(name) in CODE_TYPES


def draw_code(name: str, text: str, span: tuple[int, int]) -> None:
    """Draw the lines of source code around a passage, with syntax highlighting."""
    st.code(lines_around(text, span), language=code_language(name), wrap_lines=True)


def code_language(name: str) -> str:
    """The highlighter's name for the language of a file."""
    suffix = suffix_of(name)
    kind = CODE_TYPES.get(suffix, PLAIN.media_type)
    language = kind.rpartition("/")[2].removeprefix("x-")
    return suffix.removeprefix(".") if kind == PLAIN.media_type else _LANGUAGES.get(language, language)


def lines_around(text: str, span: tuple[int, int]) -> str:
    """The whole lines of a passage, with a few before and after."""
    before, after = text[: span[0]].splitlines(keepends=True), text[span[1] :].splitlines(keepends=True)
    first = "".join(before[-_CONTEXT_LINES - 1 :])[-_MAX_CODE:]
    last = "".join(after[: _CONTEXT_LINES + 1])[:_MAX_CODE]
    return (first + text[span[0] : span[1]][:_MAX_CODE] + last).strip("\n")
