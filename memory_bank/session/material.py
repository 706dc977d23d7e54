"""A text of one source on its way into memory (`Material`), and a cluster of it that becomes a node (`Draft`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memory_bank.agents.classification import Cluster, Section
from memory_bank.agents.structure import StructureOutput
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.query_graph import embedding_text
from memory_bank.bank.spoken import SpokenTurn, turns_between
from memory_bank.judgement.statement import Reading, context, context_at, reading_of
from memory_bank.text.mail import quoted_in_mail
from memory_bank.text.span import Span


@dataclass(frozen=True)
class Material:
    """A text of one source on its way into memory.

    `unit` is its stable name (`s1`, `t4`). `page_at` gives the page of a character offset. `metadata` and `attachments`
    go into every entry made from the text, the `enclosed` files only into the first. `turns` are those of a chat;
    topics are cut only between them. Without `states` no claims are made: the text is, for example, our own words on a
    picture.
    """

    unit: str
    text: str
    source: str
    title: str | None = None
    source_id: str | None = None
    sections: tuple[Section, ...] = ()
    breaks: tuple[int, ...] = ()
    page_at: Callable[[int], int | None] = lambda _offset: None
    turns: tuple[SpokenTurn, ...] = ()
    states: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    enclosed: tuple[Attachment, ...] = ()

    @cached_property
    def reading(self) -> Reading:
        """The sentences of the text, each with its context, and what stands above its places."""
        return reading_of(self.text, self.title or "")

    @cached_property
    def quoted(self) -> list[Span]:
        """What a mail quotes of earlier ones, which it does not state itself."""
        return quoted_in_mail(self.text)

    def claim_context(self, start: int, end: int) -> str:
        """The context of a claim: in a chat its speaker, otherwise title, heading and the sentence before."""
        speaker = next((turn.speaker for turn in turns_between(self.turns, start, start + 1)), None)
        if speaker is not None:
            return context(self.title or self.source, "", f"{speaker}:")
        return context_at(self.reading.statements, start, end)

    def page_starts(self, spans: list[tuple[int, int]]) -> list[list[int]]:
        """Where each page begins in the joined spans: `[character, page]`, in order."""
        starts: list[list[int]] = []
        length = 0
        for start, end in spans:
            for offset in (start, *(each for each in self.breaks if start < each < end)):
                page = self.page_at(offset)
                if page is not None and (not starts or starts[-1][1] != page):
                    starts.append([length + offset - start, page])
            length += end - start
        return starts


def spans_in_text(cluster: Cluster, chunk_start: int) -> list[tuple[int, int]]:
    """The spans of a cluster as offsets in the whole text; `chunk_start` is where the cluster's chunk begins."""
    return [(chunk_start + start, chunk_start + end) for start, end in cluster.spans]


@dataclass(frozen=True)
class Draft:
    """A cluster with its structure, not a node yet. `spans` are its places in the whole text."""

    unit: str
    cluster: Cluster
    content: str
    spans: list[tuple[int, int]]
    structure: StructureOutput

    @property
    def offset(self) -> int:
        """Where the cluster begins in the whole text."""
        return self.spans[0][0]

    @property
    def embedding_text(self) -> str:
        """The text by which the future node is embedded."""
        return embedding_text(self.cluster.context, self.cluster.keywords, self.structure.summary)

    def offset_in_text(self, offset: int) -> int:
        """Where a character of the cluster's content stands in the whole text."""
        for start, end in self.spans:
            if offset < end - start:
                return start + offset
            offset -= end - start
        return self.offset
