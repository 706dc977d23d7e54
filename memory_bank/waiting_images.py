"""Images that wait to be read: files in a temporary folder, kept apart by the Insight Doc that they belong to.

Nothing of this folder is exported. An image goes to its session's own files when its recognition task has run; what is
left vanishes when the session has ended, or, after a crash, when the next one begins.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from memory_bank.durable_files import move_whole, sync_folder, write_whole

DOC = "doc-"
"""How the id of an Insight Doc begins."""


class WaitingImages:
    """The waiting images of one Insight Doc, by their ids."""

    def __init__(self, root: Path, doc_id: str) -> None:
        """`root` is the folder of all waiting images; `doc_id` and the ids of images are made by us."""
        self._folder = root / doc_id

    def add(self, image_id: str, data: bytes) -> None:
        """Have an image wait."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.path(image_id), data)
        sync_folder(self._folder)

    def path(self, image_id: str) -> Path:
        """Where the image waits; the file may be gone."""
        return self._folder / image_id

    def move(self, image_id: str, target: Path) -> None:
        """Take an image to its place in the session's files; a second time, after a crash, changes nothing.

        `FileNotFoundError` if it is in neither place.
        """
        waiting = self.path(image_id)
        if waiting.is_file() or not target.is_file():
            move_whole(waiting, target)

    def clear(self) -> None:
        """Remove what is left."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # others wait too, or there never was any
            self._folder.parent.rmdir()


def sweep(root: Path, needed: Callable[[str], bool]) -> None:
    """Remove what sessions left that were killed; `needed` tells whether an Insight Doc's images may still be read."""
    for folder in root.glob(f"{DOC}*"):
        if not needed(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
