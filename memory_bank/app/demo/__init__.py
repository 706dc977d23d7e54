"""The bundled demo: documents that disagree, and reference sources that settle one conflict and leave one open.

There is one edition for each language of the interface, with the same facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_bank.storage.session_store import Upload

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Demo:
    """The task and the files that the demo session is started with."""

    task: str
    documents: tuple[Upload, ...]
    sources: tuple[Upload, ...]


@dataclass(frozen=True)
class _Edition:
    """The demo in one language; the second question and the second source are those of the dispute that stays open."""

    questions: tuple[str, ...]
    folder: str
    documents: Mapping[str, str]
    sources: Mapping[str, str]


_ENGLISH = _Edition(
    (
        "When was the Aswan High Dam completed? ",
        "How long is the Nile? ",
        "How many countries does the Nile flow through?",
    ),
    "files",
    {"brochure.pdf": "brochure.pdf", "notes.md": "notes.md"},
    {"dam-register.md": "dam-register.md", "river-lengths.md": "river-lengths.md"},
)
_CHINESE = _Edition(
    ("阿斯旺高坝是哪一年建成的？", "尼罗河有多长？", "尼罗河流经多少个国家？"),
    "files_zh",
    {"brochure.pdf": "旅行手册.pdf", "notes.md": "读书笔记.md"},
    {"dam-register.md": "水坝名录.md", "river-lengths.md": "大河的长度.md"},
)


def load_demo(language: str = "en") -> Demo:
    """The demo's task, its documents, and the reference sources to check against, in Chinese ("zh") or English."""
    edition = _edition(language)
    return _loaded(edition, "".join(edition.questions), edition.sources)


def load_dispute(language: str = "en") -> Demo:
    """The part of the demo that no source settles: the length of the river."""
    edition = _edition(language)
    return _loaded(edition, edition.questions[1].strip(), dict([list(edition.sources.items())[1]]))


def _edition(language: str) -> _Edition:
    return _CHINESE if language == "zh" else _ENGLISH


def _loaded(edition: _Edition, task: str, references: Mapping[str, str]) -> Demo:
    folder = _FOLDER / edition.folder
    documents, sources = (
        tuple(Upload(name, (folder / file).read_bytes()) for file, name in files.items())
        for files in (edition.documents, references)
    )
    return Demo(task, documents, sources)
