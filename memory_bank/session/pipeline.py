"""The stages by which a text enters memory (specification, sections 2 and 3).

text → chunks → Classification → Structure → node with its entry → candidates → Memory Analysis
    → conflict opened | Integration → merged node, analysed again | related edge
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memory_bank.agents.classification import CLASSIFICATION, ClassificationInput, Cluster, Section
from memory_bank.agents.structure import STRUCTURE, StructureInput, StructureOutput
from memory_bank.bank.above import ABOVE
from memory_bank.bank.conflict import DecidedBy, Verification
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import ConflictDecided, Event, NodeCreated, TextClassified
from memory_bank.bank.interaction_tree import Attachment, Entry
from memory_bank.bank.query_graph import Claim, Node, embedding_text
from memory_bank.bank.settings import Settings
from memory_bank.bank.spoken import TURNS, SpokenTurn, turns_between, turns_within
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.judgement.statement import Reading, context, context_at, reading_of
from memory_bank.session.conflict_opening import ConflictOpener
from memory_bank.session.merging import Merging
from memory_bank.session.node_analysis import NodeAnalysis
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.recorder import Events, Recorder
from memory_bank.text.chunking import chunk
from memory_bank.text.iteration import packed
from memory_bank.text.mail import quoted_in_mail
from memory_bank.text.shortening import shorten
from memory_bank.text.span import Span, overlaps_any
from memory_bank.text.wording import one_line

TOGETHER_TOKENS = 4_000
"""Tokens of the clusters that a model structures in one request: its answer is about a third of them."""
OPENING_CHARACTERS = 200


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


@dataclass(frozen=True)
class _Draft:
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


class Pipeline:
    """Puts texts into memory and carries out verdicts. Every method yields the events that it records."""

    def __init__(self, recorder: Recorder, recall: NodeIndex, settings: Settings) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self.recall = recall
        self._count_tokens = recall.embedder.count_tokens
        self._chunk_tokens = int(settings.classification.window * settings.chunk_ratio)
        self._together_tokens = min(TOGETHER_TOKENS, settings.structure.window // 2)
        self._summary_characters = settings.summary_characters
        self._merging = Merging(recorder)
        self.conflicts = ConflictOpener(recorder, recall)
        self.analysis = NodeAnalysis(recorder, recall, self.conflicts, self._merging, settings)

    def remember(self, material: Material) -> Events:
        """Put a text into memory: each cluster becomes a node with its entry, and is compared with other nodes."""
        section_starts = (section.start for section in material.sections)
        boundaries = [*section_starts, *material.breaks, *(turn.start for turn in material.turns)]
        chunks = chunk(material.text, self._chunk_tokens, self._count_tokens, boundaries)
        for number, span in enumerate(chunks, start=1):
            drafts = yield from self._drafts(material, f"{material.unit}.{number}", span.start, span.end)
            yield from self._remember_drafts(material, drafts)

    def keep(self, material: Material) -> Events:
        """Put a text into memory as the embedded engine reads it, asking no model and comparing it with nothing.

        For what an answer quotes: it must have an entry, and costs nothing more.
        """
        embedded = OfflineEngine(self.recall.embedder)
        chunks = chunk(material.text, self._chunk_tokens, self._count_tokens, ())
        for number, span in enumerate(chunks, start=1):
            text = span.of(material.text)
            classification = ClassificationInput(text=text, source=material.source, title=material.title)
            for cluster in embedded.judge(CLASSIFICATION, classification).output.clusters:
                content, unit = cluster.content(text), f"{material.unit}.{number}.{cluster.cluster_id}"
                given = StructureInput(content=content, context=cluster.context, keywords=cluster.keywords)
                if content.strip() and unit not in self._bank.units:
                    structure = embedded.judge(STRUCTURE, given).output
                    draft = _Draft(unit, cluster, content, _spans_in_text(cluster, span.start), structure)
                    yield self._create_node(material, draft)

    def resolve(
        self,
        verifications: Sequence[Verification],
        decided_by: DecidedBy,
        record_of: Callable[[Verification], Entry | None] = lambda _verification: None,
    ) -> Events:
        """Record verdicts, unless they are recorded already, and carry them out, each with the entry that tells of it.

        All are recorded before the first is carried out, so that the text of a merged node can follow them all; it is
        compared with others when all are. `AgentError` when Integration fails; `carry_out` goes on from there.
        """
        for verification in verifications:
            if self._bank.conflicts[verification.conflict_id].verdict is None:
                yield self._recorder.record(ConflictDecided(verification=verification, decided_by=decided_by))
        for verification in verifications:
            yield from self._merging.carry_out(verification.conflict_id, record_of(verification))
        for verification in verifications:
            yield from self._analyse_merged(verification.conflict_id)

    def carry_out(self, conflict_id: str) -> Events:
        """Carry out a recorded verdict: `inconclusive` makes a dispute, any other merges the nodes into one.

        `AgentError` when Integration fails; a second call carries it out.
        """
        yield from self._merging.carry_out(conflict_id, None)
        yield from self._analyse_merged(conflict_id)

    def _analyse_merged(self, conflict_id: str) -> Events:
        merged = self._bank.conflicts[conflict_id].merged_into
        if merged is not None:
            yield from self.analysis.analyse([merged], self._bank.query_graph.neighbours(merged))

    def _remember_drafts(self, material: Material, drafts: list[_Draft]) -> Events:
        new = [draft for draft in drafts if draft.unit not in self._bank.units]
        self.recall.embedder.embed([draft.embedding_text for draft in new])  # one batch; cached from here on
        groups = [drafts] if self.analysis.together else [[draft] for draft in drafts]
        for group in groups:
            for draft in group:
                if draft.unit not in self._bank.units:
                    yield self._create_node(material, draft)
            yield from self.analysis.analyse([self._bank.units[draft.unit] for draft in group])

    # -- classification and structure ------------------------------------------------------------------------

    def _drafts(self, material: Material, unit: str, start: int, end: int) -> Generator[Event, None, list[_Draft]]:
        """The drafts of the chunk `material.text[start:end]`, a draft for each cluster, in order."""
        text = material.text[start:end]
        if not text.strip():
            return []
        clusters = yield from self._clusters(material, unit, start, end)
        contents = [(cluster, cluster.content(text)) for cluster in clusters if cluster.content(text).strip()]
        requests = [
            (
                f"structure/{unit}.{cluster.cluster_id}",
                StructureInput(
                    content=content,
                    context=cluster.context,
                    keywords=cluster.keywords,
                    turns=tuple(turns_within(material.turns, _spans_in_text(cluster, start))),
                    document=self._document(material, start + cluster.spans[0][0]),
                ),
            )
            for cluster, content in contents
            if f"{unit}.{cluster.cluster_id}" not in self._bank.units
        ]
        groups = list(packed(requests, self._together_tokens, lambda request: self._count_tokens(request[1].content)))
        outputs = yield from self._recorder.judge_groups(STRUCTURE, groups)
        structures = {key: output for (key, _input), output in zip(requests, outputs, strict=True)}
        drafts = []
        for cluster, content in contents:
            # A node that exists already needs no structure. Where Structure failed, which is recorded, the node gets
            # the beginning of its text as summary, and no claims.
            structure = structures.get(f"structure/{unit}.{cluster.cluster_id}")
            if not isinstance(structure, StructureOutput):
                structure = StructureOutput(summary=shorten(content, self._summary_characters), claims=())
            spans = _spans_in_text(cluster, start)
            drafts.append(_Draft(f"{unit}.{cluster.cluster_id}", cluster, content, spans, structure))
        return drafts

    def _document(self, material: Material, start: int) -> str:
        """What is known of a document: file, title and date; for a part that does not begin it also how it begins."""
        source = self._bank.sources.get(material.source_id or "")
        opening = shorten(one_line(material.text[:start]), OPENING_CHARACTERS) if start else ""
        dated = source.dated.isoformat() if source and source.dated else ""
        return " · ".join(filter(None, (material.source, material.title, dated, opening)))

    def _clusters(
        self, material: Material, unit: str, start: int, end: int
    ) -> Generator[Event, None, tuple[Cluster, ...]]:
        """The clusters of a chunk, classified once: their number is recorded."""
        new = unit not in self._bank.classified
        whole = Cluster(cluster_id=1, context=material.title or material.source, keywords=(), spans=((0, end - start),))
        clusters: tuple[Cluster, ...] = (whole,)
        # Else Classification failed in an earlier run; the nodes made since rest on the single cluster.
        if new or f"classification/{unit}" in self._bank.judgements:
            sections = tuple(
                Section(start=section.start - start, end=section.end - start, title=section.title)
                for section in material.sections
                if start <= section.start and section.end <= end
            )
            agent_input = ClassificationInput(
                text=material.text[start:end],
                source=material.source,
                title=material.title,
                sections=sections,
                breaks=tuple(offset - start for offset in material.breaks if start < offset < end),
                said=tuple((turn.said - start, turn.end - start) for turn in turns_between(material.turns, start, end)),
                task=self._bank.insight_doc.task_goal,
            )
            with suppress(AgentError):  # recorded
                output = yield from self._recorder.judge(CLASSIFICATION, f"classification/{unit}", agent_input)
                clusters = _cut_between_turns(material, start, end, output.clusters)
        if new:
            count = len(clusters)
            yield self._recorder.record(TextClassified(unit=unit, source_id=material.source_id, clusters=count))
        return clusters

    # -- nodes -----------------------------------------------------------------------------------------------

    def _create_node(self, material: Material, draft: _Draft) -> Event:
        bank, now = self._bank, self._recorder.clock.now()
        node_id, entry_id = bank.next_id("n"), bank.next_id("e")
        claims: list[Claim] = []
        for claim in draft.structure.claims if material.states else ():
            start = draft.offset_in_text(claim.start)
            if overlaps_any(start, start + 1, material.quoted):
                continue
            claims.append(
                Claim(
                    id=bank.next_id("c", len(claims)),
                    text=claim.text,
                    entry_id=entry_id,
                    start=claim.start,
                    end=claim.end,
                    source=material.source,
                    page=material.page_at(start),
                    context=material.claim_context(start, start + claim.end - claim.start),
                )
            )
        attachments = material.attachments
        if material.enclosed and not any(unit.startswith(f"{material.unit}.") for unit in bank.units):
            attachments += material.enclosed
        metadata = _entry_metadata(material, draft)
        entry = Entry(id=entry_id, text=draft.content, created_at=now, metadata=metadata, attachments=attachments)
        node = Node(
            id=node_id,
            summary=draft.structure.summary,
            context=draft.cluster.context,
            keywords=draft.cluster.keywords,
            timestamp=now,
            claims=tuple(claims),
        )
        return self._recorder.record(NodeCreated(node=node, entry=entry, unit=draft.unit))


def _spans_in_text(cluster: Cluster, chunk_start: int) -> list[tuple[int, int]]:
    """The spans of a cluster as offsets in the whole text; `chunk_start` is where the cluster's chunk begins."""
    return [(chunk_start + start, chunk_start + end) for start, end in cluster.spans]


def _entry_metadata(material: Material, draft: _Draft) -> dict[str, Any]:
    """The metadata of a draft's entry: source, place in the text, pages, turns and title."""
    metadata = material.metadata | {"source": material.source, "start": draft.offset}
    page = material.page_at(draft.offset)
    if page is not None:
        metadata["page"] = page
    pages = material.page_starts(draft.spans)
    if len(pages) > 1:
        metadata["pages"] = pages
    turns = turns_within(material.turns, draft.spans)
    if turns:
        metadata[TURNS] = [turn.model_dump() for turn in turns]
    if material.title:
        metadata["title"] = material.title
    if above := material.reading.above(draft.offset).as_metadata():
        metadata[ABOVE] = above
    return metadata


def _cut_between_turns(material: Material, start: int, end: int, clusters: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
    """The clusters of a chunk, with every cut inside a turn moved to where the turn begins."""

    def moved(edge: int) -> int:
        inside = turns_between(material.turns, start + edge, start + edge)
        return max(inside[0].start - start, 0) if inside and start + edge < end else edge

    spans = {cluster.cluster_id: tuple((moved(a), moved(b)) for a, b in cluster.spans) for cluster in clusters}
    nonempty = ((cluster, tuple((a, b) for a, b in spans[cluster.cluster_id] if a < b)) for cluster in clusters)
    return tuple(cluster.model_copy(update={"spans": inside}) for cluster, inside in nonempty if inside)
