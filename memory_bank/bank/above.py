"""What stands above an entry in its document: heading, table header, the sentence before. An entry alone lacks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

ABOVE = "above"
"""Its key in the metadata of an entry."""
BEFORE_CHARACTERS = 120
"""Most characters of the sentence before that belong to the context of a statement: its last ones."""


class Above(NamedTuple):
    """What stands above a place in a document, which is the context of a statement there.

    `before` is the sentence before it, `columns` the header of the table that goes on there, `lead` the heading,
    question or label that it stands under.
    """

    title: str = ""
    heading: str = ""
    before: str = ""
    columns: str = ""
    lead: str = ""

    def as_metadata(self) -> dict[str, str]:
        """What there is of it besides the title, for the metadata of an entry; of `before` the end alone is needed."""
        parts = self._replace(title="", before=" ".join(self.before.split())[-BEFORE_CHARACTERS:])._asdict()
        return {name: words for name, words in parts.items() if words}

    @classmethod
    def of_metadata(cls, metadata: Mapping[str, Any]) -> Above:
        """What stands above an entry, with its title or else its source's name; what an import made up is left out."""
        stored = metadata.get(ABOVE)
        words = stored if isinstance(stored, dict) else {}
        return cls(
            str(metadata.get("title") or metadata.get("source", "")),
            *(str(words.get(name, "")) for name in cls._fields[1:]),
        )
