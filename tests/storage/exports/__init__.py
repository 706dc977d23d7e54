"""Exports with their files, as each version of the format wrote them: `python -m tests.storage.exports` adds new ones.

What an older version wrote is never written again: it must be read for ever.
"""

from __future__ import annotations

import gzip
from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The exports, such as "1-demo-en"."""
    return sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))


def text(name: str) -> bytes:
    """An export as it was written."""
    return gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes())
