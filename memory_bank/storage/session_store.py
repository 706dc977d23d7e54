"""Sessions on disk: a folder for each, with the event log and the person's files."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_bank.bank import events as ev
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.bank.source import Role, Source
from memory_bank.documents.media_type import picture_type
from memory_bank.storage.atomic_files import write_whole
from memory_bank.storage.event_log import DRAFT_NAME, LOG_NAME, parse_event, whole_lines
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.text.wording import Wording

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # a leading "-" would read as an option
_LINE_START = re.compile(rb'\{"seq":\d+,"at":"[^"]+","type":"(\w+)"')
"""How a line of a log begins, with the event's type as its group."""
_SUMMARY_TYPES = {b"session_created", b"status_changed", b"source_added", b"nodes_merged", b"merge_reverted"}
"""The types of the events that a summary is made of; others are only counted."""
FILES = "files"
_DELETED = ".gone-"
"""The prefix of a deleted session's folder until it is empty; no session id can begin like this."""
_DAY_SECONDS = 24 * 60 * 60
_LONGEST_NAME, _LONGEST_EXTENSION = 120, 12


@dataclass(frozen=True)
class Upload:
    """A file from a person: its name as the person gave it, and its bytes."""

    name: str
    data: bytes

    @classmethod
    def read(cls, path: Path) -> Upload:
        """Read the file at a path. `OSError` if it cannot be read."""
        return cls(path.name, path.read_bytes())


@dataclass(frozen=True)
class Summary:
    """A session in a list. `nodes` counts the live nodes; `sources` are the names of its documents."""

    id: str
    task: str
    status: ev.Status
    began: datetime
    nodes: int
    conflicts: int
    events: int
    sources: tuple[str, ...]
    bytes: int


def is_session_id(text: str) -> bool:
    """Whether a text has the form of a session id; the session need not exist."""
    return _SESSION_ID.fullmatch(text) is not None


def new_session_id() -> str:
    """A new session id of 128 random bits: it is the session's address, so it must not be guessable."""
    return secrets.token_hex(16)


class SessionStore:
    """The folder that holds all sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._summaries: dict[str, tuple[object, Summary]] = {}

    def create(self, session_id: str) -> Path:
        """Make the folder of a new session. `FileExistsError` if the id is taken."""
        path = self._path(session_id)
        path.mkdir(parents=True)
        try:
            (path / FILES).mkdir()
        except OSError:
            path.rmdir()
            raise
        return path

    def find(self, session_id: str) -> Path:
        """The folder of a session; `SessionNotFoundError` if there is none of that id."""
        path = self._path(session_id)
        if not self.holds(session_id):
            raise SessionNotFoundError(
                Wording(
                    "no session {session} in {folder}; see which there are with ls",
                    session=f"{session_id!r}",
                    folder=self.folder,
                )
            )
        return path

    def holds(self, session_id: str) -> bool:
        """Whether there is a session of that id."""
        return is_session_id(session_id) and (self._path(session_id) / LOG_NAME).is_file()

    def begins(self, session_id: str) -> bool:
        """Whether a session of that id is being created now, or its creation was killed."""
        return is_session_id(session_id) and (self._path(session_id) / DRAFT_NAME).is_file()

    def sweep(self) -> None:
        """Delete sessions whose creation was killed a day ago or more, and the rest of incompletely deleted ones."""
        for deleted in self.folder.glob(f"{_DELETED}*"):
            shutil.rmtree(deleted, ignore_errors=True)
        for draft in self.folder.glob(f"*/{DRAFT_NAME}"):
            with contextlib.suppress(FileNotFoundError):  # it has become a session
                if time.time() - draft.stat().st_mtime > _DAY_SECONDS:
                    shutil.rmtree(draft.parent, ignore_errors=True)

    def ids(self) -> list[str]:
        """The ids of all sessions, newest first."""
        if not self.folder.is_dir():
            return []
        dated_ids = []
        for path in self.folder.glob(f"*/{LOG_NAME}"):
            if is_session_id(path.parent.name):
                with contextlib.suppress(FileNotFoundError):  # another visitor deleted it just now
                    dated_ids.append((path.stat().st_mtime_ns, path.parent.name))
        return [session_id for _time, session_id in sorted(dated_ids, reverse=True)]

    def summary(self, session_id: str) -> Summary:
        """The summary of a session for a list; its log is read again only when it has changed.

        `SessionNotFoundError` if there is none of that id; `CorruptLogError` if its log cannot be read.
        """
        folder = self.find(session_id)
        try:
            log = (folder / LOG_NAME).stat()
            version = (log.st_size, log.st_mtime_ns)
            cached = self._summaries.get(session_id)
            if cached is None or cached[0] != version:
                cached = self._summaries[session_id] = (version, _summarise(folder))
        except FileNotFoundError as error:  # another visitor deleted it just now
            raise SessionNotFoundError(Wording("session {session} was deleted", session=session_id)) from error
        return cached[1]

    def delete(self, session_id: str) -> None:
        """Delete a session with all its files. Images waiting in it are deleted when the next session begins.

        The folder is renamed before its first file is deleted, so the session is gone at once. What an `OSError`
        leaves behind is deleted by a later `sweep`.
        """
        deleted = self.folder / f"{_DELETED}{session_id}-{secrets.token_hex(4)}"
        self.find(session_id).rename(deleted)
        self._summaries.pop(session_id, None)
        with contextlib.suppress(FileNotFoundError):  # another process is sweeping it
            shutil.rmtree(deleted)

    def _path(self, session_id: str) -> Path:
        if not is_session_id(session_id):
            raise SessionNotFoundError(Wording("{session} is not a session id", session=f"{session_id[:80]!r}"))
        return self.folder / session_id


def _summarise(folder: Path) -> Summary:
    """Summarise a log. Most events are only counted, by how their lines begin."""
    counts: Counter[str] = Counter()
    events: list[ev.Event] = []
    for line in whole_lines(folder / LOG_NAME):
        start = _LINE_START.match(line)
        counts[start[1].decode() if start else ""] += 1
        if start and start[1] in _SUMMARY_TYPES:
            events.append(parse_event(line, LOG_NAME, counts.total()))
    created = next((event for event in events if isinstance(event, ev.SessionCreated)), None)
    if created is None:
        raise CorruptLogError(Wording("{log} does not say how the session began", log=LOG_NAME))
    return Summary(
        id=folder.name,
        task=created.task_goal,
        status=next((event.status for event in reversed(events) if isinstance(event, ev.StatusChanged)), "created"),
        began=created.at,
        nodes=counts["node_created"] - _nodes_merged_away(events),
        conflicts=counts["conflict_opened"],
        events=counts.total(),
        sources=tuple(event.source.name for event in events if isinstance(event, ev.SourceAdded)),
        bytes=bytes_in(folder),
    )


def bytes_in(folder: Path) -> int:
    """The size of a session's files in bytes; a file that is moved meanwhile may be missed."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _nodes_merged_away(events: Iterable[ev.Event]) -> int:
    """By how many nodes the merges that were not reverted reduce the graph."""
    merged_away: dict[str, int] = {}
    for event in events:
        if isinstance(event, ev.NodesMerged):
            merged_away[event.node.id] = len(event.merge.node_ids) - 1
        elif isinstance(event, ev.MergeReverted):
            merged_away.pop(event.node_id, None)
    return sum(merged_away.values())


def store_upload(upload: Upload, source_id: str, role: Role, folder: Path, images: WaitingImages) -> Source:
    """Store an upload in a session's folder and return it as a source. The person's file name is never used as a path.

    An image is stored in `images` instead, until it is read.
    """
    source = Source(
        id=source_id,
        name=clean_name(upload.name),
        role=role,
        path=f"{FILES}/{source_id}",
        bytes=len(upload.data),
        sha256=hashlib.sha256(upload.data).hexdigest(),
        media_type=picture_type(upload.data),
    )
    if source.is_image:
        images.add(source.id, upload.data)
    else:
        write_whole(folder / source.path, upload.data)
    return source


def clean_name(name: str) -> str:
    """A file name that can be shown: the last part of a path, printable, of bounded length, never empty."""
    last = re.split(r"[/\\]", name)[-1].encode("utf-8", "replace").decode()
    shown = "".join(character if character.isprintable() else "_" for character in last).strip()
    return _shortened(shown).strip() or "unnamed"


def _shortened(name: str) -> str:
    """Cut a name to `_LONGEST_NAME` characters; it keeps its extension, which decides how the file is read."""
    if len(name) <= _LONGEST_NAME:
        return name
    stem, dot, extension = name.rpartition(".")
    suffix = f".{extension}" if stem and dot and len(extension) < _LONGEST_EXTENSION else ""
    return f"{name[: _LONGEST_NAME - len(suffix)].strip()}{suffix}"
