"""Incremental graph layout: nodes keep their positions; only new nodes are placed.

Positions are computed in units of the space that one node needs with its label, so two nodes do not overlap when they
are at least one unit apart. Labels are wider than high; only the conversion to pixels (`UNIT`) takes that into account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
_Neighbours = Mapping[str, Sequence[str]]
_Floats = NDArray[np.float64]
_Links = NDArray[np.int_]

UNIT = (150.0, 105.0)
"""Pixels per unit, horizontally and vertically: the least distance of two nodes beside and above one another."""
_LINK_LENGTH = 1.3  # preferred distance of related nodes
_COMPONENT_GAP = 1.2  # least distance between components
_CELL, _MAX_CLEARANCE = 0.25, 1.5  # size of a grid cell; clearance is measured up to this distance
_VERTICAL_WEIGHT = 1.05  # a little more than 1, so that components go beside rather than above one another
_GRAVITY = 0.8  # strength of the pull to the centre
_STEEPNESS_COST, _CROSSING_COST = 0.3, 1.0  # cost of a steep edge, and of each node that an edge runs over
_ITERATIONS, _PIVOTS = 120, 24
_SEARCH_RADIUS, _CANDIDATES = 5, 150  # how far from related nodes a position is searched, and how many are compared
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))  # radians: no two of many multiples of it point in the same direction
_MAX_FORCE_DIRECTED = 1500  # more nodes are laid out in columns: force-directed layout is quadratic in time and memory
_NO_POSITIONS = np.empty((0, 2))


class GraphLayout:
    """Positions of nodes that never move once they are placed.

    The same calls give the same positions. A node that is gone keeps its position, so going back in time shows every
    node where it was.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._plane = _Plane(_NO_POSITIONS)
        self._made_of: dict[str, tuple[str, ...]] = {}

    def place(
        self, nodes: Sequence[str], edges: Sequence[tuple[str, str]], made_of: Mapping[str, tuple[str, ...]]
    ) -> dict[str, Point]:
        """Place the new nodes; returns the position of every node, in pixels. Edges to unknown nodes are ignored.

        `made_of` names, for each result of a merge, the nodes it was made of. The result is placed between them. If
        they are first seen after the result, they are placed beside it.
        """
        self._made_of.update(made_of)
        neighbours = _neighbours(nodes, edges)
        for node in self._unplaced(neighbours):
            self._place_by_merge(node)
        components = list(_components(self._unplaced(neighbours), neighbours))
        for component in components:
            self._place_attached(component, neighbours)
        isolated = sorted((group for group in components if group[0] not in self._rows), key=len, reverse=True)
        if sum(map(len, isolated)) > _MAX_FORCE_DIRECTED:
            shape = _column_layout(isolated, neighbours)
            self._put([node for group in isolated for node in group], self._plane.fit(shape))
        else:
            for group in isolated:
                self._put(group, self._plane.fit(_component_layout(group, neighbours)))
        pixels = (self._at(list(neighbours)) * UNIT).round(1).tolist()
        return {node: (x, y) for node, (x, y) in zip(neighbours, pixels, strict=True)}

    def _unplaced(self, nodes: Iterable[str]) -> list[str]:
        return [node for node in nodes if node not in self._rows]

    def _place_by_merge(self, node: str) -> None:
        """Place a node that was merged from placed nodes, or that is part of a placed result of a merge.

        A result is never shown together with its parts or with other results of them, so those do not block it.
        """
        if parts := self._placed_parts(node):
            blocked = set(parts)
            never = [
                row for other, row in self._rows.items() if other in parts or blocked & {*self._placed_parts(other)}
            ]
            others = _Plane(np.delete(self._plane.positions, never, axis=0))
            self._put([node], others.nearest_free(self._at(parts).mean(axis=0)))
        elif result := self._placed_result(node):
            self._put([node], self._plane.nearest_free(self._at([result])[0]))

    def _placed_parts(self, node: str) -> list[str]:
        """The placed nodes that this one was made of. A part without a position is replaced by its own parts."""
        placed: list[str] = []
        queue = list(self._made_of.get(node, ()))
        for part in queue:  # grows in the loop
            if part in self._rows:
                placed.append(part)
            else:
                queue += (older for older in self._made_of.get(part, ()) if older not in queue)
        return placed

    def _placed_result(self, node: str) -> str | None:
        """The nearest placed node that this one was merged into, over any number of merges."""
        merged_into = {part: result for result, parts in self._made_of.items() for part in parts}
        for _ in merged_into:
            node = merged_into.get(node, node)
            if node in self._rows:
                return node
        return None

    def _place_attached(self, component: Sequence[str], neighbours: _Neighbours) -> None:
        """Place the new nodes of a component that has placed neighbours, breadth first from those."""
        queue = [node for node in component if any(other in self._rows for other in neighbours[node])]
        queued = set(queue)
        for node in queue:  # grows in the loop
            placed = [other for other in neighbours[node] if other in self._rows]
            self._put([node], self._plane.best_near(self._at(placed)))
            reached = [other for other in self._unplaced(neighbours[node]) if other not in queued]
            queue += reached
            queued.update(reached)

    def _put(self, nodes: Sequence[str], positions: _Floats) -> None:
        for node in nodes:
            self._rows[node] = len(self._rows)
        self._plane.add(positions)

    def _at(self, nodes: Sequence[str]) -> _Floats:
        return self._plane.positions[[self._rows[node] for node in nodes]]


class _Plane:
    """Positions of nodes, and a grid of the clearance around them.

    Clearance is the distance to the nearest node, up to `_MAX_CLEARANCE`. The grid is centred on the origin, extends
    `_half` cells to each side, and is brought up to date when it is used.
    """

    def __init__(self, positions: _Floats) -> None:
        self.positions = positions
        self._marked = 0
        self._half = 0
        self._clearance: NDArray[np.float32] = np.empty((1, 1), np.float32)

    def add(self, positions: _Floats) -> None:
        """Occupy these positions."""
        self.positions = np.vstack([self.positions, positions])

    def nearest_free(self, wanted: _Floats) -> _Floats:
        """The wanted position if it is free, else the nearest free one on the grid."""
        if not len(self.positions) or np.linalg.norm(self.positions - wanted, axis=-1).min() >= 1:
            return wanted
        self._update_grid()
        x, y = _grid(self._half)
        return _cheapest((x - wanted[0]) ** 2 + (y - wanted[1]) ** 2, self._clearance >= 1)

    def fit(self, shape: _Floats) -> _Floats:
        """Move a shape of several nodes to the free area nearest to the origin."""
        cells = np.rint(shape / _CELL).astype(int)
        extent = int(np.abs(cells).max())
        self._update_grid(extent)
        while True:
            half = self._half - extent
            free = np.ones((2 * half + 1, 2 * half + 1), bool)
            for row, column in cells + extent:
                free &= self._clearance[row : row + len(free), column : column + len(free)] >= _COMPONENT_GAP
            if free.any():
                x, y = _grid(half)
                return shape + _cheapest(x**2 + _VERTICAL_WEIGHT * y**2, free)
            self._rebuild_grid(2 * self._half)

    def best_near(self, related: _Floats) -> _Floats:
        """The best free position for a node that is related to nodes at the given positions."""
        self._update_grid()
        low = np.rint((related.min(axis=0) - _SEARCH_RADIUS) / _CELL).astype(int)
        high = np.rint((related.max(axis=0) + _SEARCH_RADIUS) / _CELL).astype(int)
        window = tuple(slice(*ends) for ends in np.clip([low, high], -self._half, self._half).T + self._half)
        clearance = self._clearance[window]
        free = np.argwhere(clearance >= 1)
        if not len(free):
            return self.nearest_free(related.mean(axis=0))
        candidates = (free + np.maximum(low, -self._half)) * _CELL
        offset = candidates[:, None] - related
        distance = np.linalg.norm(offset, axis=-1)
        steepness_cost = _STEEPNESS_COST * np.abs(offset[..., 1]) / distance
        cost = (np.square(distance - _LINK_LENGTH) + steepness_cost).mean(axis=1) - clearance[tuple(free.T)]
        best = np.argsort(cost, kind="stable")[:_CANDIDATES]
        crossings = self._crossings(candidates[best], related)
        chosen: _Floats = candidates[best[np.argmin(cost[best] + _CROSSING_COST * crossings)]]
        return chosen

    def _crossings(self, candidates: _Floats, related: _Floats) -> _Floats:
        """For each candidate, how many nodes (with their labels) lie on the lines to the related nodes."""
        ends = np.vstack([candidates, related])
        low, high = ends.min(axis=0) - 1, ends.max(axis=0) + 1
        inside = self.positions[((self.positions > low) & (self.positions < high)).all(axis=1)]
        end, start = related[:, None], candidates[:, None, None]
        line = end - start
        share = ((inside - start) * line).sum(axis=-1) / np.square(line).sum(axis=-1)
        distance = np.linalg.norm(start + np.clip(share, 0, 1)[..., None] * line - inside, axis=-1)
        is_other = np.linalg.norm(end - inside, axis=-1) > 0
        crossings: _Floats = np.sum((distance < 0.4) & is_other, axis=(1, 2), dtype=np.float64)
        return crossings

    def _update_grid(self, extent: int = 0) -> None:
        """Mark new nodes. The grid grows until it holds all nodes and a shape of this extent (in cells) beside them."""
        needed = int(np.abs(self.positions).max(initial=0.0) / _CELL) + extent + int(4 * _MAX_CLEARANCE / _CELL)
        if needed > self._half:
            self._rebuild_grid(needed * 5 // 4)
        else:
            self._mark(self.positions[self._marked :])

    def _rebuild_grid(self, half: int) -> None:
        self._half = half
        self._clearance = np.full((2 * half + 1, 2 * half + 1), _MAX_CLEARANCE, np.float32)
        self._mark(self.positions)

    def _mark(self, positions: _Floats) -> None:
        """Lower the clearance of the cells around these positions."""
        radius = int(_MAX_CLEARANCE / _CELL)
        around = np.argwhere(np.ones((2 * radius + 1,) * 2)) - radius
        cells = np.rint(positions / _CELL).astype(int)[:, None] + around
        distance = np.linalg.norm(cells * _CELL - positions[:, None], axis=-1).astype(np.float32)
        np.minimum.at(self._clearance, (cells[..., 0] + self._half, cells[..., 1] + self._half), distance)
        self._marked = len(self.positions)


def _grid(half: int) -> _Floats:
    """The coordinates of the cells of a grid around the origin: an array of x and an array of y."""
    coordinates: _Floats = np.mgrid[-half : half + 1, -half : half + 1] * _CELL
    return coordinates


def _cheapest(cost: _Floats, free: NDArray[np.bool_]) -> _Floats:
    """The position of the free cell with the least cost, in a grid around the origin."""
    row, column = divmod(int(np.argmin(np.where(free, cost, np.inf))), len(cost))
    return (np.array([row, column]) - len(cost) // 2) * _CELL


def _neighbours(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    neighbours: dict[str, dict[str, None]] = {node: {} for node in nodes}
    for a, b in edges:
        if a != b and a in neighbours and b in neighbours:
            neighbours[a][b] = neighbours[b][a] = None
    return {node: list(others) for node, others in neighbours.items()}


def _components(nodes: Sequence[str], neighbours: _Neighbours) -> Iterator[list[str]]:
    """The connected components of the subgraph of these nodes."""
    unvisited = dict.fromkeys(nodes)
    while unvisited:
        component = [next(iter(unvisited))]
        del unvisited[component[0]]
        for node in component:  # grows in the loop
            reached = [other for other in neighbours[node] if other in unvisited]
            component += reached
            for other in reached:
                del unvisited[other]
        yield component


# -- layout of a component by itself ---------------------------------------------------------------------------


def _component_layout(component: Sequence[str], neighbours: _Neighbours) -> _Floats:
    """Positions of a component's nodes around the origin, all at least one unit apart."""
    sketch, links = _sketch(component, neighbours)
    if not len(links):
        return sketch
    wanted = _force_directed(sketch, links)
    wanted -= (wanted.min(axis=0) + wanted.max(axis=0)) / 2
    plane, positions = _Plane(_NO_POSITIONS), np.empty_like(wanted)
    for number in np.argsort(np.linalg.norm(wanted, axis=-1), kind="stable"):
        positions[number] = plane.nearest_free(wanted[number])
        plane.add(positions[number])
    return positions


def _column_layout(components: Sequence[Sequence[str]], neighbours: _Neighbours) -> _Floats:
    """Positions of many nodes in columns around the origin, component after component, ordered by their pivot MDS."""
    sketches = [_sketch(component, neighbours)[0] for component in components]
    x, y = np.vstack(sketches).T
    order = np.lexsort((x, np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])))
    positions = np.empty((len(order), 2))
    for number, column in enumerate(np.array_split(order, int(np.ceil(np.sqrt(len(order)))))):
        positions[column[np.argsort(y[column], kind="stable")], 1] = np.arange(len(column))
        positions[column, 0] = number
    positions -= np.rint(positions.max(axis=0) / 2)
    return positions * _COMPONENT_GAP


def _sketch(component: Sequence[str], neighbours: _Neighbours) -> tuple[_Floats, _Links]:
    """A first layout, and the links in both directions as pairs of indices into `component`."""
    index = {node: number for number, node in enumerate(component)}
    links = np.array([(index[a], index[b]) for a in component for b in neighbours[a]], int)
    if len(component) == 1:
        return np.zeros((1, 2)), links
    return _pivot_mds(_pivot_distances(links, len(component)), links), links


def _pivot_distances(links: _Links, count: int) -> _Floats:
    """Graph distances from each node (rows) to some pivots (columns) that are far from one another."""
    graph = nx.Graph(links.tolist())
    columns: list[_Floats] = []
    pivot = 0
    for _ in range(min(_PIVOTS, count)):
        steps = nx.single_source_shortest_path_length(graph, pivot)
        columns.append(np.array([steps[node] for node in range(count)], float))
        pivot = int(np.min(columns, axis=0).argmax())
    return np.stack(columns, axis=1)


def _pivot_mds(distances: _Floats, links: _Links) -> _Floats:
    """A first layout in which distances approximate graph distances, with the longest axis horizontal.

    Pivot MDS (Brandes and Pich, 2006). Nodes that it puts at the same position are spread a little.
    """
    square = np.square(distances)
    centred = square - square.mean(axis=0) - square.mean(axis=1, keepdims=True) + square.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    sketch: _Floats = centred @ axes[:, :-3:-1]
    sketch *= np.sign(sketch[np.abs(sketch).argmax(axis=0), [0, 1]])
    length = float(np.linalg.norm(sketch[links[:, 0]] - sketch[links[:, 1]], axis=-1).mean())
    turn = np.arange(len(sketch))
    spread = (
        np.stack([np.cos(_GOLDEN_ANGLE * turn), np.sin(_GOLDEN_ANGLE * turn)], axis=-1)
        * np.sqrt(turn / len(turn))[:, None]
    )
    return sketch * (_LINK_LENGTH / length) + 0.02 * spread


def _force_directed(positions: _Floats, links: _Links) -> _Floats:
    """Improve a layout: nodes repel one another and links attract (Fruchterman and Reingold, 1991).

    A weak pull to the centre keeps long chains from drifting away.
    """
    at = positions.astype(np.float32)
    for iteration in range(_ITERATIONS):
        repulsion = np.square(at[:, None, 0] - at[:, 0])
        repulsion += np.square(at[:, None, 1] - at[:, 1])
        np.divide(_LINK_LENGTH**2, np.maximum(repulsion, 1e-4, out=repulsion), out=repulsion)
        force = at * (repulsion.sum(axis=1, keepdims=True) - _GRAVITY) - repulsion @ at
        along = at[links[:, 1]] - at[links[:, 0]]
        np.add.at(force, links[:, 0], along * np.linalg.norm(along, axis=1, keepdims=True) / _LINK_LENGTH)
        size = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        temperature = 0.1 * np.sqrt(len(at)) * _LINK_LENGTH * (1 - iteration / _ITERATIONS)
        at += force / size * np.minimum(size, temperature)
    return at.astype(np.float64)
