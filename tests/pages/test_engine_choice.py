"""Which engine a session is started and continued with, and what a person is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memory_bank.bank.events import EngineChoice, Event, StatusChanged, TextStreamed, TurnTaken
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.settings import AGENTS, load_settings
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session
from pages.shared.engine_choice import engine_offers, resume_settings
from pages.shared.server import get_server
from tests.builders import OFFLINE, every_event, make_called, make_created
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL
from tests.pages.little_server import http_server
from tests.pages.test_session_page import Keep, wait_until

KEY = "sk-very-secret-1234"
NOTHING_SENT = "nothing is sent anywhere"


@pytest.fixture
def refusing() -> Iterator[str]:
    """The address of a model's server that accepts no key."""
    with http_server(lambda _method, _path: (401, {"error": {"message": f"who is {KEY}?"}})) as url:
        yield f"{url}/v1"


def choose_local(page: Page, url: str) -> Page:
    """Choose a local server, with a key to it, on the Settings page."""
    page.go("settings")
    page.field("Engine for all agents").select("local")
    for label, value in (("key", KEY), ("address", url), ("model", "llama")):
        page.field(f"Local server: {label}").set_value(value)
    return page.press("Save").go("session")


def write_task(page: Page) -> None:
    page.test.text_area(key="task").input("When was the dam finished?")
    page.test.text_area(key="pasted").input("The dam was finished in 1970.")


# -- what is offered -----------------------------------------------------------------------------------------


def test_without_a_model_nothing_is_to_choose_and_nothing_is_sent(store: SessionStore) -> None:
    page = Page()
    assert NOTHING_SENT in page.markup
    assert not page.test.radio


def test_with_a_model_it_is_said_where_the_text_goes(store: SessionStore) -> None:
    page = choose_local(Page(), "http://ada:word@models.example:8000/v1")
    assert NOTHING_SENT not in page.markup
    (engine,) = page.test.radio
    assert engine.options == ["Embedded engine, no key".replace(",", "\\,"), "llama at models\\.example\\:\u20608000"]
    assert engine.value == 1, "the model that was chosen in Settings"
    offline, model = engine.proto.captions
    assert NOTHING_SENT in offline
    assert "The task and the text of the documents are sent to models" in model
    assert "word" not in page.everything.replace("password", "")


def test_a_model_that_lacks_its_key_is_not_offered(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "openai")
    page = Page()
    assert "OpenAI" in page.messages
    assert "must be the key of your account" in page.messages
    assert not page.test.radio


SENT = [
    ({"llm_provider": "openai"}, "The task and the text of the documents are sent to api.openai.com."),
    (
        {"llm_provider": "openai", "react": {"provider": "offline"}, "serper_api_key": KEY},
        "The task and the text of the documents are sent to api.openai.com. The embedded engine does react, "
        "research and remember.",
    ),
    (
        {"planning": {"provider": "openai"}, "react": {"provider": "local"}, "jina_api_key": KEY},
        "The task and the text of the documents are sent to api.openai.com and localhost:8000. The embedded engine "
        "does classification, structure, analysis and integration. Pages are read by r.jina.ai.",
    ),
    (
        {"llm_provider": "local", "serper_api_key": KEY, "jina_api_key": KEY},
        "The task and the text of the documents are sent to localhost:8000. Searches are sent to google.serper.dev. "
        "Pages are read by r.jina.ai.",
    ),
]


@pytest.mark.parametrize(("given", "said"), SENT)
@pytest.mark.usefixtures("store")
def test_everyone_that_text_is_sent_to_is_named(given: dict[str, Any], said: str) -> None:
    choice = engine_offers(load_settings(**given, openai={"api_key": KEY}, local={"model": "llama"}))
    assert choice.offers[1].sends == said
    assert {choice.offers[0].settings.provider(agent) for agent in AGENTS} == {"offline"}


# -- a session on a model ------------------------------------------------------------------------------------


def test_a_key_goes_to_its_server_and_nowhere_else(
    store: SessionStore, refusing: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    page = choose_local(Page(), refusing)
    write_task(page)
    page.press("Run")
    wait_until(page, lambda: "<b>failed</b>" in page.markup)
    assert "does not accept the key; check “Local server: key”" in page.messages
    (session_id,) = store.ids()
    for shown in (page.everything, Page(run=session_id).everything, caplog.text):
        assert KEY not in shown
    files = "".join(path.read_text() for path in (store.folder / session_id).rglob("*") if path.is_file())
    assert "does not accept the key" in files
    assert KEY not in files
    assert KEY not in export_session(list(get_server().events(session_id)))


def test_a_session_that_failed_goes_on_with_what_was_changed_in_settings(store: SessionStore, refusing: str) -> None:
    page = choose_local(Page(), refusing)
    write_task(page)
    page.press("Run")
    wait_until(page, lambda: "<b>failed</b>" in page.markup)
    page.go("settings").press("Reset to the environment’s settings")
    page.test.query_params["run"] = store.ids()[0]
    page.go("session")
    assert "The session started with local llama" in page.messages
    assert "it continues with the embedded engine" in page.messages
    page.press("Continue")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)


def test_a_session_may_be_started_on_the_embedded_engine_all_the_same(store: SessionStore, refusing: str) -> None:
    page = choose_local(Page(), refusing)
    write_task(page)
    page.test.radio(key="engine").set_value(0)
    page.press("Run")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    assert "Language models" not in "".join(fold.label for fold in page.test.expander)


# -- going on ------------------------------------------------------------------------------------------------

LLAMA, MINI = EngineChoice(provider="local", model="llama"), EngineChoice(provider="openai", model="gpt-4o-mini")
ON_LLAMA: dict[str, Any] = {"llm_provider": "local", "local": {"model": "llama"}}


@pytest.mark.parametrize(
    ("began", "given", "provider", "said"),
    [
        ([OFFLINE], ON_LLAMA, "offline", ""),
        ([OFFLINE, LLAMA], {**ON_LLAMA, "react": {"provider": "offline"}}, "local", ""),
        (
            [MINI],
            ON_LLAMA,
            "local",
            "The session started with openai gpt-4o-mini. With your settings it continues with llama at",
        ),
        ([LLAMA], {}, "offline", "it continues with the embedded engine"),
        ([LLAMA], {"llm_provider": "openai"}, "openai", "OpenAI: key must be"),
    ],
    ids=["embedded stays embedded", "the same models", "another model", "no model any more", "no key"],
)
@pytest.mark.usefixtures("store")
def test_a_session_goes_on_as_it_began_or_says_what_changes(
    began: list[EngineChoice], given: dict[str, Any], provider: str, said: str
) -> None:
    settings, words = resume_settings(began, load_settings(**given))
    assert settings.provider("planning") == provider
    assert said in words
    assert bool(said) == bool(words)


# -- what a model does, on the session page ------------------------------------------------------------------


def model_events() -> list[Event]:
    """A session on models, with a step on another one than before."""
    asked = ModelCall(provider="local", model="llama", prompt_tokens=1200, completion_tokens=30, milliseconds=1500)
    judged = make_called("analysis/n1").model_copy(
        update={
            "agent": "analysis",
            "calls": (asked.model_copy(update={"cost_usd": 0.5}),),
            "usage": Usage(calls=1, prompt_tokens=1200, completion_tokens=30, cost_usd=0.5, seconds=1.5),
            "remarks": (Remark(kind="left_out", what="2 candidates left out"),),
        }
    )
    turn = StepTurn(messages=(Message(role="assistant", content="1970"),), calls=(asked,))
    return [
        *every_event()[:-1],
        judged,
        *(TextStreamed(task_id="t2", text=f"piece {number} ") for number in range(50)),
        TurnTaken(task_id="t2", number=1, turn=turn, usage=Usage.of(turn.calls)),
        StatusChanged(status="finished"),
    ]


def test_usage_is_shown_for_each_agent_and_an_unknown_price_is_said(keep: Keep) -> None:
    page = Page(run=keep("model", model_events()))
    assert any(fold.label.startswith("Language models (") for fold in page.test.expander)
    page.unfold("fold-usage")
    rows = page.markup.partition('<table class="mb-table">')[2].partition("</table>")[0].split("<tr>")
    (react,) = (row for row in rows if ">react<" in row)
    (analysis,) = (row for row in rows if ">analysis<" in row)
    assert "openai gpt-4o-mini<br>local llama" in react
    assert "<td>2</td><td>1,290</td><td>39</td><td>2.2</td><td>cost unknown</td>" in react
    assert "<td>0.50 $</td>" in analysis
    assert "cost unknown" in rows[-1], "a sum with an unknown part is unknown"


def test_events_of_a_model_are_told_and_pieces_of_speech_are_not(keep: Keep) -> None:
    events = model_events()
    page = Page(run=keep("model", events))
    told = sum(event.type != "text_streamed" for event in events)
    assert any(fold.label == f"Events ({told})" for fold in page.test.expander)
    feed = page.unfold("fold-events").markup
    assert "2 candidates left out" in feed
    assert "Step t2, turn 1: answered" in feed
    assert "piece" not in page.markup


def test_a_session_without_calls_shows_no_usage(keep: Keep) -> None:
    page = Page(run=keep("offline", [make_created(), StatusChanged(status="finished")]))
    assert not any(fold.label.startswith("Language models") for fold in page.test.expander)


def say(text: str) -> str:
    """What the page shows of what is being said."""

    def script(text: str) -> None:
        from components import turns

        turns.draw_speech(text)

    test = AppTest.from_function(script, args=(text,)).run()
    return "".join(element.proto.body for element in test.get("html"))


def test_what_is_being_said_is_plain_text_and_its_newest_part() -> None:
    assert say(" \n") == ""
    assert "<img" not in say(EVIL)
    assert "&lt;img" in say(EVIL)
    long = say("begin " + "word " * 500 + "end")
    assert "begin" not in long
    assert "end</div>" in long
