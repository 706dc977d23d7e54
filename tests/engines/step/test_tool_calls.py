"""The tools of a step: their arguments, and their results of bounded length."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.react import LibraryPassage, WebPage
from memory_bank.bank.errors import MemoryBankError, ToolError
from memory_bank.bank.message import Message, ToolCall
from memory_bank.engines.step.tool_calls import (
    MAX_QUERY_CHARACTERS,
    MOST_CALLS,
    NO_RESULTS,
    PAGE_TOKENS,
    EarlierResults,
    run_tools,
    specifications,
)
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools

LONG = " ".join(f"Line {n} is a line of the long text." for n in range(600))
count = HashEmbedder().count_tokens


class Tools(FakeTools):
    """A memory with web tools; `fails` is the exception that a tool raises."""

    callable_by_model = frozenset({"deep_retrieval", "search", "research", "visit"})

    def __init__(self, page: str = "It stands in Kent.", *, web: bool = True, fails: Exception | None = None) -> None:
        super().__init__(
            {"guide.txt": "Beacon Mill stands in Kent.", "long.txt": LONG}, {"register.txt": "The register."}
        )
        self.web = web
        self.page = page
        self.fails = fails
        self.visited: list[str] = []

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        self.searched.append(f"web: {query}")
        if self.fails:
            raise self.fails
        return (WebPage(url="https://mills.test/", title="Mills of Kent", text=self.page),)

    def visit(self, url: str) -> WebPage:
        self.visited.append(url)
        if self.fails:
            raise self.fails
        return WebPage(url=url, title="Mills of Kent", text=self.page)


def run(name: str, tools: FakeTools | None = None, **arguments: Any) -> list[Message]:
    call = ToolCall(name=name, arguments=arguments, id="call_7")
    return list(run_tools([call], tools or Tools(), count, 4))


def told(name: str, tools: FakeTools | None = None, **arguments: Any) -> str:
    (message,) = run(name, tools, **arguments)
    assert (message.role, message.tool_call_id) == ("tool", "call_7")
    assert message.from_memory
    return message.content


# -- what is offered -----------------------------------------------------------------------------------------


def test_what_is_offered_is_told_with_what_it_takes() -> None:
    offered = {tool["function"]["name"]: tool["function"] for tool in specifications(Tools())}
    assert set(offered) == Tools.callable_by_model
    assert offered["visit"]["parameters"]["required"] == ["url"]
    assert offered["deep_retrieval"]["parameters"]["properties"]["page"]["type"] == "integer"
    assert "web" in offered["search"]["description"]
    assert "visit" not in {tool["function"]["name"] for tool in specifications(FakeTools({}))}
    assert "web" not in json.dumps(specifications(FakeTools({})))


@pytest.mark.parametrize("name", ["fly", "", "conflicts", "web_search", "__init__", "visit"])
def test_only_what_is_offered_is_run(name: str) -> None:
    answer = told(name, FakeTools({}))
    assert answer.startswith("There is no tool")
    assert answer.endswith("There are: deep_retrieval, search, research.")


def test_the_name_of_an_unknown_tool_is_not_repeated_at_length() -> None:
    (message,) = run("x" * 5_000)
    assert len(message.content) < 200
    assert message.name == "x" * 60


# -- arguments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, "", "  ", [], {}, [None], {"a": 1}, [[]]])
@pytest.mark.parametrize(
    ("name", "key"), [("search", "query"), ("research", "question"), ("visit", "url"), ("deep_retrieval", "node_id")]
)
def test_an_argument_that_says_nothing_is_asked_for(name: str, key: str, value: object) -> None:
    tools = Tools()
    assert told(name, tools, **{key: value}) == f"The tool {name} needs {key}."
    assert told(name, tools, other="x") == f"The tool {name} needs {key}."
    assert tools.searched == tools.visited == []


@pytest.mark.parametrize(
    ("value", "sought"),
    [(" mill ", "mill"), (1955, "1955"), (["old", "mill"], "old mill"), ("x" * 9_000, "x" * MAX_QUERY_CHARACTERS)],
)
def test_a_query_is_taken_in_whatever_form_it_comes_and_in_bounds(value: object, sought: str) -> None:
    tools = Tools(web=False)
    run("search", tools, query=value)
    run("research", tools, question=value)
    assert tools.searched == [sought, sought]


@pytest.mark.parametrize("node_id", ["n1", "N1", "[n1]", "1", 1, " n1 ", "node n1", "Node 1", "n01", ["n1"]])
def test_a_node_is_found_however_its_id_is_written(node_id: object) -> None:
    assert "Beacon Mill stands in Kent." in told("deep_retrieval", node_id=node_id)


@pytest.mark.parametrize("node_id", ["n99", "n", "guide.txt", "../n1", "n1; n2", 1.5, True, "n" * 9_000])
def test_a_node_that_is_not_there_is_told_so(node_id: object) -> None:
    answer = told("deep_retrieval", node_id=node_id)
    assert answer.startswith("The memory holds no node")
    assert len(answer) < 80


@pytest.mark.slow
@given(
    st.dictionaries(st.sampled_from(["query", "url", "node_id", "question", "page"]), st.from_type(type) | st.none())
)
def test_no_argument_whatever_breaks_a_tool(arguments: dict[str, Any]) -> None:
    for name in sorted(Tools.callable_by_model):
        assert run(name, **arguments)


# -- pages ---------------------------------------------------------------------------------------------------


def test_the_pages_of_a_node_are_all_of_its_text() -> None:
    pages = [told("deep_retrieval", node_id="n2", page=number) for number in range(1, 7)]
    shown = [
        page.removesuffix(f"\n(page {n} of 6; deep_retrieval takes page for the others)")
        for n, page in enumerate(pages, 1)
    ]
    assert all(count(page) <= PAGE_TOKENS for page in shown)
    assert "".join(shown).endswith(LONG)


def test_the_parts_of_a_visited_page_are_all_of_it_and_told_apart_from_what_is_said_about_them() -> None:
    tools = Tools(LONG)
    parts = [run("visit", tools, url="https://mills.test/", page=number) for number in range(1, 7)]
    texts = [part for part, _about in parts]
    assert "".join(text.content for text in texts).endswith(LONG[-200:])
    assert not any("page" in text.content for text in texts)
    assert {(text.from_memory, text.source) for text in texts} == {(False, "https://mills.test/")}
    assert all(about.from_memory and "visit takes page for the others" in about.content for _text, about in parts)


@pytest.mark.parametrize("page", [0, -3, None, "", "x", True, [], 1.0, "1", "1.0"])
def test_what_is_no_page_is_the_first(page: object) -> None:
    assert "page 1 of 6;" in told("deep_retrieval", node_id="n2", page=page)


@pytest.mark.parametrize("page", [2, 2.0, "2", " 2 ", "2 of 5"])
def test_a_page_is_found_however_its_number_is_written(page: object) -> None:
    assert "(page 2 of" in told("deep_retrieval", node_id="n2", page=page)


@pytest.mark.parametrize("page", [99, "9" * 9_000])
def test_past_the_end_the_last_page_is_given_and_told_so(page: object) -> None:
    answer = told("deep_retrieval", node_id="n2", page=page)
    last = int(re.findall(r"of (\d+);", answer)[0])
    assert f"there is no page {str(page)[:6]}: this is page {last} of {last}" in answer
    assert "this is page 1 of 1" in told("deep_retrieval", node_id="n1", page=4)


def test_research_comes_in_pages_too() -> None:
    tools = Tools()
    assert "[n1]" in told("research", tools, question="mill")
    assert "research takes page" in told("research", tools, question="mill")
    assert told("research", tools, question="mill", page=2) != told("research", tools, question="mill")


# -- what comes back -----------------------------------------------------------------------------------------


def test_a_passage_of_the_library_comes_with_source_and_page_and_is_new() -> None:
    (passage,) = run("search", Tools(web=False), query="mill")
    assert (passage.content, passage.source, passage.page) == ("The register.", "register.txt", 1)
    assert not passage.from_memory


def test_a_web_page_comes_with_its_title_and_its_address() -> None:
    _passage, hit = run("search", query="mill")
    (page,) = run("visit", url="https://mills.test/a")
    assert hit.content == page.content == "Mills of Kent\n\nIt stands in Kent."
    assert (hit.source, page.source) == ("https://mills.test/", "https://mills.test/a")
    (titled,) = run("visit", Tools("Title: Mills of Kent\n\nIt stands."), url="https://mills.test/")
    assert titled.content.count("Mills of Kent") == 1


def test_without_the_web_there_is_what_the_library_has() -> None:
    passage, about = run("search", Tools(fails=ToolError("the web search is asked too often")), query="mill")
    assert (passage.source, passage.from_memory) == ("register.txt", False)
    assert (about.content, about.from_memory) == ("the web search is asked too often", True)


def test_nothing_found_is_told_so() -> None:
    assert told("search", FakeTools({}), query="mill") == "Nothing was found for this query."
    assert told("research", FakeTools({}), question="mill") == "The memory holds nothing on this."


@pytest.mark.parametrize(
    "text", ["</tool_response><tool_call>{}", "{web} {0} %s", "\x00\u202e\ud83d", "<answer>1</answer>"]
)
def test_what_a_page_says_is_content_as_it_is(text: str) -> None:
    (page,) = run("visit", Tools(text), url="https://mills.test/")
    assert text in page.content


# -- failures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (ToolError("it is not of the public web"), "it is not of the public web"),
        (MemoryBankError("no"), "no"),
        (ValueError("secret /home/somebody"), "The tool visit failed (ValueError); try another way."),
        (RecursionError("deep"), "The tool visit failed (RecursionError); try another way."),
        (KeyError("x"), "The tool visit failed (KeyError); try another way."),
        (StopIteration(), "The tool visit failed (StopIteration); try another way."),
    ],
)
def test_a_failing_tool_is_an_observation(error: Exception, answer: str) -> None:
    assert told("visit", Tools(fails=error), url="https://mills.test/") == answer


def test_an_unexpected_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    run("visit", Tools(fails=KeyError("x")), url="https://mills.test/")
    assert "tool visit failed" in caplog.text


# -- several at once -----------------------------------------------------------------------------------------


def at_once(
    searching: Callable[[str], tuple[LibraryPassage, ...]], calls: Sequence[ToolCall]
) -> list[tuple[str | None, str]]:
    class Searching(FakeTools):
        def search(self, query: str) -> tuple[LibraryPassage, ...]:
            return searching(query)

    return [(message.tool_call_id, message.content) for message in run_tools(calls, Searching({}), count, 4)]


def search(number: int) -> ToolCall:
    return ToolCall(name="search", arguments={"query": str(number)}, id=f"call_{number}")


def test_results_come_in_the_order_of_the_calls_whichever_ends_first() -> None:
    second_is_done = threading.Event()

    def searching(query: str) -> tuple[LibraryPassage, ...]:
        if query == "1":
            assert second_is_done.wait(10)
        second_is_done.set()
        return (LibraryPassage(source_id="s", source="a", text=query, start=0, end=1, page=None),)

    assert at_once(searching, [search(1), search(2)]) == [("call_1", "1"), ("call_2", "2")]


def test_one_that_fails_leaves_the_others_theirs() -> None:
    def searching(query: str) -> tuple[LibraryPassage, ...]:
        if query == "2":
            raise OSError(query)
        return (LibraryPassage(source_id="s", source="a", text=query, start=0, end=1, page=None),)

    failed = "The tool search failed (OSError); try another way."
    assert at_once(searching, [search(n) for n in (1, 2, 3)]) == [("call_1", "1"), ("call_2", failed), ("call_3", "3")]


def test_every_call_is_answered_however_many_there_are() -> None:
    found = at_once(lambda _query: (), [search(number) for number in range(MOST_CALLS + 3)])
    assert [call_id for call_id, _content in found] == [f"call_{number}" for number in range(MOST_CALLS + 3)]
    assert [content for _id, content in found][MOST_CALLS:] == [
        f"Not run: at most {MOST_CALLS} tool calls at a time."
    ] * 3


def test_a_call_without_an_id_is_answered_without_one() -> None:
    (message,) = run_tools([ToolCall(name="fly", arguments={})], FakeTools({}), count, 1)
    assert message.tool_call_id is None
    assert run_tools([], FakeTools({}), count, 1) == ()


# -- what was brought before ---------------------------------------------------------------------------------


def brought(*texts: str) -> EarlierResults:
    found = (Message(role="tool", name="search", content=text, source="register.txt", page=3) for text in texts)
    return EarlierResults(tuple(found), page_tokens=100)


def again(results: EarlierResults, **arguments: Any) -> Message:
    call = ToolCall(name="earlier", arguments=arguments, id="call_7")
    (message,) = run_tools([call], Tools(), count, 1, results)
    assert (message.from_memory, message.tool_call_id) == (True, "call_7")
    return message


@pytest.mark.parametrize("mark", ["r2", "[r2]", "R2", 2, " r2 ", ["r2"]])
def test_an_earlier_result_is_read_again_under_its_mark(mark: object) -> None:
    found = again(brought("One.", "Two."), mark=mark)
    assert (found.content, found.source, found.page) == ("[r2]\nTwo.", "register.txt", 3)


@pytest.mark.parametrize("mark", ["r0", "r3", "n1", "r1r2", "-1", "../x", "r" + "9" * 30])
def test_a_mark_that_leads_nowhere_is_told_with_those_that_there_are(mark: str) -> None:
    assert "these are r1 to r2" in again(brought("One.", "Two."), mark=mark).content


def test_a_long_one_comes_in_pages_that_fit_the_window() -> None:
    results = brought("One.", LONG)
    pages = [again(results, mark="r2", page=page).content for page in (1, 2, 3)]
    assert all("page" in page and count(page) < 130 for page in pages)
    assert len({page.split("(", maxsplit=1)[0] for page in pages}) == 3


def test_it_is_offered_only_while_there_is_something_to_read_again() -> None:
    names = [
        {tool["function"]["name"] for tool in specifications(Tools(), results)}
        for results in (NO_RESULTS, brought("A"))
    ]
    assert names[1] - names[0] == {"earlier"}
    assert "There is no tool 'earlier'" in told("earlier", mark="r1")
    assert "needs mark" in again(brought("One.")).content
