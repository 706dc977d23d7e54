"""The bundled demo: documents that disagree, and reference sources that settle one conflict and leave one open.

There is one edition for each language of the interface, with the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_bank.storage.session_store import Upload


@dataclass(frozen=True)
class Demo:
    """The task and the files that the demo session is started with."""

    task: str
    documents: tuple[Upload, ...]
    sources: tuple[Upload, ...]


_TASKS = {
    "en": (
        "When was the Aswan High Dam completed? ",
        "How long is the Nile? ",
        "How many countries does the Nile flow through?",
    ),
    "zh": ("阿斯旺高坝是哪一年建成的？", "尼罗河有多长？", "尼罗河流经多少个国家？"),
}
_DOCUMENTS = ("brochure.pdf", "notes.md")
_SOURCES = ("dam-register.md", "river-lengths.md")  # the first is on the first question, the second on the second
_CHINESE_NAMES = {
    "brochure.pdf": "旅行手册.pdf",
    "notes.md": "读书笔记.md",
    "dam-register.md": "水坝名录.md",
    "river-lengths.md": "大河的长度.md",
}


def load_demo(language: str = "en") -> Demo:
    """The demo's task, its documents, and the reference sources to check against, in Chinese ("zh") or English."""
    return _loaded(language, slice(None))


def load_dispute(language: str = "en") -> Demo:
    """The part of the demo that no source settles: the length of the river."""
    return _loaded(language, slice(1, 2))


def _loaded(language: str, part: slice) -> Demo:
    edition, subfolder, names = ("zh", "files_zh", _CHINESE_NAMES) if language == "zh" else ("en", "files", {})
    folder = Path(__file__).parent / subfolder
    documents, sources = (
        tuple(Upload(names.get(file, file), (folder / file).read_bytes()) for file in files)
        for files in (_DOCUMENTS, _SOURCES[part])
    )
    return Demo("".join(_TASKS[edition][part]).strip(), documents, sources)
