"""Where sessions live on disk: one folder each, with the event log and the person's files."""

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

from pydantic import ValidationError

from memory_bank.bank.event_log import DRAFT_NAME, LOG_NAME, whole_lines
from memory_bank.bank.source import Role, Source
from memory_bank.durable_files import write_whole
from memory_bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.events import (
    EVENT,
    Event,
    MergeReverted,
    NodesMerged,
    SessionCreated,
    SourceAdded,
    Status,
    StatusChanged,
)
from memory_bank.modules.media_type import picture_type
from memory_bank.waiting_images import WaitingImages

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # a leading "-" would read as an option
_EVENT = re.compile(rb'\{"seq":\d+,"at":"[^"]+","type":"(\w+)"')
"""How a line of a log begins."""
_READ = {b"session_created", b"status_changed", b"source_added", b"nodes_merged", b"merge_reverted"}
"""The events that a summary is made of; the others are only counted."""
FILES = "files"
_GONE = ".gone-"
"""How the folder of a removed session is called until it is empty: as no session can be."""
_A_DAY = 24 * 60 * 60
_LONGEST_NAME, _LONGEST_ENDING = 120, 12


@dataclass(frozen=True)
class Upload:
    """A file as it comes in: what the person calls it, and its bytes."""

    name: str
    data: bytes

    @classmethod
    def read(cls, path: Path) -> Upload:
        """The file at a path, under its own name. `OSError` if it cannot be read."""
        return cls(path.name, path.read_bytes())


@dataclass(frozen=True)
class Summary:
    """What a list says of a session. `nodes` are those that live, `sources` the names of its documents."""

    id: str
    task: str
    status: Status
    began: datetime
    nodes: int
    conflicts: int
    events: int
    sources: tuple[str, ...]
    bytes: int


def is_session_id(text: str) -> bool:
    """Whether a text can be the id of a session; there need not be one."""
    return _SESSION_ID.fullmatch(text) is not None


def new_session_id() -> str:
    """An id that cannot be guessed, 128 random bits: it is the address of the session."""
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
        if not (path / LOG_NAME).is_file():
            raise SessionNotFoundError(f"no session {session_id!r} in {self.folder}; see which there are with ls")
        return path

    def begins(self, session_id: str) -> bool:
        """Whether a session of that id is being made now, or its making was killed."""
        return is_session_id(session_id) and (self._path(session_id) / DRAFT_NAME).is_file()

    def sweep(self) -> None:
        """Remove what sessions left whose making was killed, a day ago or more, or whose removal did not succeed."""
        for gone in self.folder.glob(f"{_GONE}*"):
            shutil.rmtree(gone, ignore_errors=True)
        for draft in self.folder.glob(f"*/{DRAFT_NAME}"):
            with contextlib.suppress(FileNotFoundError):  # it is a session by now
                if time.time() - draft.stat().st_mtime > _A_DAY:
                    shutil.rmtree(draft.parent, ignore_errors=True)

    def ids(self) -> list[str]:
        """The ids of all sessions, newest first."""
        if not self.folder.is_dir():
            return []
        found = []
        for path in self.folder.glob(f"*/{LOG_NAME}"):
            if is_session_id(path.parent.name):
                with contextlib.suppress(FileNotFoundError):  # another visitor deleted it just now
                    found.append((path.stat().st_mtime_ns, path.parent.name))
        return [session_id for _time, session_id in sorted(found, reverse=True)]

    def summary(self, session_id: str) -> Summary:
        """What a list says of a session; its log is read again only when it has changed.

        `SessionNotFoundError` if there is none of that id; `CorruptLogError` if its log cannot be read.
        """
        folder = self.find(session_id)
        try:
            log = (folder / LOG_NAME).stat()
            version = (log.st_size, log.st_mtime_ns)
            known = self._summaries.get(session_id)
            if known is None or known[0] != version:
                known = self._summaries[session_id] = (version, _summarise(folder))
        except FileNotFoundError as error:  # another visitor deleted it just now
            raise SessionNotFoundError(f"session {session_id} was deleted") from error
        return known[1]

    def delete(self, session_id: str) -> None:
        """Remove a session with everything it holds; images that waited in it go when the next session begins.

        It is no session any more before the first file goes: what an `OSError` leaves, `sweep` removes later.
        """
        gone = self.folder / f"{_GONE}{session_id}-{secrets.token_hex(4)}"
        self.find(session_id).rename(gone)
        self._summaries.pop(session_id, None)
        with contextlib.suppress(FileNotFoundError):  # somebody sweeps it just now
            shutil.rmtree(gone)

    def _path(self, session_id: str) -> Path:
        if not is_session_id(session_id):
            raise SessionNotFoundError(f"{session_id[:80]!r} is not a session id")
        return self.folder / session_id


def _summarise(folder: Path) -> Summary:
    """Go through a log for what a list says: most events are only counted, by how their lines begin."""
    counts: Counter[str] = Counter()
    read: list[Event] = []
    for line in whole_lines(folder / LOG_NAME):
        begin = _EVENT.match(line)
        counts[begin[1].decode() if begin else ""] += 1
        if begin and begin[1] in _READ:
            read.append(_event(line, counts.total()))
    created = next((event for event in read if isinstance(event, SessionCreated)), None)
    if created is None:
        raise CorruptLogError(f"{LOG_NAME} does not say how the session began")
    return Summary(
        id=folder.name,
        task=created.task_goal,
        status=next((event.status for event in reversed(read) if isinstance(event, StatusChanged)), "created"),
        began=created.at,
        nodes=counts["node_created"] - _merged_away(read),
        conflicts=counts["conflict_opened"],
        events=counts.total(),
        sources=tuple(event.source.name for event in read if isinstance(event, SourceAdded)),
        bytes=bytes_in(folder),
    )


def bytes_in(folder: Path) -> int:
    """How many bytes the files of a session take; one that is moved just now counts where it is met, or not."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _merged_away(read: Iterable[Event]) -> int:
    """How many nodes fewer there are by the merges that still stand."""
    fewer: dict[str, int] = {}
    for event in read:
        if isinstance(event, NodesMerged):
            fewer[event.node.id] = len(event.merge.node_ids) - 1
        elif isinstance(event, MergeReverted):
            fewer.pop(event.node_id, None)
    return sum(fewer.values())


def _event(line: bytes, number: int) -> Event:
    try:
        return EVENT.validate_json(line)
    except ValidationError as error:
        raise CorruptLogError(f"{LOG_NAME}, line {number}: not a known event") from error


def keep(upload: Upload, source_id: str, role: Role, folder: Path, images: WaitingImages) -> Source:
    """Write an upload into a session's folder, under our own name: the person's name is never a path.

    An image to work on waits elsewhere until it was read.
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
    """A file name fit to be shown: the last part of a path, printable, of bounded length, never empty."""
    last = re.split(r"[/\\]", name)[-1].encode("utf-8", "replace").decode()
    shown = "".join(character if character.isprintable() else "_" for character in last).strip()
    return _shortened(shown).strip() or "unnamed"


def _shortened(name: str) -> str:
    """A name of at most so many characters that keeps its ending, for that tells how it is read."""
    if len(name) <= _LONGEST_NAME:
        return name
    stem, dot, ending = name.rpartition(".")
    kept = f".{ending}" if stem and dot and len(ending) < _LONGEST_ENDING else ""
    return f"{name[: _LONGEST_NAME - len(kept)].strip()}{kept}"
