"""Compares the claims of the documents with the statements of the reference sources (specification 7).

A source that contradicts a claim opens a conflict: the statement becomes a node, so that the person sees both sides and
the conflict is verified like any other. A claim that is in a conflict already is skipped, because its verification
searches the sources anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from memory_bank.agents.analysis import Contradiction
from memory_bank.bank.events import Event, NodeCreated
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.judgement.contradictions import describe_contradiction, judge_both_ways, nearest_of_each
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.search.embedding import Embedder
from memory_bank.session.conflict_opening import ConflictOpener
from memory_bank.session.recorder import Events, Recorder
from memory_bank.session.tools.reference_library import ReferenceLibrary, ReferenceStatement

NEAREST = 6
"""Statements of the sources that a claim is compared with."""
AT_ONCE = 512
"""Pairs judged between two checks whether the session shall stop."""


@dataclass(eq=False)
class SourceComparison:
    """Compares each claim once in a run."""

    recorder: Recorder
    conflicts: ConflictOpener
    library: ReferenceLibrary
    embedder: Embedder
    judge: PairJudge
    stopping: Callable[[], bool]

    def __post_init__(self) -> None:
        self._bank = self.recorder.bank
        self._compared = set[str]()

    def compare(self) -> Events:
        """Open a conflict for each claim that a source contradicts, the most probable contradictions first."""
        sources = self.library.statements()
        claims = self._new_claims() if sources else []
        left, right = [statement_of(claim) for _, claim in claims], [source.statement for source in sources]
        pairs = nearest_of_each(left, right, self.embedder, NEAREST)
        probabilities: list[float] = []
        for start in range(0, len(pairs), AT_ONCE):
            batch = [(left[i], right[j]) for i, j in pairs[start : start + AT_ONCE]]
            probabilities += judge_both_ways(batch, self.judge, self.judge.conflict_inside).tolist()
            if self.stopping():
                return
        self._compared |= {claim.id for _, claim in claims}
        for n in np.argsort(-np.array(probabilities), kind="stable"):
            (node_id, claim), source = claims[pairs[n][0]], sources[pairs[n][1]]
            if probabilities[n] < self.judge.conflict_inside or (yield from self.conflicts.limit_reached()):
                break
            if not self._bank.stands(claim.id):
                yield from self._contradict(node_id, claim, source, probabilities[n])

    def _new_claims(self) -> list[tuple[str, Claim]]:
        """The claims of documents that were not compared yet and are in no conflict, each with its node."""
        trees, sources = self._bank.trees, self._bank.sources
        references = {source.id for source in sources.values() if source.role == "reference"}
        return [
            (node.id, claim)
            for node in self._bank.query_graph
            for claim in node.claims
            if claim.id not in self._compared
            and not self._bank.stands(claim.id)
            and trees.entry(claim.entry_id).metadata.get("source_id") not in references
        ]

    def _contradict(self, node_id: str, claim: Claim, source: ReferenceStatement, confidence: float) -> Events:
        """Make a node of the source's statement and open the conflict with the claim."""
        unit = f"{source.passage.source_id}.{source.passage.start + source.start}"
        if unit not in self._bank.units:
            yield self._create_node(unit, source)
        source_node = self._bank.units[unit]
        if source_node not in self._bank.query_graph:  # merged: an earlier conflict with it was decided
            return
        (own,) = self._bank.query_graph[source_node].claims
        description = describe_contradiction(claim.text, own.text)
        contradiction = Contradiction(
            existing_claim=claim.id, new_claim=own.id, description=description, confidence=confidence
        )
        yield from self.conflicts.open(source_node, node_id, [contradiction])

    def _create_node(self, unit: str, source: ReferenceStatement) -> Event:
        bank, passage, statement = self._bank, source.passage, source.statement
        entry_id, now = bank.next_id("e"), self.recorder.clock.now()
        title = bank.sources[passage.source_id].title
        optional = {"page": passage.page, "title": title}
        metadata = {"source": passage.source, "source_id": passage.source_id, "start": passage.start}
        metadata |= {name: value for name, value in optional.items() if value}
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
        return self.recorder.record(NodeCreated(node=node, entry=entry, unit=unit))
