"""Merges nodes with the Integration agent: duplicates, and the nodes of a decided conflict."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from memory_bank.agents.analysis import Relation
from memory_bank.agents.integration import INTEGRATION, IntegrationInput, IntegrationOutput
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import EntryRecorded, Event, NodesMerged
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node
from memory_bank.session.node_view import node_view
from memory_bank.session.recorder import Events, Recorder


class Merging:
    """Merges several nodes into one."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._bank = recorder.bank

    def merge_duplicate(self, node_id: str, relation: Relation) -> Events:
        """Merge a node with the one that it duplicates. If Integration fails, both stay as they are."""
        existing = self._bank.living(relation.existing_id)
        if existing not in self._bank.query_graph or existing == node_id:
            return
        pair = (existing, node_id)
        try:
            output = yield from self._integrate(f"integration/{'+'.join(pair)}", pair)
        except AgentError:  # recorded
            return
        merge = Merge(node_ids=pair, at=self._recorder.clock.now(), description=output.merge_description)
        yield self._record_merge(output, merge, None)

    def carry_out(self, conflict_id: str, record: Entry | None) -> Events:
        """Merge the nodes of a conflict that has its verdict; `inconclusive` leaves a dispute instead.

        Nodes of other verdicts that wait are merged with them, so that one text follows all these verdicts. `record` is
        an entry with the whole text of the verification. `AgentError` when Integration fails: a second call merges the
        nodes.
        """
        bank, conflict = self._bank, self._bank.conflicts[conflict_id]
        if conflict.status == "disputed":
            node_id = conflict.node_ids[-1]
            recorded = {known.metadata.get("step") for known in bank.trees.entries(node_id)}
            if record is not None and record.metadata["step"] not in recorded:
                yield self._recorder.record(EntryRecorded(node_id=node_id, entry=record))
        elif conflict.status == "open":
            waiting = [each for each in bank.conflicts.values() if each.awaits_merge and each != conflict]
            followed = self._followed(conflict.node_ids)
            written = followed.get(conflict.id) == conflict.verdict
            if written:
                node_ids = conflict.node_ids
                decided = tuple(each for each in waiting if followed.get(each.id) == each.verdict)
            else:
                node_ids, decided = _joined(conflict, waiting)
            key = integration_key(bank, conflict_id)
            output = yield from self._integrate(key, node_ids, conflict, decided, written=written)
            merge = Merge(
                node_ids=node_ids,
                at=self._recorder.clock.now(),
                description=output.merge_description,
                verdict=conflict.verdict,
                conflict_id=conflict_id,
            )
            yield self._record_merge(output, merge, record)

    def _followed(self, node_ids: tuple[str, ...]) -> Mapping[str, Verdict]:
        """The waiting verdicts that the text of the only node follows, by conflict."""
        made_by = self._bank.trees.made_by(node_ids[0]) if len(node_ids) == 1 else None
        if made_by is None or made_by.conflict_id is None:
            return {}
        output = self._bank.judgements.get(integration_key(self._bank, made_by.conflict_id))
        return IntegrationOutput.model_validate(output).follows if output is not None else {}

    def _integrate(
        self,
        key: str,
        node_ids: tuple[str, ...],
        conflict: Conflict | None = None,
        decided: tuple[Conflict, ...] = (),
        *,
        written: bool = False,
    ) -> Generator[Event, None, IntegrationOutput]:
        verdicts = (conflict, *decided) if conflict else ()
        refuted = {claim.id for each in verdicts for claim in each.refuted}
        graph = self._bank.query_graph
        agent_input = IntegrationInput(
            nodes=tuple(node_view(self._bank, node_id) for node_id in self._oldest_first(node_ids)),
            neighbours=tuple(graph[other] for other in graph.neighbours(*node_ids)),
            why="merge" if conflict is None else "conflict",
            conflict=conflict,
            decided=decided,
            written=written,
            pending=tuple(
                other
                for other in self._bank.conflicts.values()
                if other.undecided
                and other not in verdicts
                and refuted.isdisjoint(claim.id for claim in other.parties)
                and set(other.node_ids) <= set(node_ids)
            ),
        )
        return (yield from self._recorder.judge(INTEGRATION, key, agent_input))

    def _oldest_first(self, node_ids: tuple[str, ...]) -> list[str]:
        """By the latest day on which something of them was said; if a node has none, by when they were read."""
        graph = self._bank.query_graph
        dates = {
            node_id: max(filter(None, map(self._bank.day_of, graph[node_id].claims)), default=None)
            for node_id in node_ids
        }
        if all(dates.values()):
            return sorted(node_ids, key=lambda node_id: (dates[node_id], graph[node_id].timestamp))
        return sorted(node_ids, key=lambda node_id: graph[node_id].timestamp)

    def _record_merge(self, output: IntegrationOutput, merge: Merge, record: Entry | None) -> Event:
        node = Node(
            id=self._bank.next_id("n"),
            summary=output.summary,
            context=output.context,
            keywords=output.keywords,
            timestamp=merge.at,
            claims=output.claims,
        )
        neighbours = self._bank.query_graph.neighbours(*merge.node_ids)
        updates = tuple(update for update in output.neighbour_updates if update.node_id in neighbours)
        return self._recorder.record(NodesMerged(node=node, merge=merge, neighbour_updates=updates, entry=record))


def _joined(conflict: Conflict, waiting: Sequence[Conflict]) -> tuple[tuple[str, ...], tuple[Conflict, ...]]:
    """The nodes of a conflict and of the waiting ones that share a node with it or with one another, and these."""
    node_ids, joined = dict.fromkeys(conflict.node_ids), list[Conflict]()
    while sharing := [each for each in waiting if each not in joined and node_ids.keys() & set(each.node_ids)]:
        joined += sharing
        node_ids |= dict.fromkeys(node_id for each in sharing for node_id in each.node_ids)
    return tuple(node_ids), tuple(joined)


def integration_key(bank: Bank, conflict_id: str) -> str:
    """The key under which the merge of a decided conflict is recorded; each time it is reopened it gets a new one."""
    rounds = bank.rounds[conflict_id]
    return f"{INTEGRATION.name}/{conflict_id}" + (f"/{rounds}" if rounds else "")
