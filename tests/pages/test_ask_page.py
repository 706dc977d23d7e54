"""The page that asks the memory: an answer whose numbers open passages, and nothing of the session changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import streamlit as st

from memory_bank.bank.events import AnswerGiven, EngineChoice, Event, NodeCreated, StatusChanged
from memory_bank.session.memory_qa import QuestionAnswer
from memory_bank.storage.event_log import LOG_NAME
from memory_bank.storage.session_store import SessionStore
from pages.shared import questions
from tests.builders import make_answer, make_created, make_entry, make_node
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL, hostile_events
from tests.pages.little_server import http_server
from tests.pages.test_session_page import wait_until

Keep = Callable[[str, Sequence[Event]], str]
DAM, RIVER = "The Aswan dam was finished in 1970.", "The Nile is 6,650 km long."
WHEN = "When was the Aswan dam finished?"


def events() -> list[Event]:
    """A session with two nodes."""
    facts = enumerate((DAM, RIVER), start=1)
    nodes = [
        NodeCreated(node=make_node(f"n{n}", f"Topic {n}"), entry=make_entry(f"e{n}", fact), unit=f"u{n}")
        for n, fact in facts
    ]
    return [make_created(task=WHEN), *nodes]


@pytest.fixture
def page(keep: Keep) -> Page:
    """A visitor on the page, about a session with a memory."""
    return Page(run=keep("mine", events())).go("ask")


def ask(page: Page, question: str) -> Page:
    page.test.text_input(key="question").input(question)
    page.press("Ask")
    wait_until(page, lambda: "Looking through the memory" not in page.markup)
    return page


def drawn(page: Page) -> list[Any]:
    """Our text components on the page, as they were given."""
    return [json.loads(text) for text in page.mounted("linked_text")]


def words(mount: Any) -> str:
    return "".join(segment["text"] for block in mount["blocks"] for segment in block["segments"])


def links(mount: Any) -> list[str]:
    return [segment["link"] for block in mount["blocks"] for segment in block["segments"] if segment["link"]]


def test_an_answer_cites_its_passage_which_is_open_beside_it(page: Page) -> None:
    ask(page, WHEN)
    answer, searched = drawn(page)
    assert DAM in words(answer)
    assert (links(answer), answer["pressed"]) == (["1"], "1")
    assert links(searched) == ["node:n1", "node:n2"]
    assert f"<mark>{DAM}</mark>" in page.markup
    assert f"<h3>{WHEN}</h3>" in page.markup


def test_how_the_memory_was_searched_is_told_round_by_round(page: Page) -> None:
    ask(page, WHEN)
    assert "<b>Round 1</b>" in page.markup
    assert f"looked for: {WHEN}" in page.markup
    assert "found: e1 and e2" in page.markup
    assert "ended because every part of the question was found" in page.markup


def test_asking_changes_nothing_in_the_session(page: Page, store: SessionStore) -> None:
    log = store.folder / "mine" / LOG_NAME
    before = log.read_bytes()
    ask(page, WHEN)
    assert log.read_bytes() == before


def test_what_is_not_there_is_said_in_words_with_what_was_searched(page: Page) -> None:
    ask(page, "Who composed the opera Turandot?")
    answer, searched = drawn(page)
    assert "No answer to this was found in the documents." in words(answer)
    heading, listed = [block["title"] for block in answer["blocks"]], [block["kind"] for block in answer["blocks"]]
    assert (heading, listed) == (["", "", "Nearest passages", ""], ["text", "text", "listed", "listed"])
    assert (links(answer), answer["pressed"]) == (["1", "2"], "1")
    assert f"<mark>{RIVER}</mark>" in page.markup
    assert links(searched) == ["node:n1", "node:n2"]
    assert "Try other words" in page.markup


def test_that_a_task_is_beyond_the_engine_is_said_once_and_other_words_are_not_advised(page: Page) -> None:
    ask(page, "Write an essay about the dam")
    assert words(drawn(page)[0]).startswith("The embedded engine quotes and computes; it does not write.")
    assert "it does not write" not in page.markup
    assert "Try other words" not in page.markup


def test_documents_that_contradict_each_other_are_an_answer(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "## The documents say different things\n\na.md: “1970” [1]\n\nb.md: “1968” [1]"
    answer = make_answer().model_copy(update={"text": text, "affirmed": "", "disputed": ()})
    given = QuestionAnswer(question=WHEN, answer=answer, nodes=(), research=())
    monkeypatch.setattr(questions, "ask", lambda *_given: given)
    ask(page, WHEN)
    assert "b.md: “1968”" in words(drawn(page)[0])
    assert "Try other words" not in page.markup


def test_earlier_questions_stay_below_in_this_tab_only(page: Page) -> None:
    ask(ask(page, WHEN), "How long is the Nile?")
    assert "<h3>How long is the Nile?</h3>" in page.markup
    assert "Earlier questions" in page.markup
    assert [expander.label for expander in page.test.expander] == ["When was the Aswan dam finished\\?"]
    assert len(drawn(page)) == 4, "both answers with the nodes that were searched"
    assert "Earlier questions" in page.go("session").go("ask").markup
    assert "Earlier questions" not in Page(run="mine").go("ask").markup


def test_an_example_can_be_pressed_and_is_asked(page: Page) -> None:
    examples = [button.label for button in page.test.button if button.key.startswith("example")]
    assert examples[0] == "When was the Aswan dam finished\\?", "the session’s own task"
    assert examples[1:] == [
        "What do the documents say about “dam”\\?",
        "What are these documents about\\?",
    ]
    page.press(examples[-1])
    wait_until(page, lambda: "Looking through the memory" not in page.markup)
    assert DAM in words(drawn(page)[0])
    assert not [button for button in page.test.button if button.key.startswith("example")]


def test_an_empty_question_asks_nothing(page: Page) -> None:
    page.test.text_input(key="question").input("   ")
    page.press("Ask")
    assert drawn(page) == []


def test_an_empty_memory_says_when_it_can_be_asked(keep: Keep) -> None:
    page = Page(run=keep("empty", [make_created()])).go("ask")
    assert "The memory is empty at this moment." in page.markup
    assert "Ask" not in page.labels()


def test_a_past_moment_is_asked_as_it_was(keep: Keep) -> None:
    page = Page(run=keep("mine", events())).go("ask")
    page.test.session_state["view"].move(2)
    ask(page.run(), "How long is the Nile?")
    assert "No answer to this was found in the documents." in words(drawn(page)[0])
    assert "the memory after event 2" in page.markup


@pytest.mark.slow
def test_an_embedder_that_is_not_there_is_named(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "no-such-model")
    st.cache_resource.clear()
    page = ask(Page(run=keep("mine", events())).go("ask"), WHEN)
    assert "The question could not be answered. The memory is unchanged." in page.messages
    assert "EMBEDDING_MODEL is 'no-such-model'" in page.messages


def test_what_a_memory_says_is_text(keep: Keep) -> None:
    page = ask(Page(run=keep("evil", hostile_events())).go("ask"), EVIL)
    assert "<img" not in page.markup
    assert "<script>" not in page.markup


# -- with a model --------------------------------------------------------------------------------------------


@pytest.fixture
def refusing() -> Iterator[tuple[str, list[str]]]:
    """A server that accepts no key: its address, and what it was asked."""
    asked: list[str] = []

    def answer(method: str, path: str) -> tuple[int, Any]:
        asked.append(f"{method} {path}")
        return 401, {"error": {"message": "who are you?"}}

    with http_server(answer) as url:
        yield f"{url}/v1", asked


def visit(keep: Keep, url: str, engine: EngineChoice, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A visitor whose settings name that server, about a session that began on an engine."""
    for name, value in {"LLM_PROVIDER": "local", "LOCAL_MODEL": "llama", "LOCAL_BASE_URL": url}.items():
        monkeypatch.setenv(name, value)
    st.cache_resource.clear()
    created, *nodes = events()
    return Page(run=keep("mine", [created.model_copy(update={"engine": {"react": engine}}), *nodes])).go("ask")


def test_a_model_that_refuses_is_told_of_and_the_answer_quotes(
    keep: Keep, refusing: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, asked = refusing
    page = visit(keep, url, EngineChoice(provider="local", model="llama"), monkeypatch)
    host = url.removeprefix("http://").removesuffix("/v1")
    (told,) = [caption.value.replace("\\", "").replace("\u2060", "") for caption in page.test.caption]
    assert told == f"This asks llama. The question and the pages that are found are sent to {host}."
    ask(page, WHEN)
    assert asked
    assert DAM in words(drawn(page)[0])
    assert "The embedded engine judged instead of the model: " in page.markup
    assert "The embedded engine answered instead of the model: " in page.markup
    assert "requests to models, 0 tokens" in page.markup


def test_what_was_read_on_this_computer_alone_is_sent_nowhere(
    keep: Keep, refusing: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, asked = refusing
    page = ask(visit(keep, url, EngineChoice(provider="offline", model="hash"), monkeypatch), WHEN)
    assert DAM in words(drawn(page)[0])
    assert (asked, list(page.test.caption)) == ([], [])


def test_questions_are_found_again_by_the_key_that_only_their_tab_knows(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(page, WHEN)
    kept = page.test.session_state[questions.KEY]
    tab: dict[str, str] = {}
    monkeypatch.setattr(st, "session_state", tab)
    questions.restore(["nobody", "../../etc"])
    assert (questions.tab_keys(), questions.questions("mine")) == ([], [])
    questions.restore(["nobody", kept])
    assert questions.tab_keys() == [kept]
    assert [question.text for question in questions.questions("mine")] == [WHEN]


def test_questions_about_a_deleted_session_are_dropped(page: Page) -> None:
    ask(page, WHEN)
    questions.forget_questions("mine")
    assert "<h3>" not in page.run().markup


def test_a_question_that_does_not_stand_alone_is_read_after_the_one_before(page: Page) -> None:
    ask(ask(page, "How long is the Nile?"), "And where is it?")
    assert "Read as: Where is the Nile?" in page.markup
    assert "<h3>And where is it?</h3>" in page.markup


def test_under_an_answer_a_further_question_can_be_asked(keep: Keep) -> None:
    told = AnswerGiven(answer=make_answer())
    page = Page(run=keep("done", [*events(), told, StatusChanged(status="finished")]))
    page.test.text_input(key="further-question").input("How long is the Nile?")
    page.press("Ask")
    wait_until(page, lambda: "Looking through the memory" not in page.markup)
    assert "<h3>How long is the Nile?</h3>" in page.markup
    assert RIVER in words(drawn(page)[1])
    assert "<h3>How long is the Nile?</h3>" in page.go("ask").markup


def test_a_further_question_closes_the_answers_passage_until_a_number_is_pressed(keep: Keep) -> None:
    told = AnswerGiven(answer=make_answer())
    page = Page(run=keep("done", [*events(), told, StatusChanged(status="finished")]))
    assert (page.markup.count("<h2>Passage 1</h2>"), drawn(page)[0]["pressed"]) == (1, "1")
    page.test.text_input(key="further-question").input("How long is the Nile?")
    page.press("Ask")
    wait_until(page, lambda: "Looking through the memory" not in page.markup)
    assert [text["pressed"] for text in drawn(page)[:2]] == [None, "1"]
    assert page.markup.count("<h2>Passage 1</h2>") == 1  # that of the new answer


def test_a_session_without_an_answer_has_no_box_for_a_further_question(page: Page) -> None:
    assert not [field for field in page.go("session").test.text_input if field.key == "further-question"]
