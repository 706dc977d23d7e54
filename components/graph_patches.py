"""Patches of a graph drawing: a redraw sends only what changed since the ones before.

Streamlit may drop a redraw on its way to the browser. So each redraw carries the last few patches, numbered; a browser
that misses one in between, or was mounted anew, asks for the whole graph (`query_graph.js`).
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

JsonObject = dict[str, Any]
N = TypeVar("N", bound=Hashable)
E = TypeVar("E", bound=Hashable)
T = TypeVar("T", bound=Hashable)

MAX_PATCHES = 12
"""Patches kept: as many redraws in a row may be lost before a browser must ask for the whole graph."""


@dataclass(frozen=True)
class _Patch:
    """The changes from the version before to this one. Its fields are sent as JSON; `gone` holds removed ids."""

    version: int
    nodes: list[JsonObject]
    edges: list[JsonObject]
    gone: dict[str, list[str]]

    @property
    def weight(self) -> int:
        return len(self.nodes) + len(self.edges) + sum(map(len, self.gone.values()))


class GraphPatches(Generic[N, E]):
    """One drawing of a graph in one tab. `node_json` and `edge_json` convert a node and an edge to JSON values.

    A drawing has an id of its own, so that a browser never adds a patch to another drawing.
    """

    def __init__(self, node_json: Callable[[N], JsonObject], edge_json: Callable[[E], JsonObject]) -> None:
        self.drawing = secrets.token_hex(4)
        self.version = 0
        self._node_json, self._edge_json = node_json, edge_json
        self._nodes: Mapping[str, N] = {}
        self._edges: Mapping[str, E] = {}
        self._patches: deque[_Patch] = deque(maxlen=MAX_PATCHES)

    def data(self, nodes: Mapping[str, N], edges: Mapping[str, E], *, whole: bool) -> JsonObject:
        """The data to send for a graph: the whole graph, or the last patches.

        The mappings are kept for the next comparison and must not be changed.
        """
        changed = self._add_patch(nodes, edges)
        version = {"drawing": self.drawing, "version": self.version}
        if whole or (changed and not self._patches):
            self._patches.clear()  # a browser that misses the whole graph must ask for it
            node_list = [self._node_json(node) for node in nodes.values()]
            edge_list = [self._edge_json(edge) for edge in edges.values()]
            return {**version, "whole": {"nodes": node_list, "edges": edge_list}}
        return {**version, "patches": [vars(patch) for patch in self._patches]}

    def _add_patch(self, nodes: Mapping[str, N], edges: Mapping[str, E]) -> bool:
        """Add what changed as a patch, and drop old ones that outweigh the whole graph; whether anything changed."""
        gone = {"nodes": _gone(self._nodes, nodes), "edges": _gone(self._edges, edges)}
        changed = _changed(self._nodes, nodes, self._node_json), _changed(self._edges, edges, self._edge_json)
        self._nodes, self._edges = nodes, edges
        if not any((*changed, *gone.values())):
            return False
        self.version += 1
        self._patches.append(_Patch(self.version, *changed, gone))
        while self._patches and sum(patch.weight for patch in self._patches) > len(nodes) + len(edges):
            self._patches.popleft()
        return True


def _changed(before: Mapping[str, T], now: Mapping[str, T], to_json: Callable[[T], JsonObject]) -> list[JsonObject]:
    if before is now:
        return []
    return [to_json(element) for id_, element in now.items() if before.get(id_) != element]


def _gone(before: Mapping[str, T], now: Mapping[str, T]) -> list[str]:
    return [id_ for id_ in before if id_ not in now]
