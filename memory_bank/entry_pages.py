"""The entries of a node, however many and however long, as pages of bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from memory_bank.bank.interaction_tree import Attachment, Entry

PAGE = 12_000
"""Characters of a page: what an assistant takes in one answer. Facts about an entry may take as many again."""
_MOST_ATTACHMENTS, _LONGEST_TYPE = 50, 100


@dataclass(frozen=True, slots=True)
class Piece:
    """The stretch `text[start:end]` of an entry: all of it, unless it is longer than a page."""

    entry: Entry
    start: int
    end: int

    @property
    def size(self) -> int:
        """The characters that it takes on a page."""
        return self.end - self.start + len(to_json(self.shown(text=False)))

    def shown(self, *, text: bool = True) -> dict[str, Any]:
        """The piece for another program. What is told of an entry beside its text comes with its first piece."""
        entry, whole = self.entry, self.end - self.start == len(self.entry.text)
        return {
            "id": entry.id,
            "created_at": entry.created_at.isoformat(),
            **(_facts(entry) if self.start == 0 else {}),
            **({} if whole else {"characters": [self.start, self.end], "of": len(entry.text)}),
            **({"text": entry.text[self.start : self.end]} if text else {}),
        }


def pages_of(entries: Iterable[Entry]) -> list[list[Piece]]:
    """The entries in their order. A page holds as many pieces as fit, and at least one."""
    pages: list[list[Piece]] = []
    left = 0
    for entry in entries:
        for start, end in stretches(entry.text):
            piece = Piece(entry, start, end)
            if not pages or piece.size > left:
                pages.append([])
                left = PAGE
            pages[-1].append(piece)
            left -= piece.size
    return pages


def stretches(text: str) -> list[tuple[int, int]]:
    """A text in stretches of at most a page, one at least."""
    return [(start, min(start + PAGE, len(text))) for start in range(0, max(len(text), 1), PAGE)]


def _facts(entry: Entry) -> dict[str, Any]:
    """Metadata and attachments. What does not fit on a page is left out, and how much that is is said."""
    room = PAGE
    metadata: dict[str, Any] = {}
    for key, value in entry.metadata.items():
        size = len(to_json({key: value}))
        if size <= room:
            metadata[key] = value
            room -= size
    attached = [_attached(one) for one in entry.attachments[:_MOST_ATTACHMENTS]]
    left_out = {
        "metadata_left_out": len(entry.metadata) - len(metadata),
        "attachments_left_out": len(entry.attachments) - len(attached),
    }
    return {
        "metadata": metadata,
        **({"attachments": attached} if attached else {}),
        **{name: count for name, count in left_out.items() if count},
    }


def _attached(one: Attachment) -> dict[str, Any]:
    return {"id": one.id, "type": one.type, "media_type": one.media_type[:_LONGEST_TYPE], "bytes": one.bytes}
