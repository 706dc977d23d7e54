"""The first two stages of the pipeline: Classification splits a chunk into clusters, Structure digests each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress

from memory_bank.agents.classification import (
    CLASSIFICATION,
    ClassificationInput,
    Cluster,
    Section,
)
from memory_bank.agents.structure import STRUCTURE, StructureInput, StructureOutput
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import Event, TextClassified
from memory_bank.bank.settings import Settings
from memory_bank.bank.spoken import turns_between, turns_within
from memory_bank.session.material import Draft, Material, spans_in_text
from memory_bank.session.recorder import Recorder
from memory_bank.text.one_line import one_line
from memory_bank.text.shortening import shorten

TOGETHER_TOKENS = 4_000
"""Tokens of the clusters that a model structures in one request: its answer is about a third of them."""
OPENING_CHARACTERS = 200


class Structuring:
    """Turns chunks of a text into drafts of nodes."""

    def __init__(self, recorder: Recorder, settings: Settings, count_tokens: Callable[[str], int]) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._summary_characters = settings.summary_characters
        self._together_tokens = min(TOGETHER_TOKENS, settings.structure.window // 2)
        self._count_tokens = count_tokens

    def drafts(self, material: Material, unit: str, start: int, end: int) -> Generator[Event, None, list[Draft]]:
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
                    turns=tuple(turns_within(material.turns, spans_in_text(cluster, start))),
                    document=self._document(material, start + cluster.spans[0][0]),
                ),
            )
            for cluster, content in contents
            if f"{unit}.{cluster.cluster_id}" not in self._bank.units
        ]
        outputs = yield from self._recorder.judge_groups(STRUCTURE, self._groups(requests))
        structures = {key: output for (key, _input), output in zip(requests, outputs, strict=True)}
        drafts = []
        for cluster, content in contents:
            # A node that exists already needs no structure. Where Structure failed, which is recorded, the node gets
            # the beginning of its text as summary, and no claims.
            structure = structures.get(f"structure/{unit}.{cluster.cluster_id}")
            if not isinstance(structure, StructureOutput):
                structure = StructureOutput(summary=shorten(content, self._summary_characters), claims=())
            spans = spans_in_text(cluster, start)
            drafts.append(Draft(f"{unit}.{cluster.cluster_id}", cluster, content, spans, structure))
        return drafts

    def _document(self, material: Material, start: int) -> str:
        """What is known of a document: file, title and date; for a part that does not begin it also how it begins."""
        source = self._bank.sources.get(material.source_id or "")
        opening = shorten(one_line(material.text[:start]), OPENING_CHARACTERS) if start else ""
        dated = source.dated.isoformat() if source and source.dated else ""
        return " · ".join(filter(None, (material.source, material.title, dated, opening)))

    def _groups(self, requests: list[tuple[str, StructureInput]]) -> list[list[tuple[str, StructureInput]]]:
        """The clusters that a model is shown in one request, in order."""
        groups: list[list[tuple[str, StructureInput]]] = []
        room = 0
        for request in requests:
            tokens = self._count_tokens(request[1].content)
            if not groups or tokens > room:
                groups.append([])
                room = self._together_tokens
            groups[-1].append(request)
            room -= tokens
        return groups

    def _clusters(
        self, material: Material, unit: str, start: int, end: int
    ) -> Generator[Event, None, tuple[Cluster, ...]]:
        """The clusters of a chunk, classified once: their number is recorded."""
        new = unit not in self._bank.classified
        clusters: tuple[Cluster, ...] = (_single_cluster(material, end - start),)
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


def _single_cluster(material: Material, length: int) -> Cluster:
    """A chunk as one topic, named by its source."""
    return Cluster(cluster_id=1, context=material.title or material.source, keywords=(), spans=((0, length),))


def _cut_between_turns(material: Material, start: int, end: int, clusters: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
    """The clusters of a chunk, with every cut inside a turn moved to where the turn begins."""

    def moved(edge: int) -> int:
        inside = turns_between(material.turns, start + edge, start + edge)
        return max(inside[0].start - start, 0) if inside and start + edge < end else edge

    spans = {cluster.cluster_id: tuple((moved(a), moved(b)) for a, b in cluster.spans) for cluster in clusters}
    nonempty = ((cluster, tuple((a, b) for a, b in spans[cluster.cluster_id] if a < b)) for cluster in clusters)
    return tuple(cluster.model_copy(update={"spans": inside}) for cluster, inside in nonempty if inside)
