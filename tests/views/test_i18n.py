from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memory_bank.app.demo import load_demo
from memory_bank.bank.errors import MemoryBankError, SettingsError
from memory_bank.bank.events import (
    EVENT,
    AgentCalled,
    AgentFailed,
    ConflictDecided,
    ConflictOpened,
    Event,
    NodesMerged,
    Notice,
    PlanUpdated,
    SourceIngested,
    SourceRefused,
    StatusChanged,
    TurnTaken,
)
from memory_bank.bank.settings import load_settings
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from memory_bank.text.wording import Wording, counted, format_list, restored, stored
from memory_bank.views.event_formatting import describe
from memory_bank.views.i18n import Translator, translator
from tests.builders import every_event
from tests.scripted_model import ScriptedModel
from tests.session import test_models

ENGLISH, CHINESE = translator("en"), translator("zh")


# -- interface texts -----------------------------------------------------------------------------------------


def test_a_text_is_said_with_its_values() -> None:
    assert ENGLISH.say("Open node {node}", node="n4") == "Open node n4"
    assert CHINESE.say("Open node {node}", node="n4") == "打开节点 n4"


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    assert ENGLISH.say("Open node {node}", node="{node} {0}") == "Open node {node} {0}"


def test_a_text_without_a_translation_is_said_in_english() -> None:
    assert CHINESE.say("Nobody says {this}.", this="that") == "Nobody says that."


@pytest.mark.parametrize(("number", "said"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (1500, "1,500 nodes")])
def test_a_number_chooses_its_form(number: int, said: str) -> None:
    assert ENGLISH.say_n("{n} node", "{n} nodes", number) == said
    assert CHINESE.say_n("{n} node", "{n} nodes", number) == f"{number:,} 个节点"


@pytest.mark.parametrize(
    ("things", "english", "chinese"),
    [([], "", ""), (["a"], "a", "a"), (["a", "b"], "a and b", "a 和 b"), (["a", "b", "c"], "a, b and c", "a, b 和 c")],
)
def test_things_are_listed(things: list[str], english: str, chinese: str) -> None:
    assert ENGLISH.listed(things) == english
    assert CHINESE.listed(things) == chinese


@pytest.mark.parametrize("event", every_event(), ids=lambda event: event.type)
def test_every_event_has_its_line_in_chinese(event: Event) -> None:
    assert describe(event, CHINESE) != describe(event) or event.type == "notice"


# -- texts of the log ----------------------------------------------------------------------------------------


def test_a_text_of_ours_is_said_anew_with_its_content_as_it_is() -> None:
    text = Wording(
        "Verify {conflict} ({nodes}): {description}",
        conflict="x1",
        nodes=format_list(["n1", "n3"]),
        description="it is empty",
    )
    assert text == "Verify x1 (n1 and n3): it is empty"
    assert ENGLISH.recorded(text) == text
    assert CHINESE.recorded(text) == "核实 x1（n1 和 n3）：it is empty"


def test_a_text_keeps_only_the_values_that_it_shows() -> None:
    text = Wording("Read {file}", file="notes.md", more="unused")
    assert restored(stored(text)) == text == "Read notes.md"


def test_a_text_within_a_text_is_said_anew() -> None:
    text = Wording("No answer could be given: {reason}", reason=Wording("it has no pages"))
    assert CHINESE.recorded(text) == "无法给出答案：文件没有页面"


@pytest.mark.parametrize(("number", "english", "chinese"), [(1, "1 page", "1 页"), (2000, "2,000 pages", "2,000 页")])
def test_a_number_of_ours_chooses_its_form(number: int, english: str, chinese: str) -> None:
    text = counted("{n} page", "{n} pages", number)
    assert (text, CHINESE.recorded(text)) == (english, chinese)


@pytest.mark.parametrize("text", ["", "it is empty", "first", "Read notes.md", "n1 and n2"])
def test_what_anybody_else_says_stays_as_it_is_whatever_its_words(text: str) -> None:
    assert CHINESE.recorded(text) == text
    assert CHINESE.recorded(Wording("Read {file}", file=text)) == f"读取 {text}"


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_any_template_is_safe(template: str, values: dict[str, str]) -> None:
    assert isinstance(CHINESE.recorded(Wording(template, **values)), str)


@given(st.text())
def test_a_text_of_ours_is_the_same_when_read_again(content: str) -> None:
    text = Wording("No answer could be given: {reason}", reason=Wording("it is damaged ({detail})", detail=content))
    notice = EVENT.validate_json(Notice(message=text).model_dump_json())
    assert isinstance(notice, Notice)
    assert notice == Notice(message=text)
    assert CHINESE.recorded(notice.message) == f"无法给出答案：文件已损坏（{content}）"
    assert CHINESE.recorded(pickle.loads(pickle.dumps(text))) == CHINESE.recorded(text)  # noqa: S301 - made here


@pytest.mark.parametrize(
    "wordings",
    [
        [],
        "message",
        {"message": "it is empty"},
        {"message": {"template": "another text", "values": {}}},
        {"message": {"template": "it is {what}", "values": {}}},
        {"message": {"template": "it is empty", "values": {"more": "x"}}},
        {"message": {"template": "it {verb} {what}", "values": {"verb": "is", "what": 1}}},
        {"message": {"template": ["it is empty"], "values": {}}},
        {"message": {"template": "{a}{a}", "values": {"a": "it is empty"}}},
        {"reason": {"template": "it is empty", "values": {}}},
    ],
)
def test_a_text_of_ours_that_is_none_is_refused(wordings: object) -> None:
    with pytest.raises(ValidationError):
        Notice.model_validate({"message": "it is empty", "wordings": wordings})


def test_a_text_recorded_before_texts_had_templates_is_shown_as_recorded() -> None:
    assert describe(Notice.model_validate({"message": "it is empty"}), CHINESE) == "it is empty"


# -- real sessions -------------------------------------------------------------------------------------------


def recorded_texts(session: Session, *, engine: bool = True) -> Iterator[str]:
    """The texts that the package wrote into a session and a person sees; with `engine` those of judgements too."""
    goal = session.bank.insight_doc.task_goal
    for event in session.events:
        yield from (text for text in _of_loop(event) if text)
        if engine:
            yield from (text for text in _of_engine(event, goal) if text)


def _of_loop(event: Event) -> Iterator[str]:
    match event:
        case StatusChanged():
            yield event.reason
        case SourceIngested():
            yield from (event.task.description, event.task.context)
        case SourceRefused(task=task):
            yield event.reason
            yield from (task.description, task.context) if task else ()
        case Notice():
            yield event.message
        case AgentFailed():
            yield event.error
        case AgentCalled():
            yield from (remark.what for remark in event.remarks)
        case TurnTaken():
            yield from (remark.what for remark in event.turn.remarks)


def _of_engine(event: Event, goal: str) -> Iterator[str]:
    match event:
        case ConflictOpened():
            yield event.conflict.description
        case ConflictDecided():
            yield event.verification.reason
        case NodesMerged():
            yield event.merge.description
        case PlanUpdated(completed=completed, current=current):
            if completed is not None and completed.description != goal:
                yield from (completed.description, completed.context)
            if current is not None and current.description != goal:
                yield current.description


def unknown(texts: Iterator[str]) -> list[str]:
    return [text for text in texts if CHINESE.recorded(text) == text or not _CHINESE.search(CHINESE.recorded(text))]


_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def offline(folder: Path, task: str, documents: list[Upload], sources: tuple[Upload, ...] = ()) -> Session:
    settings = load_settings(embedding_model="hash")
    return Session.create(task, documents, sources, settings=settings, sessions=folder)


@pytest.mark.slow
def test_everything_that_the_demo_records_is_known(tmp_path: Path) -> None:
    demo = load_demo()
    session = offline(tmp_path, demo.task, list(demo.documents), demo.sources)
    list(session.run())
    texts = list(recorded_texts(session))
    assert len(texts) > 10
    assert unknown(iter(texts)) == []
    assert not any(" and n" in CHINESE.recorded(text) for text in texts)


REFUSED = {
    "empty.txt": b"",
    "picture.png": b"\x89PNG\r\n\x1a\n",
    "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
    "text.rtf": b"{\\rtf1 }",
    "archive.gz": b"\x1f\x8b\x08\0",
    "broken.json": b'{"a": ',
    "broken.pdf": b"%PDF-1.4 nothing",
    "blank.md": b"<!-- -->",
}


def test_every_refusal_is_known(tmp_path: Path) -> None:
    session = offline(tmp_path, "What is in them?", [Upload(name, data) for name, data in REFUSED.items()])
    list(session.run())
    assert sum(isinstance(event, SourceRefused) for event in session.events) >= len(REFUSED) - 1
    assert unknown(recorded_texts(session)) == []


@pytest.mark.parametrize("stop", [Session.pause, Session.cancel])
def test_a_pause_and_an_end_are_known(tmp_path: Path, stop: Callable[[Session], None]) -> None:
    session = offline(tmp_path, "When?", [Upload("a.txt", b"The dam was finished in 1970.")])
    for event in session.run():
        if event.type == "source_read":
            stop(session)
    assert session.events[-1].type == "status_changed"
    assert unknown(recorded_texts(session)) == []


def failing(status: int) -> Callable[[dict[str, Any]], Any]:
    return lambda _asked: httpx2.Response(status, json={"error": {"message": "no"}})


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], dict[str, Any]]] = {
    **{f"status {status}": (failing(status), {}) for status in (301, 400, 401, 402, 403, 404, 429, 500, 503)},
    "timeout": (lambda _: httpx2.ReadTimeout("slow"), {}),
    "unreachable": (lambda _: httpx2.ConnectError("refused"), {}),
    "no JSON": (lambda _: "I would rather talk about the weather.", {}),
    "nothing": (lambda _: "", {}),
    "other fields": (lambda _: json.dumps({"weather": "fine"}), {}),
    "tokens": (test_models.competent_model.reply, {"max_total_tokens": 300}),
    "money": (test_models.competent_model.reply, {"max_cost_usd": 0.0001}),
    "steps": (test_models.competent_model.reply, {"max_steps": 1}),
    "calls": (test_models.competent_model.reply, {"max_llm_call_per_run": 1}),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_goes_wrong_with_a_model_is_known(tmp_path: Path, case: str) -> None:
    reply, limits = WRONG[case]
    session = test_models.begin(tmp_path, ScriptedModel(reply), **limits)
    with suppress(MemoryBankError):  # it is recorded as the session's end
        list(session.run())
    assert unknown(recorded_texts(session, engine=False)) == []


@pytest.mark.parametrize(
    "given",
    [
        {"openai": {"base_url": "nowhere"}},
        {"openai": {"api_key": "ключ"}},
        {"max_total_tokens": 0},
        {"max_total_tokens": "many"},
        {"max_cost_usd": 0},
        {"react": {"temperature": 9}},
        {"react": {"model": ""}},
    ],
)
def test_what_a_setting_may_be_is_known(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(**given)
    assert CHINESE.recorded(refused.value.allowed) != refused.value.allowed
    assert CHINESE.recorded(str(refused.value)) != str(refused.value)


def test_a_language_without_a_catalogue_is_english() -> None:
    assert Translator("en").say("Save") == "Save"
