"""The form that starts a session: task, documents, a reference library to check against, pasted text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import streamlit as st

from components.language import say
from components.look import plain
from memory_bank.session_store import Upload, clean_name

MAX_MEGABYTES = 50


class UploadedFile(Protocol):
    """What the browser brings: a name and bytes."""

    @property
    def name(self) -> str:
        """What the person calls the file."""
        ...

    def getvalue(self) -> bytes:
        """Its content."""
        ...


@dataclass(frozen=True)
class EngineOffer:
    """An engine to choose: its name, and what is sent where."""

    name: str
    sends: str


@dataclass(frozen=True)
class Filled:
    """The form as it was sent. `remarks` names each file left out, with the reason; `engine` is the offer's place.

    `remember` turns long-term memory on, in `project` where one is named.
    """

    task: str
    documents: tuple[Upload, ...]
    sources: tuple[Upload, ...]
    remarks: tuple[str, ...]
    given: int
    engine: int = 0
    remember: bool = False
    project: str = ""

    @property
    def error(self) -> str | None:
        """Why no session can be started from this, in words, or None."""
        if not self.task.strip():
            return say("Write a task first: what should be found out? Your files and text are still here.")
        if self.given and not self.documents and not self.sources:
            return say("None of the files can be used, so nothing was started. Choose others, or remove them.")
        return None


def draw(engines: Sequence[EngineOffer], project: str | None = None) -> Filled | None:
    """Draw the form; what was filled in, at the moment it is sent. The last engine is chosen at first.

    Long-term memory is offered where a `project` is given, which may be empty: the one that was named before.
    """
    with st.form("start", border=False):
        task = st.text_area(
            say("Task"),
            key="task",
            height=80,
            placeholder=say("What do you want to find out? For example: When was the dam completed?"),
        )
        left, right = st.columns(2)
        documents = left.file_uploader(
            say("Documents to work on"),
            accept_multiple_files=True,
            key="documents",
            max_upload_size=MAX_MEGABYTES,
            help=say(
                "PDF, Office and OpenDocument files, EPUB, mail, notebooks, chats, Markdown, HTML, text, CSV, JSON, "
                "code or images. What they say becomes the memory."
            ),
        )
        sources = right.file_uploader(
            say("References to check against"),
            accept_multiple_files=True,
            key="sources",
            max_upload_size=MAX_MEGABYTES,
            help=say("Sources you trust more. Every claim of the documents is compared with them."),
        )
        pasted = st.text_area(
            say("Or paste text"), key="pasted", height=80, placeholder=say("Text to work on, like a document")
        )
        engine = _draw_engines(engines) if len(engines) > 1 else 0
        remember, named = _draw_memory(project) if project is not None else (False, "")
        sent = st.form_submit_button(say("Run"), type="primary", key="run")
    if not sent:
        return None
    return replace(fill(task, documents, sources, pasted), engine=engine, remember=remember, project=named)


def _draw_memory(project: str) -> tuple[bool, str]:
    """Whether to remember across sessions, which is off at first, and in which project."""
    with st.expander(say("Long-term memory (off unless you tick it)"), key="start-memory"):
        remember = st.checkbox(say("Remember across sessions"), key="remember")
        st.caption(
            say(
                "Kept for you alone, on this server: facts that you tell, and what this task came to. Later sessions "
                "that remember may use them. The page “Long-term memory” shows everything, and forgets what you want."
            )
        )
        named = st.text_input(
            say("Project (optional)"),
            value=project,
            max_chars=200,
            key="remember-project",
            help=say(
                "With a project, its records alone are used; without one, all of yours. Counts only with the tick."
            ),
        )
    return remember, " ".join(named.split())


def _draw_engines(engines: Sequence[EngineOffer]) -> int:
    return st.radio(
        say("Engine"),
        range(len(engines)),
        index=len(engines) - 1,
        format_func=lambda place: plain(engines[place].name),
        captions=[plain(engine.sends) for engine in engines],
        key="engine",
    )


def fill(task: str, documents: Iterable[UploadedFile], sources: Iterable[UploadedFile], pasted: str) -> Filled:
    """The form's content with empty files and copies left out, each with a remark."""
    remarks: list[str] = []
    kept = _usable(documents, remarks)
    references = _usable(sources, remarks)
    given = len(list(documents)) + len(list(sources))
    if pasted.strip():
        kept.append(Upload(say("pasted text.txt"), pasted.encode("utf-8", "replace")))
        given += 1
    return Filled(" ".join(task.split()), tuple(kept), tuple(references), tuple(remarks), given)


def _usable(files: Iterable[UploadedFile], remarks: list[str]) -> list[Upload]:
    kept: dict[str, Upload] = {}
    for file in files:
        upload = Upload(file.name, file.getvalue())
        content = hashlib.sha256(upload.data).hexdigest()
        if not upload.data.strip():
            remarks.append(say("{file} was left out: the file is empty.", file=clean_name(upload.name)))
        elif content in kept:
            same = clean_name(kept[content].name)
            remarks.append(
                say("{file} was left out: it is the same as {same}.", file=clean_name(upload.name), same=same)
            )
        else:
            kept[content] = upload
    return list(kept.values())
