"""What a tab has been sent of a graph, so that a redraw sends only what changed since.

Streamlit may drop a redraw on its way to the browser. So each carries the last few changes, numbered; a browser that
lacks one in between, or was mounted anew, asks for the whole (`query_graph.js`).
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Drawn = dict[str, Any]
N = TypeVar("N", bound=Hashable)
E = TypeVar("E", bound=Hashable)
T = TypeVar("T", bound=Hashable)

MOST = 12
"""Patches that are kept: so many redraws may be lost, one after another, before a browser must ask."""


@dataclass(frozen=True)
class _Patch:
    """What leads from the version before to this one."""

    version: int
    nodes: list[Drawn]
    edges: list[Drawn]
    gone: dict[str, list[str]]

    @property
    def weight(self) -> int:
        return len(self.nodes) + len(self.edges) + sum(map(len, self.gone.values()))


class GraphPatches(Generic[N, E]):
    """One drawing of a graph in one tab. `node` and `edge` draw one each: plain values that JSON can hold.

    A drawing has a name of its own, so that a browser never adds a patch to another one.
    """

    def __init__(self, node: Callable[[N], Drawn], edge: Callable[[E], Drawn]) -> None:
        self.drawing = secrets.token_hex(4)
        self.version = 0
        self._node, self._edge = node, edge
        self._nodes: Mapping[str, N] = {}
        self._edges: Mapping[str, E] = {}
        self._patches: deque[_Patch] = deque(maxlen=MOST)

    def data(self, nodes: Mapping[str, N], edges: Mapping[str, E], *, whole: bool) -> Drawn:
        """What to send now that the graph is this one: `whole`, or the last `patches`. The mappings are kept."""
        changed = self._note(nodes, edges)
        now = {"drawing": self.drawing, "version": self.version}
        if whole or (changed and not self._patches):
            self._patches.clear()  # who misses the whole must ask for it
            drawn = {"nodes": [self._node(one) for one in nodes.values()]}
            return {**now, "whole": {**drawn, "edges": [self._edge(one) for one in edges.values()]}}
        return {**now, "patches": [vars(patch) for patch in self._patches]}

    def _note(self, nodes: Mapping[str, N], edges: Mapping[str, E]) -> bool:
        """Keep what changed as a patch. All of them together are never more than the whole."""
        gone = {"nodes": _gone(self._nodes, nodes), "edges": _gone(self._edges, edges)}
        drawn = _new(self._nodes, nodes, self._node), _new(self._edges, edges, self._edge)
        self._nodes, self._edges = nodes, edges
        if not any((*drawn, *gone.values())):
            return False
        self.version += 1
        self._patches.append(_Patch(self.version, *drawn, gone))
        while self._patches and sum(patch.weight for patch in self._patches) > len(nodes) + len(edges):
            self._patches.popleft()
        return True


def _new(before: Mapping[str, T], now: Mapping[str, T], draw: Callable[[T], Drawn]) -> list[Drawn]:
    if before is now:
        return []
    return [draw(thing) for id_, thing in now.items() if before.get(id_) != thing]


def _gone(before: Mapping[str, T], now: Mapping[str, T]) -> list[str]:
    return [id_ for id_ in before if id_ not in now]
