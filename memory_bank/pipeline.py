"""The ordinary path of a text into memory, and the path of several nodes into one (sections 2 and 3).

text → chunks → Classification → Structure → node with its entry → candidates → Memory Analysis
    → conflict opened | Integration → merged node, analysed again | related edge
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Literal

from memory_bank.agents.analysis import ANALYSIS, AnalysisInput, AnalysisOutput, NodeView, Relation
from memory_bank.agents.classification import (
    CLASSIFICATION,
    ClassificationInput,
    ClassificationOutput,
    Cluster,
    Section,
)
from memory_bank.agents.integration import (
    INTEGRATION,
    IntegrationInput,
    IntegrationOutput,
    NeighbourView,
)
from memory_bank.agents.structure import STRUCTURE, FoundClaim, StructureInput, StructureOutput
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, DecidedBy, Verification
from memory_bank.bank.interaction_tree import Attachment, Entry, Merge
from memory_bank.bank.query_graph import Claim, Node, embedding_text
from memory_bank.bank.spoken import TURNS, Spoken, said_by, turns_between, turns_within
from memory_bank.errors import AgentError
from memory_bank.events import (
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    ConflictSupported,
    EdgeCreated,
    EntryRecorded,
    Event,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    Notice,
    TextClassified,
)
from memory_bank.judgement.statement import PlacedStatement, context, context_at, statements_of
from memory_bank.modules.chunking import chunk
from memory_bank.recall import Recall, topic_of
from memory_bank.recorder import Recorder
from memory_bank.settings import Settings

Events = Generator[Event, None, None]
MOST_CONFLICTS = 100
"""Conflicts that may be undecided at a time: more of them nobody reads."""
_TOO_MANY = f"{MOST_CONFLICTS} contradictions are undecided: no more are opened until some are decided."


@dataclass(frozen=True)
class Material:
    """A text of one source on its way into memory.

    `unit` is its stable name (`s1`, `t4`), `place` tells the page of a character offset; `metadata` and `attachments`
    go into every entry made from it, the `enclosed` files into its first. `turns` are those of a chat, between which
    topics are cut. What does not `state` anything, such as our own words on a picture, makes no claims.
    """

    unit: str
    text: str
    source: str
    title: str | None = None
    source_id: str | None = None
    sections: tuple[Section, ...] = ()
    breaks: tuple[int, ...] = ()
    place: Callable[[int], int | None] = lambda _offset: None
    turns: tuple[Spoken, ...] = ()
    states: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    enclosed: tuple[Attachment, ...] = ()

    @cached_property
    def statements(self) -> list[PlacedStatement]:
        """What the text says, sentence by sentence, each with what stands around it."""
        return statements_of(self.text, self.title or "")


@dataclass(frozen=True)
class _Draft:
    """A structured cluster that is not a node yet."""

    unit: str
    cluster: Cluster
    content: str
    offset: int
    structure: StructureOutput

    @property
    def embedding_text(self) -> str:
        return embedding_text(self.cluster.context, self.cluster.keywords, self.structure.summary)


class Pipeline:
    """Puts texts into memory and makes one node of several. Every method yields the events it records."""

    def __init__(self, recorder: Recorder, recall: Recall, settings: Settings) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._recall = recall
        self._settings = settings
        self._told_too_many = False

    # -- text into memory ------------------------------------------------------------------------------------

    def remember(self, material: Material) -> Events:
        """A whole text: every cluster becomes a node with its entry and is compared with what is there."""
        size = int(self._settings.classification.window * self._settings.chunk_ratio)
        edges = (section.start for section in material.sections)
        boundaries = [*edges, *material.breaks, *(turn.start for turn in material.turns)]
        chunks = chunk(material.text, size, self._recall.embedder.count_tokens, boundaries)
        for number, span in enumerate(chunks, start=1):
            yield from self._remember_chunk(material, f"{material.unit}.{number}", span.start, span.end)

    def _remember_chunk(self, material: Material, unit: str, start: int, end: int) -> Events:
        drafts = yield from self._structure(material, unit, start, end)
        waiting = [draft for draft in drafts if draft.unit not in self._bank.units]
        self._recall.embedder.embed([draft.embedding_text for draft in waiting])  # one batch; cached from here
        for draft in drafts:
            if draft.unit not in self._bank.units:
                yield self._create_node(material, draft)
            yield from self.analyse(self._bank.units[draft.unit])

    def _structure(self, material: Material, unit: str, start: int, end: int) -> Generator[Event, None, list[_Draft]]:
        text = material.text[start:end]
        if not text.strip():
            return []
        new = unit not in self._bank.classified
        if new or f"classification/{unit}" in self._bank.judgements:
            clusters = yield from self._classify(material, unit, start, end)
        else:  # it could not be had, and what was made of the text since stands on that
            clusters = (_whole(material, text),)
        if new:
            count = len(clusters)
            classified = TextClassified(unit=unit, source_id=material.source_id, clusters=count)
            yield self._recorder.record(classified)
        told = [(cluster, cluster.content(text)) for cluster in clusters if cluster.content(text).strip()]
        asked = [
            (
                f"structure/{unit}.{cluster.cluster_id}",
                StructureInput(
                    content=content,
                    context=cluster.context,
                    keywords=cluster.keywords,
                    turns=tuple(_turns_within(material, start, cluster)),
                ),
            )
            for cluster, content in told
            if f"{unit}.{cluster.cluster_id}" not in self._bank.units
        ]
        structures = yield from self._recorder.judge_all(STRUCTURE, asked)
        found = {key: output for (key, _given), output in zip(asked, structures, strict=True)}
        drafts = []
        for cluster, content in told:
            # Of a node that is there already nothing is needed; one whose structure could not be had, which is
            # recorded, stands for its text uncompressed, without claims.
            structure = found.get(f"structure/{unit}.{cluster.cluster_id}")
            if not isinstance(structure, StructureOutput):
                structure = StructureOutput(summary=content[: self._settings.summary_characters], claims=())
            offset = start + cluster.spans[0][0]
            drafts.append(_Draft(f"{unit}.{cluster.cluster_id}", cluster, content, offset, structure))
        return drafts

    def _classify(
        self, material: Material, unit: str, start: int, end: int
    ) -> Generator[Event, None, tuple[Cluster, ...]]:
        sections = tuple(
            Section(start=section.start - start, end=section.end - start, title=section.title)
            for section in material.sections
            if start <= section.start and section.end <= end
        )
        text = material.text[start:end]
        given = ClassificationInput(
            text=text,
            source=material.source,
            title=material.title,
            sections=sections,
            breaks=tuple(found - start for found in material.breaks if start < found < end),
            said=tuple((turn.said - start, turn.end - start) for turn in turns_between(material.turns, start, end)),
            task=self._bank.insight_doc.task_goal,
        )
        try:
            output: ClassificationOutput = yield from self._recorder.judge(
                CLASSIFICATION, f"classification/{unit}", given
            )
        except AgentError:  # recorded; the text is kept whole, as one topic named by its source
            return (_whole(material, text),)
        return _between_turns(material, start, end, output.clusters)

    def _create_node(self, material: Material, draft: _Draft) -> Event:
        bank = self._bank
        node_id, entry_id = bank.next_id("n"), bank.next_id("e")
        now = self._recorder.clock.now()
        claims = tuple(
            Claim(
                id=bank.next_id("c", ahead),
                text=found.text,
                entry_id=entry_id,
                start=found.start,
                end=found.end,
                source=material.source,
                page=material.place(place),
                context=_context(material, place, found),
            )
            for ahead, found in enumerate(draft.structure.claims if material.states else ())
            for place in (_place_in_text(draft, found.start),)
        )
        metadata = material.metadata | {"source": material.source, "start": draft.offset}
        page = material.place(draft.offset)
        if page is not None:
            metadata["page"] = page
        pages = _page_starts(material, draft)
        if len(pages) > 1:
            metadata["pages"] = pages
        turns = _turns_within(material, draft.offset - draft.cluster.spans[0][0], draft.cluster)
        if turns:
            metadata[TURNS] = [turn.model_dump() for turn in turns]
        if material.title:
            metadata["title"] = material.title
        attachments = material.attachments
        if material.enclosed and not any(unit.startswith(f"{material.unit}.") for unit in bank.units):
            attachments += material.enclosed
        entry = Entry(id=entry_id, text=draft.content, created_at=now, metadata=metadata, attachments=attachments)
        node = Node(
            id=node_id,
            summary=draft.structure.summary,
            context=draft.cluster.context,
            keywords=draft.cluster.keywords,
            timestamp=now,
            claims=claims,
        )
        return self._recorder.record(NodeCreated(node=node, entry=entry, unit=draft.unit))

    # -- comparison ------------------------------------------------------------------------------------------

    def analyse(self, node_id: str, exclude: Collection[str] = (), depth: int = 0) -> Events:
        """Compare a node with its candidates and let the relations take effect.

        Conflicts first, then related edges, then at most one merge, whose result is analysed in turn without
        the neighbours it inherited, down to the bound on the depth.
        """
        bank = self._bank
        if node_id in bank.analysed:
            return
        if node_id in bank.query_graph:  # else it was merged before a crash and what is left is to analyse the result
            output, candidates = yield from self._judge_relations(node_id, exclude)
            for relation in output.relations:
                yield from self.open_conflicts(node_id, relation)
            for relation in output.relations:
                if relation.relation == "related":
                    yield from self._relate(node_id, relation)
            duplicate = next((found for found in output.relations if found.relation == "merge"), None)
            if duplicate is not None and depth < self._settings.merge_depth:
                yield from self._merge_duplicate(node_id, duplicate)
            elif duplicate is not None:
                message = f"{node_id} and {duplicate.existing_id} say the same; left apart: merge depth reached"
                yield self._recorder.record(Notice(message=message))
        else:
            candidates = ()
        yield self._recorder.record(NodeAnalysed(node_id=node_id, candidates=candidates))
        if node_id not in bank.query_graph:
            merged = bank.living(node_id)
            yield from self.analyse(merged, bank.query_graph.neighbours(merged), depth + 1)

    def _judge_relations(
        self, node_id: str, exclude: Collection[str]
    ) -> Generator[Event, None, tuple[AnalysisOutput, tuple[str, ...]]]:
        candidates = self._recall.candidates(node_id, exclude)
        given = AnalysisInput(
            node=self.view(node_id), candidates=tuple(self.view(found) for found in (node_id, *candidates))
        )
        key = f"analysis/{node_id}"
        if self._settings.analysis_mode == "single":
            return (yield from self._analysed(key, given)), candidates
        output = yield from self._analysed(key, given.model_copy(update={"phase": "conflict_merge"}))
        if not any(relation.relation in ("conflict", "merge") for relation in output.relations):
            output = yield from self._analysed(f"{key}/related", given.model_copy(update={"phase": "related"}))
        return output, candidates

    def _analysed(self, key: str, given: AnalysisInput) -> Generator[Event, None, AnalysisOutput]:
        try:
            return (yield from self._recorder.judge(ANALYSIS, key, given))
        except AgentError:  # recorded; the node stays unrelated
            return AnalysisOutput(relations=())

    def open_conflicts(self, node_id: str, relation: Relation) -> Events:
        """A conflict for each contradiction, or a supporter for one that is known: the dispute is the same."""
        existing = self._bank.living(relation.existing_id)
        claims = self._claims(node_id) | self._claims(relation.existing_id)
        for found in relation.contradictions:
            if found.existing_claim == found.new_claim or not {found.existing_claim, found.new_claim} <= claims.keys():
                continue
            old, new = claims[found.existing_claim], claims[found.new_claim]
            stands, opposed = self._bank.stands(old.id), self._bank.stands(new.id)
            if any(stands[known] != opposed[known] for known in stands.keys() & opposed.keys()):
                continue
            joined = self._joined(old, new, node_id) or self._joined(new, old, existing)
            if joined is not None:
                yield from self._support(joined)
                continue
            if (yield from self.too_many()):
                return
            conflict = Conflict(
                id=self._bank.next_id("x"),
                node_ids=tuple(dict.fromkeys((existing, node_id))),
                claims=(old, new),
                description=found.description,
            )
            yield self._recorder.record(ConflictOpened(conflict=conflict))

    def too_many(self) -> Generator[Event, None, bool]:
        """Whether no more conflicts are opened; the person is told, once in a run."""
        if sum(known.undecided for known in self._bank.conflicts.values()) < MOST_CONFLICTS:
            return False
        if not self._told_too_many:
            self._told_too_many = True
            yield self._recorder.record(Notice(message=_TOO_MANY))
        return True

    def _joined(self, party: Claim, claim: Claim, node_id: str) -> ConflictSupported | None:
        """The undecided conflict in which `claim` takes the side against `party`; None when it says something else."""
        for known, opposed in self._bank.stands(party.id).items():
            conflict = self._bank.conflicts[known]
            if not conflict.undecided or known in self._bank.stands(claim.id):
                continue
            own, others = conflict.sides if opposed == "second" else conflict.sides[::-1]
            alike = any(self._recall.alike(claim, one) for one in own)
            if alike and not any(self._recall.alike(claim, one) for one in others):
                side: Literal["first", "second"] = "first" if opposed == "second" else "second"
                return ConflictSupported(conflict_id=known, side=side, claim=claim, node_id=node_id)
        return None

    def _support(self, joined: ConflictSupported) -> Events:
        """A claim takes a side. That is new evidence in a dispute, which is verified again unless a person gave it."""
        conflict = self._bank.conflicts[joined.conflict_id]
        if conflict.status == "disputed" and conflict.decided_by == "agent":
            # First, for a run that is killed here finds the claim still to be joined.
            reason = f"{joined.claim.source} says the same as the {joined.side} statement."
            yield self._recorder.record(ConflictReopened(conflict_id=conflict.id, reason=reason, by="agent"))
        yield self._recorder.record(joined)

    def _claims(self, node_id: str) -> dict[str, Claim]:
        node = self._bank.query_graph.get(node_id)
        return {} if node is None else {claim.id: claim for claim in node.claims}

    def _relate(self, node_id: str, relation: Relation) -> Events:
        graph, other = self._bank.query_graph, relation.existing_id
        if other not in graph or other == node_id:
            return
        if not graph.has_edge(node_id, other):
            yield self._recorder.record(EdgeCreated(node_ids=(node_id, other), reason=relation.reasoning))
        for target, new in ((node_id, relation.new_description), (other, relation.existing_description)):
            node = graph[target]
            if new is not None and (new.context, new.keywords) != (node.context, node.keywords):
                yield self._recorder.record(NodeUpdated(node_id=target, context=new.context, keywords=new.keywords))

    # -- several nodes into one ------------------------------------------------------------------------------

    def _merge_duplicate(self, node_id: str, relation: Relation) -> Events:
        if relation.existing_id not in self._bank.query_graph or relation.existing_id == node_id:
            return
        pair = (relation.existing_id, node_id)
        try:
            output = yield from self._integrate(f"integration/{'+'.join(pair)}", pair, None)
        except AgentError:  # recorded; the nodes stay apart as they are
            return
        merge = Merge(node_ids=pair, at=self._recorder.clock.now(), description=output.merge_description)
        yield self._record_merge(output, merge, None)

    def resolve(self, verification: Verification, decided_by: DecidedBy, record: Entry | None) -> Events:
        """Let a verdict take effect: `inconclusive` makes a dispute, any other one node of those in conflict.

        `record` is the entry with the verification's whole text; it goes to the trees of the node concerned.
        `AgentError` when Integration fails: the verdict is recorded, and calling this again carries it out.
        """
        bank, conflict_id = self._bank, verification.conflict_id
        if bank.conflicts[conflict_id].verdict is None:
            yield self._recorder.record(ConflictDecided(verification=verification, decided_by=decided_by))
        conflict = bank.conflicts[conflict_id]
        if conflict.status == "disputed":
            yield from self._keep_record(conflict, record)
            return
        if conflict.status == "open":
            output = yield from self._integrate(integration_key(bank, conflict_id), conflict.node_ids, conflict)
            merge = Merge(
                node_ids=conflict.node_ids,
                at=self._recorder.clock.now(),
                description=output.merge_description,
                verdict=conflict.verdict,
                conflict_id=conflict_id,
            )
            yield self._record_merge(output, merge, record)
        merged = bank.conflicts[conflict_id].merged_into
        if merged is not None:
            yield from self.analyse(merged, bank.query_graph.neighbours(merged))

    def _keep_record(self, conflict: Conflict, record: Entry | None) -> Events:
        node_id = conflict.node_ids[-1]
        steps = {entry.metadata.get("step") for entry in self._bank.trees.entries(node_id)}
        if record is not None and record.metadata["step"] not in steps:
            yield self._recorder.record(EntryRecorded(node_id=node_id, entry=record))

    def _oldest_first(self, node_ids: tuple[str, ...]) -> list[str]:
        """By the latest date that a document of theirs gives of itself; by when they were read if one gives none."""
        graph, trees, sources = self._bank.query_graph, self._bank.trees, self._bank.sources
        dates: dict[str, date | None] = {}
        for node_id in node_ids:
            named = {trees.entry(claim.entry_id).metadata.get("source_id") for claim in graph[node_id].claims}
            dates[node_id] = max((s.dated for s in sources.values() if s.id in named and s.dated), default=None)
        if all(dates.values()):
            return sorted(node_ids, key=lambda node_id: (dates[node_id], graph[node_id].timestamp))
        return sorted(node_ids, key=lambda node_id: graph[node_id].timestamp)

    def _integrate(
        self, key: str, node_ids: tuple[str, ...], conflict: Conflict | None
    ) -> Generator[Event, None, IntegrationOutput]:
        graph = self._bank.query_graph
        oldest_first = self._oldest_first(node_ids)
        around = [graph[other] for other in self._inherited(node_ids)]
        given = IntegrationInput(
            nodes=tuple(self.view(node_id) for node_id in oldest_first),
            neighbours=tuple(
                NeighbourView(id=node.id, context=node.context, keywords=node.keywords) for node in around
            ),
            why="merge" if conflict is None else "conflict",
            conflict=conflict,
        )
        return (yield from self._recorder.judge(INTEGRATION, key, given))

    def _inherited(self, node_ids: tuple[str, ...]) -> list[str]:
        graph = self._bank.query_graph
        around = [other for node_id in node_ids for other in graph.neighbours(node_id)]
        return [other for other in dict.fromkeys(around) if other not in node_ids]

    def _record_merge(self, output: IntegrationOutput, merge: Merge, record: Entry | None) -> Event:
        node = Node(
            id=self._bank.next_id("n"),
            summary=output.summary,
            context=output.context,
            keywords=output.keywords,
            timestamp=merge.at,
            claims=output.claims,
        )
        around = self._inherited(merge.node_ids)
        updates = tuple(update for update in output.neighbour_updates if update.node_id in around)
        return self._recorder.record(NodesMerged(node=node, merge=merge, neighbour_updates=updates, entry=record))

    def view(self, node_id: str) -> NodeView:
        """A node as agents see it."""
        node = self._bank.query_graph[node_id]
        return NodeView(
            id=node.id,
            summary=node.summary,
            context=node.context,
            keywords=node.keywords,
            topic=topic_of(self._bank, node_id),
            claims=node.claims,
            voices=self._voices(node),
        )

    def _voices(self, node: Node) -> dict[str, str]:
        """Who said which of a node's claims in a chat, and when."""
        trees = self._bank.trees
        said = {claim.id: said_by(trees.entry(claim.entry_id), claim.start, claim.end) for claim in node.claims}
        return {claim_id: place for claim_id, place in said.items() if place}


def _context(material: Material, start: int, found: FoundClaim) -> str:
    """What stands around a claim: of a chat who says it, else title, heading and the sentence before."""
    speaker = next((turn.speaker for turn in turns_between(material.turns, start, start + 1)), None)
    if speaker is not None:
        return context(material.title or material.source, "", f"{speaker}:")
    return context_at(material.statements, start, start + found.end - found.start)


def integration_key(bank: Bank, conflict_id: str) -> str:
    """What the judgement that carries out the verdict on a conflict is recorded under; another one in each round."""
    rounds = bank.rounds[conflict_id]
    return f"{INTEGRATION.name}/{conflict_id}" + (f"/{rounds}" if rounds else "")


def _whole(material: Material, text: str) -> Cluster:
    """A text kept as one topic, named by its source."""
    return Cluster(cluster_id=1, context=material.title or material.source, keywords=(), spans=((0, len(text)),))


def _between_turns(material: Material, first: int, last: int, clusters: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
    """The clusters of a stretch of the text, with every cut inside a turn moved to where the turn begins."""

    def moved(edge: int) -> int:
        inside = turns_between(material.turns, first + edge, first + edge)
        return max(inside[0].start - first, 0) if inside and first + edge < last else edge

    spans = {
        cluster.cluster_id: tuple((moved(start), moved(end)) for start, end in cluster.spans) for cluster in clusters
    }
    kept = ((one, tuple(span for span in spans[one.cluster_id] if span[0] < span[1])) for one in clusters)
    return tuple(cluster.model_copy(update={"spans": inside}) for cluster, inside in kept if inside)


def _turns_within(material: Material, shift: int, cluster: Cluster) -> list[Spoken]:
    """The turns of a cluster, in the characters of its content; `shift` is where the text of its spans begins."""
    return turns_within(material.turns, [(shift + start, shift + end) for start, end in cluster.spans])


def _page_starts(material: Material, draft: _Draft) -> list[list[int]]:
    """Where in the cluster's content each of its pages begins: `[character, page]`, in order."""
    shift = draft.offset - draft.cluster.spans[0][0]
    starts: list[list[int]] = []
    length = 0
    for start, end in ((shift + start, shift + end) for start, end in draft.cluster.spans):
        for edge in (start, *(found for found in material.breaks if start < found < end)):
            page = material.place(edge)
            if page is not None and (not starts or starts[-1][1] != page):
                starts.append([length + edge - start, page])
        length += end - start
    return starts


def _place_in_text(draft: _Draft, offset: int) -> int:
    """Where a character of the cluster's content stands in the whole text, over the cluster's spans."""
    shift = draft.offset - draft.cluster.spans[0][0]
    for start, end in draft.cluster.spans:
        if offset < end - start:
            return shift + start + offset
        offset -= end - start
    return draft.offset
