"""Images waiting to be read: files in a temporary folder, with a subfolder for each Insight Doc.

Nothing in this folder is exported. An image moves to its session's own files when its recognition task has run. The
rest is deleted when the session has ended or, after a crash, when the next session begins.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from memory_bank.storage.atomic_files import move_whole, sync_folder, write_whole

DOC = "doc-"
"""The prefix of every Insight Doc id."""


class WaitingImages:
    """The waiting images of one Insight Doc, by image id."""

    def __init__(self, root: Path, doc_id: str) -> None:
        """`root` is the folder of all waiting images. `doc_id` and image ids are our own, never a person's input."""
        self._folder = root / doc_id

    def add(self, image_id: str, data: bytes) -> None:
        """Store an image until it is read."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.path(image_id), data)
        sync_folder(self._folder)

    def path(self, image_id: str) -> Path:
        """The path of a waiting image; the file may be gone."""
        return self._folder / image_id

    def move(self, image_id: str, target: Path) -> None:
        """Move an image to its place in the session's files. Repeating that after a crash changes nothing.

        `FileNotFoundError` if it is in neither place.
        """
        waiting = self.path(image_id)
        if waiting.is_file() or not target.is_file():
            move_whole(waiting, target)

    def clear(self) -> None:
        """Delete the images that are left."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # other Insight Docs have images here, or the folder never existed
            self._folder.parent.rmdir()


def sweep(root: Path, needed: Callable[[str], bool]) -> None:
    """Delete images of sessions that were killed; `needed` says whether those of an Insight Doc may still be read."""
    for folder in root.glob(f"{DOC}*"):
        if not needed(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
