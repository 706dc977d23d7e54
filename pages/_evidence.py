"""A passage where it stands: in its text and, where the document's file is here, on its page as a picture.

Pictures are made by threads of the server and kept for whoever asks next; the page shows words until one is done.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from subprocess import TimeoutExpired
from time import monotonic
from typing import Literal

import streamlit as st

from components import document_page, pager, passage
from components.document_page import DocumentPage
from components.language import say
from memory_bank.bank.interaction_tree import Attachment, Entry
from memory_bank.bank.source import Source
from memory_bank.bank.spoken import said_by
from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.page_image import PageImage, apart
from pages._server import logged, reason_of, server
from pages._visitor import Looking

_WIDTH = 1100
"""Pixels across a picture: sharp enough to be read when it is enlarged."""
_KEPT = 48
_AGAIN = 60
"""Seconds after which a picture is tried again that there was no time or no room for."""
_BEFORE = 160
PDF = "application/pdf"


@dataclass(frozen=True)
class NoPicture:
    """Why there is no picture, and until when that holds, by the clock of `monotonic`."""

    reason: str
    until: float = math.inf


class Pictures:
    """Pictures of pages, made in threads; those asked for last are kept, those that nobody waits for are not made.

    A picture of a session that was deleted goes when others take its place; nobody can ask for it any more.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="picture")
        self._made: OrderedDict[tuple[object, ...], Future[PageImage | NoPicture]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, what: Literal["page", "picture"], path: Path, *given: object) -> Future[PageImage | NoPicture]:
        """The picture that `page_image.apart` makes of this, done or on its way."""
        key = (what, path, *given)
        with self._lock:
            work = self._made.get(key)
            if work is None or _is_over(work):
                work = self._made[key] = self._threads.submit(_make, what, path, *given)
            self._made.move_to_end(key)
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)[1].cancel()
        return work


def _is_over(work: Future[PageImage | NoPicture]) -> bool:
    """Whether there was no picture, for a reason that may have passed."""
    made = work.result() if work.done() else None
    return isinstance(made, NoPicture) and made.until <= monotonic()


def _make(what: Literal["page", "picture"], path: Path, *given: object) -> PageImage | NoPicture:
    try:
        return logged(apart, what, path, *given)
    except UnreadableDocumentError as error:
        passing = isinstance(error.__cause__, TimeoutExpired | OSError)  # else it is so in the file
        return NoPicture(error.reason, monotonic() + _AGAIN if passing else math.inf)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said in place of the picture
        return NoPicture(reason_of(error), monotonic() + _AGAIN)


@dataclass(frozen=True)
class _Pages:
    """A PDF: its name, file and number of pages; what of a passage stands on which page, with the words before it."""

    name: str
    file: Path
    pages: int
    wanted: dict[int, tuple[str, str]]


@st.cache_resource(show_spinner=False)
def pictures() -> Pictures:
    """The pictures of this process."""
    return Pictures()


def draw_evidence(
    look: Looking, entry_id: str, span: tuple[int, int], source: str, page: int | None, *, key: str = "evidence"
) -> None:
    """Draw the passage `span` of a record in its text, and on the page of the document that it comes from."""
    trees = look.moment.bank.trees
    if entry_id not in trees:  # what was found now is looked at from the past
        trees = look.live.bank.trees
    if entry_id not in trees:
        document_page.draw_words(say("The record of this passage is not in the session."))
        return
    entry = trees.entry(entry_id)
    found = source_of(look, entry)
    passage.draw(
        entry.text, [span], source, page, note=" · ".join(filter(None, (said_by(entry, *span), _others(look, found))))
    )
    if document_page.is_code(source if found is None else found.name):
        document_page.draw_code(source if found is None else found.name, entry.text, span)
    if found is not None:
        _draw_source(look, entry, found, span, page, key=key)


def _others(look: Looking, source: Source | None) -> str:
    """The other documents that have the same text as one, in words."""
    same = [one.name for one in look.moment.bank.sources.values() if source is not None and one.same_as == source.id]
    return say("the same text in {files}", files=", ".join(same)) if same else ""


def source_of(look: Looking, entry: Entry) -> Source | None:
    """The document that a record comes from: as it says, or for what a step brought, the one of that name."""
    sources = look.moment.bank.sources
    named = sources.get(str(entry.metadata.get("source_id")))
    if named is not None:
        return named
    return next((one for one in sources.values() if one.name == entry.metadata.get("source")), None)


def draw_attachments(look: Looking, entry: Entry, *, key: str) -> None:
    """Draw the files that a record refers to: an image as such, a PDF page by page, another by its name."""
    for attachment in entry.attachments:
        _draw_attachment(look, attachment, key=f"{key}-{attachment.id}")


def _draw_attachment(look: Looking, attachment: Attachment, *, key: str) -> None:
    file = _file(look, attachment.path)
    st.text(f"{attachment.id} · {attachment.media_type} · {attachment.path} · {attachment.bytes:,} B")
    if file is None:
        document_page.draw_words(say("The file is not here, as in a session that was imported."))
    elif attachment.type == "image":
        _draw_image(look, attachment.id, file)
    elif attachment.media_type == PDF:
        first, _failure = _outcome(look, pictures().of("page", file, 1, "", _WIDTH, ""))
        pages = 1 if first is None else first.pages
        _draw_pages(look, _Pages(attachment.id, file, pages, {1: ("", "")}), key=key)


def _draw_source(
    look: Looking, entry: Entry, source: Source, span: tuple[int, int], page: int | None, *, key: str
) -> None:
    """Draw the document's page or image, where it has any."""
    media_type = source.media_type or ""
    if media_type != PDF and not media_type.startswith("image/"):
        return
    file = _file(look, source.path)
    if file is None:
        missing = say("The file of {source} is not here, as in a session that was imported.", source=source.name)
        document_page.draw_words(missing)
    elif media_type == PDF:
        document = _Pages(source.name, file, source.pages or 1, passages(entry, span, page))
        _draw_pages(look, document, key=f"{key}-{entry.id}-{span[0]}-{span[1]}")
    else:
        _draw_image(look, source.name, file)


def _file(look: Looking, path: str) -> Path | None:
    """A file of the session's folder; None if it is not there."""
    file = server().store.find(look.session_id) / path
    return file if file.is_file() else None


def passages(entry: Entry, span: tuple[int, int], page: int | None) -> dict[int, tuple[str, str]]:
    """What of a passage stands on which page, with the words before it: one may go on on the next page."""
    start, end = span
    found = {}
    for (begin, number), (finish, _next) in pairwise([*_page_begins(entry), (len(entry.text), 0)]):
        first, last = max(start, begin), min(end, finish)
        if first < last and entry.text[first:last].strip():
            found[number] = (entry.text[first:last], entry.text[max(begin, first - _BEFORE) : first])
    known = page or entry.metadata.get("page")
    if not found and isinstance(known, int):
        found[known] = (entry.text[start:end], entry.text[max(0, start - _BEFORE) : start])
    return found or {1: ("", "")}


def _page_begins(entry: Entry) -> list[tuple[int, int]]:
    """Where in a record each of its pages begins, as its metadata say: they may come from anywhere."""
    pages = entry.metadata.get("pages")
    begins = []
    for item in pages if isinstance(pages, list | tuple) else ():
        match item:
            case [int(begin), int(page)] if page > 0:
                begins.append((begin, page))
            case _:
                return []
    return begins if begins == sorted(begins) else []


def _draw_pages(look: Looking, document: _Pages, *, key: str) -> None:
    """Draw a page with the passage, and the way to the others."""
    last, wanted = document.pages, document.wanted
    shown = pager.draw(
        last, lambda page: say("Page {page} of {last}", page=page, last=last), key=key, first=min(wanted)
    )
    words, before = wanted.get(shown, ("", ""))
    picture, failure = _outcome(look, pictures().of("page", document.file, shown, words, _WIDTH, before))
    document_page.draw_page(DocumentPage(document.name, shown, picture, wanted=bool(words), failure=failure))
    others = [str(page) for page in wanted if page != shown and words]
    if others:
        document_page.draw_words(say("The passage also stands on page {pages}.", pages=", ".join(others)))


def _draw_image(look: Looking, name: str, file: Path) -> None:
    picture, failure = _outcome(look, pictures().of("picture", file, _WIDTH))
    document_page.draw_picture(name, picture, failure)


def _outcome(look: Looking, work: Future[PageImage | NoPicture]) -> tuple[PageImage | None, str]:
    """The picture, or why there is none; neither while it is being made, and then the page will look again."""
    if not work.done() or work.cancelled():  # pushed out by others that were asked for since
        if work not in look.awaited:
            look.awaited.append(work)
        return None, ""
    made = work.result()
    return (None, made.reason) if isinstance(made, NoPicture) else (made, "")
