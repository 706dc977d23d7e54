"""Where sessions live on disk: one folder each, with the event log and the person's files."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from memory_bank.bank.event_log import LOG_NAME
from memory_bank.bank.source import Role, Source
from memory_bank.errors import SessionNotFoundError

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # a leading "-" would read as an option
FILES = "files"


@dataclass(frozen=True)
class Upload:
    """A file as it comes in: what the person calls it, and its bytes."""

    name: str
    data: bytes

    @classmethod
    def read(cls, path: Path) -> Upload:
        """The file at a path, under its own name. `OSError` if it cannot be read."""
        return cls(path.name, path.read_bytes())


def new_session_id() -> str:
    """An id that cannot be guessed, 128 random bits: it is the address of the session."""
    return secrets.token_hex(16)


class SessionStore:
    """The folder that holds all sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create(self, session_id: str) -> Path:
        """Make the folder of a new session. `FileExistsError` if the id is taken."""
        path = self._path(session_id)
        path.mkdir(parents=True)
        (path / FILES).mkdir()
        return path

    def find(self, session_id: str) -> Path:
        """The folder of a session; `SessionNotFoundError` if there is none of that id."""
        path = self._path(session_id)
        if not (path / LOG_NAME).is_file():
            raise SessionNotFoundError(f"no session {session_id!r} in {self.folder}; see which there are with ls")
        return path

    def ids(self) -> list[str]:
        """The ids of all sessions, newest first."""
        if not self.folder.is_dir():
            return []
        found = []
        for path in self.folder.glob(f"*/{LOG_NAME}"):
            if _SESSION_ID.fullmatch(path.parent.name):
                with contextlib.suppress(FileNotFoundError):  # another visitor deleted it just now
                    found.append((path.stat().st_mtime_ns, path.parent.name))
        return [session_id for _time, session_id in sorted(found, reverse=True)]

    def delete(self, session_id: str) -> None:
        """Remove a session with everything it holds."""
        shutil.rmtree(self.find(session_id))

    def _path(self, session_id: str) -> Path:
        if not _SESSION_ID.fullmatch(session_id):
            raise SessionNotFoundError(f"{session_id[:80]!r} is not a session id")
        return self.folder / session_id


def keep(upload: Upload, source_id: str, role: Role, folder: Path) -> Source:
    """Write an upload into a session's folder, under our own name: the person's name is never a path."""
    path = f"{FILES}/{source_id}"
    (folder / path).write_bytes(upload.data)
    return Source(
        id=source_id,
        name=clean_name(upload.name),
        role=role,
        path=path,
        bytes=len(upload.data),
        sha256=hashlib.sha256(upload.data).hexdigest(),
    )


def clean_name(name: str) -> str:
    """A file name fit to be shown: the last part of a path, printable, of bounded length, never empty."""
    last = re.split(r"[/\\]", name)[-1].encode("utf-8", "replace").decode()
    shown = "".join(character if character.isprintable() else "_" for character in last).strip()
    return shown[:120].strip() or "unnamed"
