"""Draw the form that starts a session: task, documents, references, pasted text, engine, long-term memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.language import listed, say
from components.look import asset, plain
from memory_bank.bank.settings import Settings
from memory_bank.storage.session_store import Upload, clean_name

MAX_MEGABYTES = 50
"""Most megabytes of an uploaded file."""
_DROP_MOUNT = st.components.v2.component("memory_bank_drop_anywhere", js=asset("drop_anywhere.js"))
"""Draws nothing. It puts files that are dropped beside an uploader into the one with the key that it is given."""


@dataclass(frozen=True)
class EngineOffer:
    """An engine to choose: its name, a text that says which data it sends where, and the settings that choose it."""

    name: str
    sends: str
    settings: Settings


@dataclass(frozen=True)
class StartInput:
    """The submitted form.

    `remarks` name each file that was left out, with the reason. `engine` is the index of the offer. `remember` turns on
    long-term memory, for `project` if one is named.
    """

    task: str
    documents: tuple[Upload, ...]
    sources: tuple[Upload, ...]
    remarks: tuple[str, ...]
    engine: int = 0
    remember: bool = False
    project: str = ""

    @property
    def error(self) -> str | None:
        """Why no session can be started from this input; None if one can."""
        if not self.task.strip():
            return say("Write a task first: what do you want to find out? Your files and text are still here.")
        if not (self.documents or self.sources or self.remember):
            return say(
                "Add a document or paste some text first: without one there is nothing to search for the answer."
            )
        return None


def draw_start_form(
    engines: Sequence[EngineOffer], project: str | None = None, kept: StartInput | None = None
) -> StartInput | None:
    """Draw the form; its content when it is submitted. The last engine is preselected.

    Long-term memory is offered unless `project` is None; `project` is the one named before, or "". `kept` is the form
    as it was when the person left the page: what was written and ticked stands there, and its files are offered again.
    """
    if kept is not None:
        st.session_state.setdefault("task", kept.task)
        st.session_state.setdefault("remember", kept.remember)
    accepted = say(
        "PDF, Office and OpenDocument files, EPUB, mail, notebooks, chats, Markdown, HTML, text, CSV, JSON, code or "
        "images, up to {size} MB each. You can drop them anywhere on this page.",
        size=MAX_MEGABYTES,
    )
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
            help=say("Their content becomes the memory."),
        )
        sources = right.file_uploader(
            say("References to check against"),
            accept_multiple_files=True,
            key="sources",
            max_upload_size=MAX_MEGABYTES,
            help=say("Sources you trust more. Every claim of the documents is compared with them."),
        )
        st.html(f'<p class="mb-quiet">{accepted}</p>')
        pasted = st.text_area(
            say("Or paste text"), key="pasted", height=80, placeholder=say("Text to work on, like a document")
        )
        use_kept = kept is not None and _draw_kept(kept)
        engine = _draw_engines(engines) if len(engines) > 1 else 0
        remember, named_project = _draw_memory(project) if project is not None else (False, "")
        submitted = st.form_submit_button(say("Run"), type="primary", key="run")
    with st.container(height=1, key="drop-anywhere-place", border=False):
        _DROP_MOUNT(data={"field": "documents"}, key="drop-anywhere")
    if not submitted:
        return None
    form = read_input(task, documents, sources, pasted)
    if kept is not None and use_kept:
        form = _with_files_of(form, kept)
    return replace(form, engine=engine, remember=remember, project=named_project)


def _draw_kept(kept: StartInput) -> bool:
    """Draw the files that were kept; whether they are to be used."""
    names = [clean_name(upload.name) for upload in (*kept.documents, *kept.sources)]
    return bool(names) and st.checkbox(plain(say("Still here: {files}", files=listed(names))), value=True, key="kept")


def _with_files_of(form: StartInput, kept: StartInput) -> StartInput:
    """The form with the files that were kept, without copies of them."""
    return replace(
        form,
        documents=tuple(dict.fromkeys((*kept.documents, *form.documents))),
        sources=tuple(dict.fromkeys((*kept.sources, *form.sources))),
        remarks=(*kept.remarks, *form.remarks),
    )


def _draw_memory(project: str) -> tuple[bool, str]:
    """Draw the options of long-term memory, which is off at first; whether it is on, and the project."""
    with st.expander(say("Long-term memory (off unless you tick it)"), key="start-memory"):
        remember = st.checkbox(say("Remember across sessions"), key="remember")
        st.caption(
            say(
                "Stored on this server for you alone: facts that you state, and the outcome of this task. Later "
                "sessions with this option on may use them. On the page “Long-term memory” you can see and delete "
                "everything."
            )
        )
        named_project = st.text_input(
            say("Project (optional)"),
            value=project,
            max_chars=200,
            key="remember-project",
            help=say(
                "With a project, only its records are used; without one, all of yours. Applies only if the box is "
                "ticked."
            ),
        )
    return remember, " ".join(named_project.split())


def _draw_engines(engines: Sequence[EngineOffer]) -> int:
    return st.radio(
        say("Engine"),
        range(len(engines)),
        index=len(engines) - 1,
        format_func=lambda index: plain(engines[index].name),
        captions=[plain(engine.sends) for engine in engines],
        key="engine",
    )


def read_input(
    task: str, documents: Collection[UploadedFile], sources: Collection[UploadedFile], pasted: str
) -> StartInput:
    """The form's content without copies; a remark names each of those.

    Empty files go to the session, which refuses them by name: its record says so wherever it is opened.
    """
    remarks: list[str] = []
    usable = _usable(documents, remarks)
    references = _usable(sources, remarks)
    if pasted.strip():
        usable.append(Upload(say("pasted text.txt"), pasted.encode("utf-8", "replace")))
    return StartInput(" ".join(task.split()), tuple(usable), tuple(references), tuple(remarks))


def _usable(files: Iterable[UploadedFile], remarks: list[str]) -> list[Upload]:
    """The files without copies; a remark is added for each of those. An empty file is no copy of another."""
    usable: list[Upload] = []
    names: dict[bytes, str] = {}
    for file in files:
        upload = Upload(file.name, file.getvalue())
        name = clean_name(upload.name)
        if upload.data.strip() and upload.data in names:
            remarks.append(say("{file} was left out: it is the same as {same}.", file=name, same=names[upload.data]))
        else:
            usable.append(upload)
            names[upload.data] = name
    return usable
