"""Show a passage in its text and, if the document's file exists, marked on a picture of its page.

Pictures are made in threads of the server and cached for the next request. Until one is done the page shows a text.
"""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from subprocess import TimeoutExpired
from time import monotonic
from typing import Literal

import streamlit as st

from components import document_page
from components.language import say
from components.look import draw_note, heading
from components.pager import draw_pager
from components.passage import draw_passage
from memory_bank.bank.answer import Citation
from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.source import Source
from memory_bank.bank.spoken import said_by
from memory_bank.documents.page_image import PageImage, render_isolated
from memory_bank.views.readable import entry_source, read_record
from pages.shared.server import get_server, logged, reason_of
from pages.shared.tab_state import ViewState

_WIDTH = 1100
"""Width of a picture in pixels: sharp enough to read when enlarged."""
_MAX_CACHED = 48
_RETRY_SECONDS = 60
"""Time after which a picture is tried again that failed for a passing reason, such as a timeout."""
_BEFORE = 160
"""Characters before a passage, used to find it on the page."""
_PDF = "application/pdf"


@dataclass(frozen=True)
class NoPicture:
    """Why there is no picture, and until when not to try again (by the clock of `monotonic`)."""

    reason: str
    retry_at: float = math.inf


def _make(kind: Literal["page", "picture"], path: Path, *options: object) -> PageImage | NoPicture:
    try:
        return logged(render_isolated, kind, path, *options)
    except UnreadableDocumentError as error:
        passing = isinstance(error.__cause__, TimeoutExpired | OSError)  # otherwise the file itself is at fault
        return NoPicture(error.reason, monotonic() + _RETRY_SECONDS if passing else math.inf)
    except Exception as error:  # noqa: BLE001 - any error is shown in place of the picture
        return NoPicture(reason_of(error), monotonic() + _RETRY_SECONDS)


@st.cache_resource(show_spinner=False)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="picture")


def _may_stay(work: Future[PageImage | NoPicture]) -> bool:
    result = work.result() if work.done() else None
    return not isinstance(result, NoPicture) or result.retry_at > monotonic()


@st.cache_resource(
    show_spinner=False, max_entries=_MAX_CACHED, validate=_may_stay, on_release=lambda work: work.cancel()
)
def picture_of(kind: Literal["page", "picture"], path: Path, *options: object) -> Future[PageImage | NoPicture]:
    """The picture that `render_isolated` makes with these arguments, done or under way.

    The most recently requested are kept; the others are dropped or cancelled. A picture of a deleted session stays
    until others take its place, but nobody can request it any more.
    """
    return _threads().submit(_make, kind, path, *options)


@dataclass(frozen=True)
class _PdfPassage:
    """A PDF, and by page number the part of a passage on that page and the text before it."""

    name: str
    file: Path
    pages: int
    passages: dict[int, tuple[str, str]]


def draw_evidence(
    view: ViewState, entry_id: str, span: tuple[int, int], source: str, page: int | None, *, key: str = "evidence"
) -> None:
    """Draw the passage `span` of a record in its text, and on the document's page if there is one."""
    trees = view.moment.bank.trees
    if entry_id not in trees:  # a past moment is shown, and the passage is from a newer one
        trees = view.live.bank.trees
    if entry_id not in trees:
        draw_note(say("The record of this passage is not in the session."))
        return
    entry = trees.entry(entry_id)
    document = entry_source(view.moment.bank, entry)
    others = view.moment.bank.sources.values() if document is not None else ()
    same = ", ".join(other.name for other in others if document is not None and other.same_as == document.id)
    notes = filter(None, (said_by(entry, *span), say("the same text in {files}", files=same) if same else ""))
    record = read_record(view.moment.bank, entry)
    draw_passage(record.text, [record.span(*span)], source, page, note=" · ".join(notes))
    name = source if document is None else document.name
    if document_page.is_code(name):
        document_page.draw_code(name, entry.text, span)
    if document is not None:
        _draw_source(view, entry, document, span, page, key=key)


def draw_citation(view: ViewState, citation: Citation, *, key: str) -> None:
    """Draw the passage of a citation, under a heading with its number."""
    heading(say("Passage {number}", number=citation.number), say("record {entry}", entry=citation.entry_id))
    span = (citation.start, citation.end)
    draw_evidence(view, citation.entry_id, span, citation.source, citation.page, key=key)


def draw_attachments(view: ViewState, entry: Entry, *, key: str) -> None:
    """Draw the attachments of a record: images, PDFs page by page, and the names of other files."""
    for attachment in entry.attachments:
        file = _file(view, attachment.path)
        st.text(f"{attachment.id} · {attachment.media_type} · {attachment.path} · {attachment.bytes:,} B")
        if file is None:
            draw_note(say("The file is missing, as after an import without files."))
        elif attachment.type == "image":
            _draw_image(view, attachment.id, file)
        elif attachment.media_type == _PDF:
            first, _failure = _outcome(view, picture_of("page", file, 1, "", _WIDTH, ""))
            pages = 1 if first is None else first.pages
            pdf = _PdfPassage(attachment.id, file, pages, {1: ("", "")})
            _draw_pages(view, pdf, key=f"{key}-{attachment.id}")


def _draw_source(
    view: ViewState, entry: Entry, source: Source, span: tuple[int, int], page: int | None, *, key: str
) -> None:
    """Draw the document's page with the passage, or the document itself if it is an image."""
    media_type = source.media_type or ""
    if media_type != _PDF and not media_type.startswith("image/"):
        return
    file = _file(view, source.path)
    if file is None:
        draw_note(say("The file of {source} is missing, as after an import without files.", source=source.name))
    elif media_type == _PDF:
        pdf = _PdfPassage(source.name, file, source.pages or 1, passages(entry, span, page))
        _draw_pages(view, pdf, key=f"{key}-{entry.id}-{span[0]}-{span[1]}")
    else:
        _draw_image(view, source.name, file)


def _file(view: ViewState, path: str) -> Path | None:
    """A file of the session's folder; None if it is missing."""
    file = get_server().store.find(view.session_id) / path
    return file if file.is_file() else None


def passages(entry: Entry, span: tuple[int, int], page: int | None) -> dict[int, tuple[str, str]]:
    """By page number: the part of a passage on that page, and the text before it. A passage may span pages."""
    start, end = span
    by_page = {}
    for (begin, number), (finish, _next) in pairwise([*entry.page_starts, (len(entry.text), 0)]):
        first, last = max(start, begin), min(end, finish)
        if first < last and entry.text[first:last].strip():
            by_page[number] = (entry.text[first:last], entry.text[max(begin, first - _BEFORE) : first])
    known = page or entry.page
    if not by_page and known is not None:
        by_page[known] = (entry.text[start:end], entry.text[max(0, start - _BEFORE) : start])
    return by_page or {1: ("", "")}


def _draw_pages(view: ViewState, pdf: _PdfPassage, *, key: str) -> None:
    """Draw a page with the passage, and buttons to the other pages."""
    last = pdf.pages
    shown = draw_pager(
        last, lambda page: say("Page {page} of {last}", page=page, last=last), key=key, first=min(pdf.passages)
    )
    words, before = pdf.passages.get(shown, ("", ""))
    picture, failure = _outcome(view, picture_of("page", pdf.file, shown, words, _WIDTH, before))
    document_page.draw_document_page(pdf.name, shown, picture, failure, expects_passage=bool(words))
    others = [str(page) for page in pdf.passages if page != shown and words]
    if others:
        draw_note(say("The passage is also on page {pages}.", pages=", ".join(others)))


def _draw_image(view: ViewState, name: str, file: Path) -> None:
    picture, failure = _outcome(view, picture_of("picture", file, _WIDTH))
    document_page.draw_picture(name, picture, failure)


def _outcome(view: ViewState, work: Future[PageImage | NoPicture]) -> tuple[PageImage | None, str]:
    """The picture, or why there is none. While it is being made there is neither, and the page will refresh."""
    if not work.done() or work.cancelled():  # cancelled because newer requests filled the cache
        if work not in view.pending:
            view.pending.append(work)
        return None, ""
    result = work.result()
    return (None, result.reason) if isinstance(result, NoPicture) else (result, "")
