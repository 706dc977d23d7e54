"""Graph layout: nodes never move or overlap, and positions are reproducible."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.views.graph_layout import UNIT, GraphLayout, Point

Edges = Sequence[tuple[str, str]]
ALONE: dict[str, tuple[str, ...]] = {}


def ids(count: int, first: int = 1) -> list[str]:
    return [f"n{number}" for number in range(first, first + count)]


def ring(nodes: Sequence[str]) -> Edges:
    return list(zip(nodes, [*nodes[1:], nodes[0]], strict=True))


def star(nodes: Sequence[str]) -> Edges:
    return [(nodes[0], node) for node in nodes[1:]]


def all_with_all(nodes: Sequence[str]) -> Edges:
    return list(combinations(nodes, 2))


def none(nodes: Sequence[str]) -> Edges:
    return []


def apart(first: Point, second: Point) -> float:
    """The distance in units of the space of a node: two labels touch at 1."""
    return math.hypot((first[0] - second[0]) / UNIT[0], (first[1] - second[1]) / UNIT[1])


def closest(places: Mapping[str, Point]) -> float:
    return min((apart(a, b) for a, b in combinations(places.values(), 2)), default=math.inf)


def between(first: Point, second: Point) -> Point:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[list[str], list[tuple[str, str]]]]:
    """Successive states of a graph: nodes and edges come and go."""
    names = ids(12)
    moments = []
    for _ in range(draw(st.integers(1, 5))):
        nodes = draw(st.lists(st.sampled_from(names), unique=True))
        pairs = st.tuples(st.sampled_from(names), st.sampled_from(names))
        moments.append((nodes, draw(st.lists(pairs, max_size=20))))
    return moments


made = st.dictionaries(st.sampled_from(ids(12)), st.lists(st.sampled_from(ids(12)), max_size=3).map(tuple), max_size=4)


@given(stories(), made)
@settings(deadline=None)
def test_what_has_a_place_keeps_it_whatever_comes_and_goes(
    story: list[tuple[list[str], list[tuple[str, str]]]], made_of: dict[str, tuple[str, ...]]
) -> None:
    layout, again, known = GraphLayout(), GraphLayout(), dict[str, Point]()
    for nodes, edges in story:
        places = layout.place(nodes, edges, made_of)
        assert list(places) == nodes
        assert all(math.isfinite(value) for place in places.values() for value in place)
        assert all(places[node] == known[node] for node in places.keys() & known.keys())
        assert again.place(nodes, edges, made_of) == places
        known |= places


@given(stories())
@settings(deadline=None)
def test_no_two_nodes_are_ever_on_one_another_even_if_they_were_never_seen_together(
    story: list[tuple[list[str], list[tuple[str, str]]]],
) -> None:
    layout, known = GraphLayout(), dict[str, Point]()
    for nodes, edges in story:
        known |= layout.place(nodes, edges, ALONE)
    assert closest(known) > 0.99


@pytest.mark.parametrize("count", range(1, 16))
@pytest.mark.parametrize("lines", [ring, star, all_with_all, none])
def test_a_few_nodes_are_spread_without_being_far(count: int, lines: Callable[[Sequence[str]], Edges]) -> None:
    nodes = ids(count)
    places = GraphLayout().place(nodes, lines(nodes), ALONE)
    assert closest(places) > 0.99
    wide = max(x for x, _ in places.values()) - min(x for x, _ in places.values())
    high = max(y for _, y in places.values()) - min(y for _, y in places.values())
    assert wide <= 2.2 * UNIT[0] * math.sqrt(count)
    assert high <= 2.2 * UNIT[1] * math.sqrt(count)
    assert wide >= high


def test_nodes_that_come_one_by_one_come_to_lie_beside_what_they_are_related_to() -> None:
    layout, nodes, edges = GraphLayout(), ids(40), list[tuple[str, str]]()
    for number, node in enumerate(nodes):
        if number % 3:
            edges.append((node, nodes[number - number % 3]))
        places = layout.place(nodes[: number + 1], edges, ALONE)
    assert closest(places) > 0.99
    assert sum(apart(places[a], places[b]) for a, b in edges) / len(edges) < 2.5


def test_new_nodes_that_hang_together_grow_from_the_old_one() -> None:
    layout = GraphLayout()
    layout.place(ids(30), ring(ids(30)), ALONE)
    fresh = ids(3, first=31)
    chain = [("n5", fresh[0]), (fresh[0], fresh[1]), (fresh[1], fresh[2])]
    places = layout.place(ids(33), [*ring(ids(30)), *chain], ALONE)
    assert all(apart(places[a], places[b]) < 3 for a, b in chain)


def test_what_was_merged_lies_in_the_middle_of_its_parts() -> None:
    layout = GraphLayout()
    before = layout.place(["n1", "n2"], [("n1", "n2")], ALONE)
    after = layout.place(["n3"], [], {"n3": ("n1", "n2")})
    assert after["n3"] == pytest.approx(between(before["n1"], before["n2"]), abs=0.2)


def test_a_merge_of_a_merge_in_one_go_lies_in_the_middle_of_all() -> None:
    layout = GraphLayout()
    before = layout.place(["n1", "n2"], [("n1", "n2")], ALONE)
    after = layout.place(["n5"], [], {"n3": ("n1", "n9"), "n5": ("n3", "n2")})
    assert after["n5"] == pytest.approx(between(before["n1"], before["n2"]), abs=0.2)


def test_a_merge_that_is_taken_back_and_made_again_is_where_it_was() -> None:
    layout = GraphLayout()
    before = layout.place(["n1", "n2"], [("n1", "n2")], ALONE)
    merged = layout.place(["n3"], [], {"n3": ("n1", "n2")})
    assert layout.place(["n1", "n2"], [("n1", "n2")], ALONE) == before
    assert layout.place(["n4"], [], {"n4": ("n1", "n2")})["n4"] == merged["n3"]


def test_a_merged_node_does_not_cover_one_that_lies_between_its_parts() -> None:
    layout = GraphLayout()
    before = layout.place(ids(3), [("n1", "n2"), ("n2", "n3")], ALONE)
    first, last = sorted(ids(3), key=lambda node: before[node])[::2]
    others = [node for node in ids(3) if node not in (first, last)]
    after = layout.place([*others, "n4"], [], {"n4": (first, last)})
    assert closest(after) > 0.99
    assert apart(after["n4"], between(before[first], before[last])) < 1.5


def test_parts_that_are_first_seen_after_their_merge_lie_beside_it() -> None:
    layout = GraphLayout()
    now = layout.place([*ids(20), "n99"], ring(ids(20)), {"n98": ("n97", "n96"), "n99": ("n98", "n95")})
    past = layout.place([*ids(20), "n95", "n96", "n97"], ring(ids(20)), ALONE)
    assert all(past[node] == now[node] for node in ids(20))
    assert all(1 - 1e-3 < apart(past[node], now["n99"]) < 3.5 for node in ("n95", "n96", "n97"))
    assert closest(past) > 0.99


def test_what_is_not_connected_is_not_far_away() -> None:
    nodes = ids(60)
    edges = [*ring(nodes[:20]), *ring(nodes[20:30])]
    places = GraphLayout().place(nodes, edges, ALONE)
    assert closest(places) > 0.99
    assert max(apart(place, (0, 0)) for place in places.values()) < 12


def test_lines_to_what_is_not_there_and_to_itself_count_for_nothing() -> None:
    plain = GraphLayout().place(ids(3), [("n1", "n2")], ALONE)
    assert GraphLayout().place(ids(3), [("n1", "n2"), ("n1", "gone"), ("n3", "n3")], ALONE) == plain


@pytest.mark.parametrize("kind", ["web", "pairs", "none"])
@pytest.mark.slow
def test_many_thousand_nodes_all_have_room_and_take_little_of_time_and_memory(kind: str) -> None:
    nodes = ids(4000)
    steps = {"web": ((1, 1), (7, 3), (3, 11)), "pairs": (), "none": ()}[kind]
    edges = [(nodes[n], nodes[(n * step + shift) % 4000]) for n in range(4000) for step, shift in steps]
    edges += zip(nodes[::2], nodes[1::2], strict=True) if kind == "pairs" else ()
    layout = GraphLayout()
    tracemalloc.start()
    places = layout.place(nodes, edges, ALONE)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60e6, "not every node with every other"
    rows = np.array(list(places.values())) / UNIT
    near = [np.linalg.norm(rows[n + 1 :] - rows[n], axis=1).min() for n in range(len(rows) - 1)]
    assert min(near) > 0.99
    assert np.abs(rows).max() < 2 * math.sqrt(4000)
    if edges:
        related = sum(apart(places[a], places[b]) for a, b in edges) / len(edges)
        anyone = sum(apart(places[a], places[b]) for a, b in zip(nodes, nodes[2001:] + nodes[:2001], strict=True))
        assert related < 0.8 * anyone / 4000
    later = layout.place([*nodes, "new"], [*edges, ("new", "n7")], ALONE)
    assert {node: later[node] for node in nodes} == places


def test_no_node_is_no_place() -> None:
    assert GraphLayout().place([], [], ALONE) == {}


def test_a_thousand_nodes_and_three_thousand_lines_all_have_room() -> None:
    nodes = ids(1000)
    edges = [
        (nodes[n], nodes[(n * step + shift) % 1000]) for n in range(1000) for step, shift in ((1, 1), (7, 3), (3, 11))
    ]
    layout = GraphLayout()
    places = layout.place(nodes, edges, ALONE)
    assert closest(places) > 0.99
    related = sum(apart(places[a], places[b]) for a, b in edges) / len(edges)
    anyone = sum(apart(places[a], places[b]) for a, b in zip(nodes, nodes[500:] + nodes[:500], strict=True)) / 1000
    assert related < anyone
    later = layout.place([*nodes, "new"], [*edges, ("new", "n7")], ALONE)
    assert {node: later[node] for node in nodes} == places
    assert apart(later["new"], later["n7"]) < 8
