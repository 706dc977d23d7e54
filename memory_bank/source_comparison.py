"""Compares what the documents claim with what the reference sources state (specification 7).

A source that contradicts a claim is a conflict of its own, also where no second document speaks: its statement becomes
a node, so that the person sees both sides and both are verified like any other conflict. A claim that is in dispute
already is left alone: its verification asks the sources anyway.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memory_bank.agents.analysis import Contradiction, Relation
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.events import Event, NodeCreated
from memory_bank.judgement.contradictions import described, judge_both_ways, nearest_of_each
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.modules.embedding import Embedder
from memory_bank.pipeline import Events, Pipeline
from memory_bank.recorder import Recorder
from memory_bank.tools.reference_library import ReferenceLibrary, SourceStatement

NEAREST = 6
"""With how many statements of the sources a claim is compared."""
AT_ONCE = 512
"""Pairs that are judged before it is asked whether the session is to stop."""


class SourceComparison:
    """Looks at each claim once in a run."""

    def __init__(
        self,
        recorder: Recorder,
        pipeline: Pipeline,
        library: ReferenceLibrary,
        embedder: Embedder,
        judge: PairJudge,
        stopping: Callable[[], bool],
    ) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._pipeline = pipeline
        self._library = library
        self._embedder = embedder
        self._judge = judge
        self._stopping = stopping
        self._compared: set[str] = set()

    def compare(self) -> Events:
        """Open a conflict for each claim of a document that a source surely contradicts, the surest first."""
        stated = self._library.statements()
        claims = self._new_claims() if stated else []
        left, right = [statement_of(claim) for _, claim in claims], [one.statement for one in stated]
        pairs = nearest_of_each(left, right, self._embedder, NEAREST)
        judged: list[float] = []
        for start in range(0, len(pairs), AT_ONCE):
            some = [(left[i], right[j]) for i, j in pairs[start : start + AT_ONCE]]
            judged += judge_both_ways(some, self._judge).tolist()
            if self._stopping():
                return
        self._compared |= {claim.id for _, claim in claims}
        for n in np.argsort(-np.array(judged), kind="stable"):
            (node_id, claim), source = claims[pairs[n][0]], stated[pairs[n][1]]
            if judged[n] < self._judge.conflict_inside or (yield from self._pipeline.too_many()):
                break
            if not self._bank.stands(claim.id):
                yield from self._contradict(node_id, claim, source, judged[n])

    def _new_claims(self) -> list[tuple[str, Claim]]:
        """Claims of documents, with their nodes, that were not compared yet."""
        trees, sources = self._bank.trees, self._bank.sources
        references = {source.id for source in sources.values() if source.role == "reference"}
        return [
            (node.id, claim)
            for node in self._bank.query_graph
            for claim in node.claims
            if claim.id not in self._compared
            and trees.entry(claim.entry_id).metadata.get("source_id") not in references
        ]

    def _contradict(self, node_id: str, claim: Claim, source: SourceStatement, confidence: float) -> Events:
        unit = f"{source.passage.source_id}.{source.passage.start + source.start}"
        if unit not in self._bank.units:
            yield self._create_node(unit, source)
        found = self._bank.units[unit]
        if found not in self._bank.query_graph:  # an earlier conflict with it was settled
            return
        (own,) = self._bank.query_graph[found].claims
        description = described(claim.text, own.text)
        contradiction = Contradiction(
            existing_claim=claim.id, new_claim=own.id, description=description, confidence=confidence
        )
        relation = Relation(
            existing_id=node_id,
            relation="conflict",
            confidence=confidence,
            reasoning=description,
            contradictions=(contradiction,),
        )
        yield from self._pipeline.open_conflicts(found, relation)

    def _create_node(self, unit: str, source: SourceStatement) -> Event:
        bank, passage, statement = self._bank, source.passage, source.statement
        entry_id, now = bank.next_id("e"), self._recorder.clock.now()
        title = bank.sources[passage.source_id].title
        told = {"page": passage.page, "title": title}
        metadata = {"source": passage.source, "source_id": passage.source_id, "start": passage.start}
        metadata |= {name: value for name, value in told.items() if value}
        claim = Claim(
            id=bank.next_id("c"),
            text=statement.text,
            entry_id=entry_id,
            start=source.start,
            end=source.end,
            source=passage.source,
            page=passage.page,
            context=statement.context,
        )
        node = Node(
            id=bank.next_id("n"),
            summary=statement.text,
            context=title or passage.source,
            keywords=(),
            timestamp=now,
            claims=(claim,),
        )
        entry = Entry(id=entry_id, text=passage.text, created_at=now, metadata=metadata)
        return self._recorder.record(NodeCreated(node=node, entry=entry, unit=unit))
