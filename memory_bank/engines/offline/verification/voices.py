"""Who speaks to a conflict: each document is one voice, copies of one text are one, and how much a voice counts.

The odds of a voice are how many times likelier what it says is to be right than wrong; independent voices multiply.
A reference counts as two documents of the material: the person named it to check against. The web counts for less
than either, for nobody chose it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memory_bank.bank.conflict import Evidence
from memory_bank.engines.offline.verification.point import Said
from memory_bank.modules.copies import copied, same_words
from memory_bank.values.dates import find_dates


class Authority(StrEnum):
    """What the person gave a document as; nobody gave what the web has. A copy speaks for its wording alone."""

    REFERENCE = "reference"
    MATERIAL = "material"
    WEB = "web"
    COPY = "copy"


MATERIAL_ODDS = 3.0
ODDS = {
    Authority.REFERENCE: MATERIAL_ODDS**2,
    Authority.MATERIAL: MATERIAL_ODDS,
    Authority.WEB: 2.0,
    Authority.COPY: 2.0,
}
_VAGUE = 0.5
"""A voice that gives a value only about counts half."""


@dataclass(frozen=True)
class Source:
    """A document that may speak, with all of its text that is at hand. Two documents of one name have two ids."""

    id: str
    name: str
    authority: Authority
    text: str
    title: str = ""

    @property
    def date(self) -> int | None:
        """When it says that it was written, on the scale of `dates`; None where it does not."""
        return document_date(self.text, self.name)


@dataclass(frozen=True)
class Voice:
    """A statement of a source that speaks to the point."""

    source: Source
    said: Said
    evidence: Evidence

    @property
    def odds(self) -> float:
        """How many times likelier it is right than wrong."""
        odds = ODDS[self.source.authority]
        return math.pow(odds, _VAGUE) if self.said.vague else odds


def independent(voices: Iterable[Voice]) -> list[Voice]:
    """One voice for each text and each thing it says, the loudest: a copy adds nothing to what it was copied from."""
    kept: list[Voice] = []
    for voice in sorted(voices, key=lambda voice: -voice.odds):
        if not any(_repeats(voice, other) for other in kept):
            kept.append(voice)
    return kept


def _repeats(voice: Voice, other: Voice) -> bool:
    if voice.source.id == other.source.id:
        return voice.said.stand == other.said.stand
    return voice.said.agrees(other.said) and (
        copied(voice.source.text, other.source.text) or same_words(voice.evidence.passage, other.evidence.passage)
    )


_DATED = re.compile(
    r"^\W*(?:(?:last )?(?:published|updated|modified|changed|edited|issued|revised|posted|dated)|date|as (?:of|at))\b"
    r"(?: on| in|:|\s)*|^\W*(?:发布|更新|出版)(?:于|日期)?[:：\s]*",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@lru_cache(maxsize=128)
def document_date(text: str, name: str) -> int | None:
    """The latest date of which a document says that it was written then, or the year in its file's name."""
    found = [
        date.high
        for match in _DATED.finditer(text)
        for date in find_dates(text[match.end() : match.end() + 30])
        if date.start == 0
    ]
    if found:
        return max(found)
    return next((max(date.high for date in find_dates(f"in {year}")) for year in _NAMED_YEAR.findall(name)), None)


def source_names(voices: Sequence[Voice]) -> str:
    """The names of those who speak, each once; how many there are of one name."""
    ids: dict[str, set[str]] = {}
    for voice in voices:
        ids.setdefault(voice.source.name, set()).add(voice.source.id)
    return ", ".join(name if len(found) == 1 else f"{name} (×{len(found)})" for name, found in ids.items())
