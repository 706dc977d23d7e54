"""What a step may call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from memory_bank.agents.react import Tools
from memory_bank.bank.errors import ToolError
from memory_bank.bank.events import EntryRecorded, NodesMerged
from memory_bank.bank.query_graph import Node
from memory_bank.bank.settings import load_settings
from memory_bank.documents.source_reader import SourceReader
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.tools.reference_library import ReferenceLibrary
from memory_bank.session.tools.toolbox import NEEDS_NO_KEY, RESEARCH_NODES, SEARCH_RESULTS, Toolbox
from memory_bank.session.tools.web import NO_WEB, Web
from tests.builders import at, make_entry, make_merge
from tests.session.tools.test_reference_library import Shelf
from tests.workbench import Workbench, workbench

ENGINE = OfflineEngine(HashEmbedder())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        yield made


def toolbox(bench: Workbench, folder: Path, web: Web = NO_WEB) -> Toolbox:
    return Toolbox(
        bench.bank, bench.recall, ReferenceLibrary(bench.bank, SourceReader(folder), HashEmbedder()), ENGINE, web
    )


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
    for number in range(1, 71):
        bench.put(f"n{number}", "mill " * (number % 7) + "dam", seconds=number)
    found = toolbox(bench, tmp_path).research("mill")
    assert len(found) == RESEARCH_NODES
    assert [node.context.count("mill") > 0 for node in found] == [True] * RESEARCH_NODES


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
    found = Toolbox(shelf.bank, bench.recall, shelf.library, ENGINE).search("dam")
    assert len(found) == SEARCH_RESULTS
    assert found == shelf.library.search("dam", SEARCH_RESULTS)


# -- the web -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("serper", [None, "a-key"])
@pytest.mark.parametrize(("jina", "beyond"), [(None, set()), ("b-key", {"visit"})])
def test_a_tool_without_its_key_is_not_offered(
    bench: Workbench, tmp_path: Path, serper: str | None, jina: str | None, beyond: set[str]
) -> None:
    settings = load_settings(serper_api_key=serper, jina_api_key=jina)
    web = Web(settings.serper_api_key, settings.jina_api_key)
    tools: Tools = toolbox(bench, tmp_path, web)
    assert (tools.web, tools.callable_by_model - NEEDS_NO_KEY) == (serper is not None, beyond)
    assert tools.callable_by_model >= NEEDS_NO_KEY


def test_every_tool_that_is_offered_is_there(bench: Workbench, tmp_path: Path) -> None:
    tools = toolbox(bench, tmp_path, Web(jina_key=SecretStr("a-key")))
    assert all(callable(getattr(tools, name)) for name in tools.callable_by_model)


def test_without_keys_the_web_says_so_and_the_library_still_answers(bench: Workbench, tmp_path: Path) -> None:
    tools = toolbox(bench, tmp_path)
    for call in (tools.web_search, tools.visit):
        with pytest.raises(ToolError, match="has no key"):
            call("https://example.org")
    assert tools.search("dam") == ()


def test_search_and_visit_ask_the_web(bench: Workbench, tmp_path: Path) -> None:
    def serve(request: httpx2.Request) -> httpx2.Response:
        if request.url.host == "r.jina.ai":
            return httpx2.Response(200, text="The dam is 111 m high.")
        return httpx2.Response(200, json={"organic": [{"link": "https://a.org", "title": "Dam", "snippet": "111 m"}]})

    settings = load_settings(serper_api_key="a-key", jina_api_key="b-key")
    web = Web(
        settings.serper_api_key, settings.jina_api_key, transport=httpx2.MockTransport(serve), resolve=lambda _host: ()
    )
    tools = toolbox(bench, tmp_path, web)
    assert [(page.url, page.text) for page in tools.web_search("dam")] == [("https://a.org", "111 m")]
    assert tools.visit("https://a.org").text == "The dam is 111 m high."


@pytest.fixture
def visiting(bench: Workbench, tmp_path: Path) -> Toolbox:
    """Tools that can visit any page, which names another one."""
    reader = httpx2.MockTransport(lambda _request: httpx2.Response(200, text="More at https://b.org/page."))
    web = Web(jina_key=SecretStr("b-key"), transport=reader, resolve=lambda _host: ())
    bench.put("n1", "The dam.", "It is told of on https://a.org/dam?all=1, a page of the town.")
    return toolbox(bench, tmp_path, web)


def test_a_page_that_a_record_names_is_visited(visiting: Toolbox) -> None:
    assert visiting.visit("https://a.org/dam?all=1").text == "More at https://b.org/page."


def test_a_page_is_asked_for_as_its_address_is_and_not_as_a_prompt_escapes_it(
    bench: Workbench, visiting: Toolbox
) -> None:
    bench.put("n2", "More.", "See https://a.org/?a=1&b=2.")
    assert visiting.visit("https://a.org/?a=1&amp;b=2").url == "https://a.org/?a=1&b=2"


@pytest.mark.parametrize("url", ["https://a.org/dam?all=1&secret=dGhlIHRhc2s", "https://b.org/page"])
def test_a_page_that_nothing_names_is_not_asked_for(visiting: Toolbox, url: str) -> None:
    for _again in range(2):
        with pytest.raises(ToolError, match="nothing that was read names this address"):
            visiting.visit(url)


def test_a_page_that_a_page_names_is_visited(visiting: Toolbox) -> None:
    visiting.visit("https://a.org/dam?all=1")
    assert visiting.visit("https://b.org/page").url == "https://b.org/page"


# -- side by side --------------------------------------------------------------------------------------------


class OneAtATime:
    """Stands before an index and notes whether two threads were in it at once."""

    def __init__(self, call: Callable[..., Any], meet: threading.Barrier) -> None:
        self._call, self._meet = call, meet
        self.met = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        try:
            self._meet.wait(timeout=0.05)
        except threading.BrokenBarrierError:
            return self._call(*arguments, **named)
        self.met = True
        return self._call(*arguments, **named)


def test_the_indices_are_asked_by_one_thread_at_a_time(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(tmp_path / "shelf")
    shelf.add("a.txt", "The dam is 111 m high.")
    bench.put("n1", "The dam.")
    meet = threading.Barrier(2)
    library = OneAtATime(shelf.library.search, meet)
    recall = OneAtATime(bench.recall.refresh, meet)
    monkeypatch.setattr(shelf.library, "search", library)
    monkeypatch.setattr(bench.recall, "refresh", recall)
    tools = Toolbox(bench.bank, bench.recall, shelf.library, ENGINE)
    with ThreadPoolExecutor(2) as threads:
        passages, nodes = threads.submit(tools.search, "dam"), threads.submit(tools.research, "dam")
    assert (library.met, recall.met) == (False, False)
    assert [passage.text for passage in passages.result()] == ["The dam is 111 m high."]
    assert [node.id for node in nodes.result()] == ["n1"]


def test_many_calls_at_once_find_what_one_finds(bench: Workbench, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    for number in range(12):
        shelf.add(f"{number}.txt", f"The dam of place {number} is {number} m high.")
    tools = Toolbox(shelf.bank, bench.recall, shelf.library, ENGINE)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(tools.search, ["dam"] * 16))
    assert found == [tools.search("dam")] * 16
