"""Split the entries of a node into pages of bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from memory_bank.bank.interaction_tree import Entry

PAGE = 12_000
"""Characters of a page: what an assistant takes in one answer. The metadata of an entry may take as many again."""
_MAX_ATTACHMENTS, _MAX_MEDIA_TYPE_LENGTH = 50, 100


@dataclass(frozen=True, slots=True)
class EntryPart:
    """The part `text[start:end]` of an entry: the whole text, unless it is longer than a page."""

    entry: Entry
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many characters it takes on a page."""
        return self.end - self.start + len(to_json(self.shown(text=False)))

    def shown(self, *, text: bool = True) -> dict[str, Any]:
        """The piece as JSON values. Metadata and attachments of an entry come with its first piece only."""
        entry, whole = self.entry, self.end - self.start == len(self.entry.text)
        return {
            "id": entry.id,
            "created_at": entry.created_at.isoformat(),
            **(_facts(entry) if self.start == 0 else {}),
            **({} if whole else {"characters": [self.start, self.end], "of": len(entry.text)}),
            **({"text": entry.text[self.start : self.end]} if text else {}),
        }


def pages_of(entries: Iterable[Entry]) -> list[list[EntryPart]]:
    """Lay out the entries in order. A page holds as many pieces as fit, and at least one."""
    pages: list[list[EntryPart]] = []
    room = 0
    for entry in entries:
        for start, end in split_text(entry.text):
            piece = EntryPart(entry, start, end)
            if not pages or piece.size > room:
                pages.append([])
                room = PAGE
            pages[-1].append(piece)
            room -= piece.size
    return pages


def split_text(text: str) -> list[tuple[int, int]]:
    """Split a text into `(start, end)` ranges of at most a page each; an empty text has one range."""
    return [(start, min(start + PAGE, len(text))) for start in range(0, max(len(text), 1), PAGE)]


def _facts(entry: Entry) -> dict[str, Any]:
    """Metadata and attachments of an entry. What does not fit on a page is left out and counted."""
    room = PAGE
    metadata: dict[str, Any] = {}
    for key, value in entry.metadata.items():
        size = len(to_json({key: value}))
        if size <= room:
            metadata[key] = value
            room -= size
    attachments = [
        {"id": item.id, "type": item.type, "media_type": item.media_type[:_MAX_MEDIA_TYPE_LENGTH], "bytes": item.bytes}
        for item in entry.attachments[:_MAX_ATTACHMENTS]
    ]
    left_out = {
        "metadata_left_out": len(entry.metadata) - len(metadata),
        "attachments_left_out": len(entry.attachments) - len(attachments),
    }
    return {
        "metadata": metadata,
        **({"attachments": attachments} if attachments else {}),
        **{name: count for name, count in left_out.items() if count},
    }
