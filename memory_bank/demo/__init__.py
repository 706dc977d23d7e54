"""The bundled demo: documents that disagree, with a reference that settles one dispute and leaves one open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_bank.session_store import Upload

_FILES = Path(__file__).parent / "files"
_TASK = "When was the Aswan High Dam completed? How long is the Nile? How many countries does the Nile flow through?"


@dataclass(frozen=True)
class Demo:
    """What the demo session is started with."""

    task: str
    documents: tuple[Upload, ...]
    sources: tuple[Upload, ...]


def load_demo() -> Demo:
    """The demo's task, its documents, and the reference sources to check against."""
    return Demo(
        task=_TASK,
        documents=(Upload.read(_FILES / "brochure.pdf"), Upload.read(_FILES / "notes.md")),
        sources=(Upload.read(_FILES / "dam-register.md"), Upload.read(_FILES / "river-lengths.md")),
    )
