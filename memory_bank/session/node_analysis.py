"""Memory Analysis: compares a node with similar ones and applies the relations: conflicts, edges, merges."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence

from memory_bank.agents.analysis import ANALYSIS, AnalysisInput, AnalysisOutput, Relation
from memory_bank.bank.events import EdgeCreated, Event, NodeAnalysed, NodeUpdated, Notice
from memory_bank.bank.settings import Settings
from memory_bank.session.conflict_opening import ConflictOpener
from memory_bank.session.merging import Merging
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.node_view import node_view
from memory_bank.session.recorder import Events, Recorder
from memory_bank.text.wording import Wording

_NOTHING = AnalysisOutput(relations=())


class NodeAnalysis:
    """Compares each node once with its candidates."""

    def __init__(
        self, recorder: Recorder, recall: NodeIndex, conflicts: ConflictOpener, merging: Merging, settings: Settings
    ) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._recall = recall
        self._conflicts = conflicts
        self._merging = merging
        self._settings = settings

    def analyse(self, node_ids: Sequence[str], exclude: Collection[str] = (), depth: int = 0) -> Events:
        """Compare nodes, with one request where a model does it: each with those before it and with others.

        Of the relations conflicts come first, then related edges, then at most one merge. The merged node is analysed
        in turn, without the neighbours that it inherited, down to the limit on the depth.
        """
        bank = self._bank
        waiting = [node_id for node_id in node_ids if node_id not in bank.analysed]
        inputs = [
            self._input(node_id, [*exclude, *waiting[n + 1 :]])
            for n, node_id in enumerate(waiting)
            if node_id in bank.query_graph  # else it was merged before a crash
        ]
        outputs = yield from self._judge_relations(inputs)
        candidates = {each.node.id: [view.id for view in each.candidates if view.id != each.node.id] for each in inputs}
        for n, node_id in enumerate(waiting):
            yield from self._apply(node_id, outputs.get(node_id, _NOTHING), depth)
            compared = dict.fromkeys([*candidates[node_id], *waiting[:n]]) if node_id in candidates else ()
            yield self._recorder.record(NodeAnalysed(node_id=node_id, candidates=tuple(compared)))
        for node_id in waiting:
            merged = bank.living(node_id)
            if merged != node_id:
                yield from self.analyse([merged], bank.query_graph.neighbours(merged), depth + 1)

    @property
    def together(self) -> bool:
        """Whether several new nodes are compared in one request: a model is asked, which costs more than to compute."""
        return self._recorder.engines[ANALYSIS.name].remote

    def _apply(self, node_id: str, output: AnalysisOutput, depth: int) -> Events:
        """Open the conflicts, draw the edges, and merge the node with the one that it duplicates."""
        for relation in output.relations:
            yield from self._conflicts.open(node_id, relation.existing_id, relation.contradictions)
        for relation in output.relations:
            if relation.relation == "related":
                yield from self._relate(node_id, relation)
        duplicate = next((relation for relation in output.relations if relation.relation == "merge"), None)
        if duplicate is not None and depth < self._settings.merge_depth:
            yield from self._merging.merge_duplicate(node_id, duplicate)
        elif duplicate is not None:
            message = Wording(
                "{node} and {other} say the same; left apart: merge depth reached",
                node=node_id,
                other=duplicate.existing_id,
            )
            yield self._recorder.record(Notice(message=message))

    def _input(self, node_id: str, exclude: Collection[str]) -> AnalysisInput:
        """A node with its candidates, of which it is the first itself.

        Of a merged node a model is not asked again what it was asked of its parts.
        """
        candidates = [node_id, *self._recall.candidates(node_id, exclude)]
        merged = self.together and self._bank.trees.made_by(node_id) is not None
        compared = set[frozenset[str]]()
        if merged:
            for other, others in self._bank.analysed.items():
                if f"{ANALYSIS.name}/{other}" in self._bank.judgements:
                    compared |= self._pairs([other], others)
            candidates = [each for each in candidates[1:] if not self._pairs([node_id], [each]) <= compared]
        return AnalysisInput(
            node=node_view(self._bank, node_id),
            candidates=tuple(node_view(self._bank, each) for each in candidates),
            goal=self._bank.insight_doc.task_goal,
            claims=self._recall.claims,
            checkable=any(source.role == "reference" for source in self._bank.sources.values()),
            merged=merged,
            compared=frozenset(self._pairs_of_entries(node_id, candidates, compared)),
        )

    def _pairs_of_entries(
        self, node_id: str, others: Iterable[str], compared: Collection[frozenset[str]]
    ) -> Iterator[frozenset[str]]:
        """The entries of a node and of others that belong to parts that were compared."""
        trees = self._bank.trees
        entries = [entry.id for other in others for entry in trees.entries(other)]
        for own in trees.entries(node_id):
            for entry_id in entries:
                if frozenset(map(trees.recorded_with, (own.id, entry_id))) in compared:
                    yield frozenset((own.id, entry_id))

    def _pairs(self, nodes: Iterable[str], others: Iterable[str]) -> set[frozenset[str]]:
        """The pairs of a part of one of the nodes and a part of one of the others."""
        rights = [part for other in others for part in self._parts(other)]
        return {frozenset((left, right)) for node in nodes for left in self._parts(node) for right in rights}

    def _parts(self, node_id: str) -> list[str]:
        """The nodes that no merge made of which a node consists; itself if it is one."""
        merge = self._bank.trees.made_by(node_id)
        return [part for each in merge.node_ids for part in self._parts(each)] if merge else [node_id]

    def _judge_relations(self, inputs: Sequence[AnalysisInput]) -> Generator[Event, None, dict[str, AnalysisOutput]]:
        """What the agent says of each node; nothing of those for which it failed, which is recorded."""
        if self._settings.analysis_mode == "single":
            return (yield from self._judge(inputs, "analysis/{}"))
        first = [each.model_copy(update={"phase": "conflict_merge"}) for each in inputs]
        outputs = yield from self._judge(first, "analysis/{}")
        silent = [
            each.model_copy(update={"phase": "related"})
            for each in inputs
            if not any(found.relation in ("conflict", "merge") for found in outputs[each.node.id].relations)
        ]
        return outputs | (yield from self._judge(silent, "analysis/{}/related"))

    def _judge(self, inputs: Sequence[AnalysisInput], key: str) -> Generator[Event, None, dict[str, AnalysisOutput]]:
        requests = [(key.format(each.node.id), each) for each in inputs]
        outputs = yield from self._recorder.judge_groups(ANALYSIS, [requests] if requests else [])
        return {
            each.node.id: output if isinstance(output, AnalysisOutput) else _NOTHING
            for each, output in zip(inputs, outputs, strict=True)
        }

    def _relate(self, node_id: str, relation: Relation) -> Events:
        """Record an edge, and how both nodes describe themselves now."""
        graph, other = self._bank.query_graph, self._bank.living(relation.existing_id)
        if node_id not in graph or other not in graph or other == node_id:
            return
        if not graph.has_edge(node_id, other):
            yield self._recorder.record(EdgeCreated(node_ids=(node_id, other), reason=relation.reasoning))
        for target, new in ((node_id, relation.new_description), (other, relation.existing_description)):
            node = graph[target]
            if new is not None and (new.context, new.keywords) != (node.context, node.keywords):
                yield self._recorder.record(NodeUpdated(node_id=target, context=new.context, keywords=new.keywords))
