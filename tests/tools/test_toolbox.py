"""What a step may call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_bank.bank.query_graph import Node
from memory_bank.events import EntryRecorded, NodesMerged
from memory_bank.modules.hash_embedder import HashEmbedder
from memory_bank.tools.reference_library import ReferenceLibrary
from memory_bank.tools.toolbox import RESEARCH_NODES, SEARCH_RESULTS, Toolbox
from tests.builders import at, make_entry, make_merge
from tests.tools.test_reference_library import Shelf
from tests.workbench import Workbench, workbench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        yield made


def toolbox(bench: Workbench, folder: Path) -> Toolbox:
    return Toolbox(bench.bank, bench.recall, ReferenceLibrary(bench.bank, folder, HashEmbedder()))


def test_deep_retrieval_gives_every_entry_of_a_node_oldest_first(bench: Workbench, tmp_path: Path) -> None:
    bench.put("n1", "The dam.", seconds=5)
    bench.recorder.record(EntryRecorded(node_id="n1", entry=make_entry("e7", "Later.", 9)))
    bench.recorder.record(EntryRecorded(node_id="n1", entry=make_entry("e8", "Earlier.", 1)))
    entries = toolbox(bench, tmp_path).deep_retrieval("n1")
    assert [entry.text for entry in entries] == ["Earlier.", "The dam.", "Later."]


def test_deep_retrieval_follows_a_node_into_what_it_became(bench: Workbench, tmp_path: Path) -> None:
    """A prompt may name a node that was merged since."""
    bench.put("n1", "One.")
    bench.put("n2", "Two.")
    merged = Node(id="n3", summary="", context="", keywords=(), timestamp=at(9))
    bench.recorder.record(NodesMerged(node=merged, merge=make_merge("n1", "n2")))
    tools = toolbox(bench, tmp_path)
    assert [entry.text for entry in tools.deep_retrieval("n1")] == ["One.", "Two."]
    assert tools.deep_retrieval("n2") == tools.deep_retrieval("n3")


def test_deep_retrieval_of_a_node_that_never_was_is_empty(bench: Workbench, tmp_path: Path) -> None:
    assert toolbox(bench, tmp_path).deep_retrieval("n99") == ()


def test_research_gives_nodes_best_first_and_more_than_a_prompt_holds(bench: Workbench, tmp_path: Path) -> None:
    for number in range(1, 20):
        bench.put(f"n{number}", "mill " * (number % 7) + "dam", seconds=number)
    found = toolbox(bench, tmp_path).research("mill")
    assert len(found) == RESEARCH_NODES
    assert [node.context.count("mill") > 0 for node in found] == [True] * RESEARCH_NODES
    assert [node.id for node in found] == [hit.id for hit in bench.recall.retrieve("mill", k=RESEARCH_NODES)]


def test_conflicts_come_oldest_first_however_they_stand(bench: Workbench, tmp_path: Path) -> None:
    bench.put("n1", "One.", "The dam was finished in 1970.", "It is 111 m high.")
    bench.put("n2", "Two.", "The dam was finished in 1968.", "It is 112 m high.")
    tools = toolbox(bench, tmp_path)
    assert tools.conflicts() == ()
    bench.open_conflict("n1", "n2")
    bench.open_conflict("n1", "n2", of=(1, 1))
    assert [conflict.id for conflict in tools.conflicts()] == ["x1", "x2"]


def test_search_asks_the_reference_library(bench: Workbench, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    for number in range(9):
        shelf.add(f"{number}.txt", f"The dam is {number} m high.")
    found = Toolbox(shelf.bank, bench.recall, shelf.library).search("dam")
    assert len(found) == SEARCH_RESULTS
    assert found == shelf.library.search("dam", SEARCH_RESULTS)
