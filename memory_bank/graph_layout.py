"""Where the nodes of a graph lie. What has a place keeps it; only new nodes look for one.

Everything is worked out in a plane whose unit is the room that one node takes with its label: two nodes are apart
when they are one unit apart, and that labels are wider than high matters nowhere else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
_Near = Mapping[str, Sequence[str]]
_Floats = NDArray[np.float64]
_Links = NDArray[np.int_]

UNIT = (150.0, 105.0)
"""Pixels between two nodes side by side, and between one above the other, at least."""
_LINK = 1.3  # how far apart related nodes want to lie
_GAP = 1.2  # what is not connected keeps this distance
_GRAIN, _SIGHT = 0.25, 1.5  # how finely room is measured, and how much of it is enough
_WIDE = 1.05  # a little more than 1: beside one another before above one another
_HEART = 0.8  # how strongly the middle draws
_STEEP, _CROSSED = 0.3, 1.0  # how bad it is that a line is steep, and that it runs over a node
_ROUNDS, _PIVOTS = 120, 24
_REACH, _SPOTS = 5, 150  # how far from what it is related to, and at how many spots, a place is looked for
_GOLDEN = np.pi * (3 - np.sqrt(5))  # radians: of many turns by it no two end in one direction
_MANY = 1500  # more nodes than this are put in order without settling, which takes time and memory by their square
_NOWHERE = np.empty((0, 2))


class GraphLayout:
    """Places of nodes that never jump: what has a place keeps it; only new nodes look for one.

    The same calls give the same places. The place of a node that is gone stays its own, so that travelling in time
    shows every node where it was.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._ground = _Ground(_NOWHERE)
        self._made_of: dict[str, tuple[str, ...]] = {}

    def place(
        self, nodes: Sequence[str], edges: Sequence[tuple[str, str]], made_of: Mapping[str, tuple[str, ...]]
    ) -> dict[str, Point]:
        """The place of every node, in pixels. An edge to a node that is not there counts for nothing.

        `made_of` names the nodes that were merged into one. It comes to lie between them; they, where they are first
        seen after it, beside it.
        """
        self._made_of.update(made_of)
        near = _neighbours(nodes, edges)
        for node in self._new(near):
            self._place_by_merge(node)
        groups = list(_groups(self._new(near), near))
        for group in groups:
            self._place_attached(group, near)
        alone = sorted((group for group in groups if group[0] not in self._rows), key=len, reverse=True)
        if sum(map(len, alone)) > _MANY:
            self._put([node for group in alone for node in group], self._ground.room_for(_in_columns(alone, near)))
            return {node: self._pixels(node) for node in near}
        for group in alone:
            self._put(group, self._ground.room_for(_laid_out(group, near)))
        return {node: self._pixels(node) for node in near}

    def _new(self, nodes: Iterable[str]) -> list[str]:
        return [node for node in nodes if node not in self._rows]

    def _place_by_merge(self, node: str) -> None:
        """Place what was made of nodes that have a place, or what such a node was made of.

        Its parts, and what else was made of them, are never there together with it and therefore not in its way.
        """
        if parts := self._parts(node):
            never = [row for other, row in self._rows.items() if other in parts or set(parts) & {*self._parts(other)}]
            others = _Ground(np.delete(self._ground.places, never, axis=0))
            self._put([node], others.nearest(self._at(parts).mean(axis=0)))
        elif whole := self._whole(node):
            self._put([node], self._ground.nearest(self._at([whole])[0]))

    def _parts(self, node: str) -> list[str]:
        """The nodes with a place that became this one; through others, where those have none."""
        found: list[str] = []
        waiting = list(self._made_of.get(node, ()))
        for part in waiting:  # which grows
            if part in self._rows:
                found.append(part)
            else:
                waiting += (older for older in self._made_of.get(part, ()) if older not in waiting)
        return found

    def _whole(self, node: str) -> str | None:
        """The node with a place that this one became; through others, where those have none."""
        became = {part: made for made, parts in self._made_of.items() for part in parts}
        for _ in became:
            node = became.get(node, node)
            if node in self._rows:
                return node
        return None

    def _place_attached(self, group: Sequence[str], near: _Near) -> None:
        """Place new nodes that are related to old ones, from these outwards."""
        waiting = [node for node in group if any(other in self._rows for other in near[node])]
        known = set(waiting)
        for node in waiting:  # which grows
            self._put([node], self._ground.beside(self._at([other for other in near[node] if other in self._rows])))
            fresh = [other for other in self._new(near[node]) if other not in known]
            waiting += fresh
            known.update(fresh)

    def _put(self, nodes: Sequence[str], places: _Floats) -> None:
        for node in nodes:
            self._rows[node] = len(self._rows)
        self._ground.take(places)

    def _at(self, nodes: Sequence[str]) -> _Floats:
        return self._ground.places[[self._rows[node] for node in nodes]]

    def _pixels(self, node: str) -> Point:
        x, y = self._ground.places[self._rows[node]] * UNIT
        return round(float(x), 1), round(float(y), 1)


class _Ground:
    """The plane with what lies on it, and how much room there is everywhere else.

    Room is the distance to the nearest node, up to `_SIGHT`, measured on a grid around the middle when it is asked for.
    """

    def __init__(self, places: _Floats) -> None:
        self.places = places
        self._measured = 0
        self._half = 0
        self._room: NDArray[np.float32] = np.empty((1, 1), np.float32)

    def take(self, places: _Floats) -> None:
        """Nodes lie here from now on."""
        self.places = np.vstack([self.places, places])

    def nearest(self, wanted: _Floats) -> _Floats:
        """The free place nearest to the one that is wanted, which is that one where it is free."""
        if not len(self.places) or np.linalg.norm(self.places - wanted, axis=-1).min() >= 1:
            return wanted
        self._measure()
        x, y = _cells(self._half)
        return _least((x - wanted[0]) ** 2 + (y - wanted[1]) ** 2, self._room >= 1)

    def room_for(self, shape: _Floats) -> _Floats:
        """Nodes that lie in a certain way, moved to where they are free and near the middle."""
        corners = np.rint(shape / _GRAIN).astype(int)
        reach = int(np.abs(corners).max())
        self._measure(reach)
        while True:
            half = self._half - reach
            free = np.ones((2 * half + 1, 2 * half + 1), bool)
            for row, column in corners + reach:
                free &= self._room[row : row + len(free), column : column + len(free)] >= _GAP
            if free.any():
                x, y = _cells(half)
                return shape + _least(x**2 + _WIDE * y**2, free)
            self._widen(2 * self._half)

    def beside(self, related: _Floats) -> _Floats:
        """The best place for a node that is related to nodes at these places."""
        self._measure()
        low = np.rint((related.min(axis=0) - _REACH) / _GRAIN).astype(int)
        high = np.rint((related.max(axis=0) + _REACH) / _GRAIN).astype(int)
        room = self._room[tuple(slice(*ends) for ends in np.clip([low, high], -self._half, self._half).T + self._half)]
        found = np.argwhere(room >= 1)
        if not len(found):
            return self.nearest(related.mean(axis=0))
        spots = (found + np.maximum(low, -self._half)) * _GRAIN
        way = spots[:, None] - related
        far = np.linalg.norm(way, axis=-1)
        bad = (np.square(far - _LINK) + _STEEP * np.abs(way[..., 1]) / far).mean(axis=1) - room[tuple(found.T)]
        best = np.argsort(bad, kind="stable")[:_SPOTS]
        chosen: _Floats = spots[best[np.argmin(bad[best] + _CROSSED * self._crossed(spots[best], related))]]
        return chosen

    def _crossed(self, spots: _Floats, related: _Floats) -> _Floats:
        """How many nodes, or their labels, lie on the lines from each of the spots to the related nodes."""
        everything = np.vstack([spots, related])
        low, high = everything.min(axis=0) - 1, everything.max(axis=0) + 1
        inside = self.places[((self.places > low) & (self.places < high)).all(axis=1)]
        ends, start = related[:, None], spots[:, None, None]
        along = ends - start
        share = ((inside - start) * along).sum(axis=-1) / np.square(along).sum(axis=-1)
        off = np.linalg.norm(start + np.clip(share, 0, 1)[..., None] * along - inside, axis=-1)
        other = np.linalg.norm(ends - inside, axis=-1) > 0
        crossed: _Floats = np.sum((off < 0.4) & other, axis=(1, 2), dtype=np.float64)
        return crossed

    def _measure(self, reach: int = 0) -> None:
        """Bring the grid up to date; it is to hold everything there is and a shape of this reach beside it."""
        new = self.places[self._measured :]
        needed = int(np.abs(self.places).max(initial=0.0) / _GRAIN) + reach + int(4 * _SIGHT / _GRAIN)
        if needed > self._half:
            self._widen(needed * 5 // 4)
        else:
            self._mark(new)

    def _widen(self, half: int) -> None:
        self._half = half
        self._room = np.full((2 * half + 1, 2 * half + 1), _SIGHT, np.float32)
        self._mark(self.places)

    def _mark(self, places: _Floats) -> None:
        sight = int(_SIGHT / _GRAIN)
        cells = np.rint(places / _GRAIN).astype(int)[:, None] + np.argwhere(np.ones((2 * sight + 1,) * 2)) - sight
        far = np.linalg.norm(cells * _GRAIN - places[:, None], axis=-1).astype(np.float32)
        np.minimum.at(self._room, (cells[..., 0] + self._half, cells[..., 1] + self._half), far)
        self._measured = len(self.places)


def _cells(half: int) -> _Floats:
    """The places of a grid around the middle: its x, then its y."""
    cells: _Floats = np.mgrid[-half : half + 1, -half : half + 1] * _GRAIN
    return cells


def _least(cost: _Floats, free: NDArray[np.bool_]) -> _Floats:
    """The place in a grid around the middle that costs least of those that are free."""
    row, column = divmod(int(np.argmin(np.where(free, cost, np.inf))), len(cost))
    return (np.array([row, column]) - len(cost) // 2) * _GRAIN


def _neighbours(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    near: dict[str, dict[str, None]] = {node: {} for node in nodes}
    for a, b in edges:
        if a != b and a in near and b in near:
            near[a][b] = near[b][a] = None
    return {node: list(others) for node, others in near.items()}


def _groups(nodes: Sequence[str], near: _Near) -> Iterator[list[str]]:
    """Nodes that hang together without the help of others."""
    left = dict.fromkeys(nodes)
    while left:
        group = [next(iter(left))]
        del left[group[0]]
        for node in group:  # which grows
            found = [other for other in near[node] if other in left]
            group += found
            for other in found:
                del left[other]
        yield group


# -- a graph by itself ---------------------------------------------------------------------------------------


def _laid_out(group: Sequence[str], near: _Near) -> _Floats:
    """Places of nodes that hang together, around the middle, every two of them apart."""
    if len(group) == 1:
        return np.zeros((1, 2))
    links = _links(group, near)
    wanted = _settled(_unfolded(_hops(links, len(group)), links), links)
    wanted -= (wanted.min(axis=0) + wanted.max(axis=0)) / 2
    ground, places = _Ground(_NOWHERE), np.empty_like(wanted)
    for number in np.argsort(np.linalg.norm(wanted, axis=-1), kind="stable"):
        places[number] = ground.nearest(wanted[number])
        ground.take(places[number])
    return places


def _in_columns(groups: Sequence[Sequence[str]], near: _Near) -> _Floats:
    """Places of many nodes in columns around the middle, as the sketch of each group has them, group after group."""
    sketches = [_sketched(group, near) for group in groups]
    x, y = np.vstack(sketches).T
    order = np.lexsort((x, np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])))
    places = np.empty((len(order), 2))
    for number, column in enumerate(np.array_split(order, int(np.ceil(np.sqrt(len(order)))))):
        places[column[np.argsort(y[column], kind="stable")], 1] = np.arange(len(column))
        places[column, 0] = number
    places -= np.rint(places.max(axis=0) / 2)
    return places * _GAP


def _sketched(group: Sequence[str], near: _Near) -> _Floats:
    if len(group) == 1:
        return np.zeros((1, 2))
    links = _links(group, near)
    return _unfolded(_hops(links, len(group)), links)


def _links(group: Sequence[str], near: _Near) -> _Links:
    """The links in both directions, by the numbers of their nodes."""
    row = {node: number for number, node in enumerate(group)}
    return np.array([(row[a], row[b]) for a in group for b in near[a]])


def _hops(links: _Links, count: int) -> _Floats:
    """How many links lie between every node and some that are far from one another: a row for each node."""
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in links:
        near[a].append(b)
    columns: list[_Floats] = []
    pivot = 0
    for _ in range(min(_PIVOTS, count)):
        far = np.full(count, -1.0)
        far[pivot] = 0
        waiting = deque([pivot])
        while waiting:
            node = waiting.popleft()
            for other in near[node]:
                if far[other] < 0:
                    far[other] = far[node] + 1
                    waiting.append(other)
        columns.append(far)
        pivot = int(np.min(columns, axis=0).argmax())
    return np.stack(columns, axis=1)


def _unfolded(hops: _Floats, links: _Links) -> _Floats:
    """A first sketch: far apart lies what is many links apart, the longest way from left to right.

    Pivot MDS (Brandes and Pich, 2006). What it puts onto one place is spread a little.
    """
    square = np.square(hops)
    centred = square - square.mean(axis=0) - square.mean(axis=1, keepdims=True) + square.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    sketch: _Floats = centred @ axes[:, :-3:-1]
    sketch *= np.sign(sketch[np.abs(sketch).argmax(axis=0), [0, 1]])
    length = float(np.linalg.norm(sketch[links[:, 0]] - sketch[links[:, 1]], axis=-1).mean())
    turn = np.arange(len(sketch))
    spread = np.stack([np.cos(_GOLDEN * turn), np.sin(_GOLDEN * turn)], axis=-1) * np.sqrt(turn / len(turn))[:, None]
    return sketch * (_LINK / length) + 0.02 * spread


def _settled(places: _Floats, links: _Links) -> _Floats:
    """The sketch after nodes have pushed one another away and links have pulled (Fruchterman and Reingold, 1991).

    A weak pull to the middle keeps long arms near.
    """
    at = places.astype(np.float32)
    for number in range(_ROUNDS):
        push = np.square(at[:, None, 0] - at[:, 0])
        push += np.square(at[:, None, 1] - at[:, 1])
        np.divide(_LINK**2, np.maximum(push, 1e-4, out=push), out=push)
        move = at * (push.sum(axis=1, keepdims=True) - _HEART) - push @ at
        way = at[links[:, 1]] - at[links[:, 0]]
        np.add.at(move, links[:, 0], way * np.linalg.norm(way, axis=1, keepdims=True) / _LINK)
        size = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        most = 0.1 * np.sqrt(len(at)) * _LINK * (1 - number / _ROUNDS)
        at += move / size * np.minimum(size, most)
    return at.astype(np.float64)
