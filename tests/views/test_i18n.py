from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.app.demo import load_demo
from memory_bank.bank.errors import MemoryBankError, SettingsError
from memory_bank.bank.events import (
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
from memory_bank.bank.settings import AGENTS as ALL_AGENTS
from memory_bank.bank.settings import load_settings
from memory_bank.engines.client.scripted_model import ScriptedModel
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from memory_bank.views.event_formatting import describe
from memory_bank.views.i18n import PLACEHOLDER, Translator, translator
from memory_bank.views.recorded_words import AGENTS, ATTRIBUTES, SHAPES, TEXTS
from tests.builders import every_event
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("paused by the person", "由用户暂停"),
        ("Read notes.md", "读取 notes.md"),
        ("3 pages, 4 topics.", "3 页，4 个主题。"),
        (
            "Verify x1 (n1 and n3): 1968 against 1970 for the construction of High Dam",
            "核实 x1（n1 和 n3）：High Dam 的建成时间：1968 与 1970 相抵触",
        ),
        ("1 against 2 for the number of big rooms", "big rooms 的数量：1 与 2 相抵触"),
        ("1901 against 1902 for the place of death", "逝世地：1901 与 1902 相抵触"),
        (
            "n1 and n3: 1968 against 1970; verdict second. register.md supports a.md: “It was 1970.”.",
            "n1 和 n3：1968 与 1970 相抵触；裁决：第二条成立。register.md 支持 a.md：“It was 1970.”。",
        ),
        (
            "The budget is spent: 12 of 10 tokens are spent (MAX_TOTAL_TOKENS). The answer is the best so far.",
            "预算已用尽：已用 12 个词元，上限为 10 个（MAX_TOTAL_TOKENS）。所给答案是目前最好的。",
        ),
        (
            "No answer could be given: the budget is spent: 12 of 10 tokens are spent (MAX_TOTAL_TOKENS)",
            "无法给出答案：预算已用尽：已用 12 个词元，上限为 10 个（MAX_TOTAL_TOKENS）",
        ),
    ],
)
def test_a_text_of_the_log_is_said_anew_with_its_content_as_it_is(text: str, said: str) -> None:
    assert CHINESE.recorded(text) == said
    assert ENGLISH.recorded(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Read the first document and compare it with the second.",
        "The villagers voted against the dam in the first year of the works.",
        "It is empty of meaning: it is empty",
        "height",
        "n1 and n2",
        "first",
        "Verify the year (twice): 1968 against 1970",
        "The register says that the dam was completed in 1970.",
    ],
)
def test_what_a_model_or_a_document_says_stays_as_it_is(text: str) -> None:
    assert CHINESE.recorded(text) == text


def test_content_in_a_text_of_the_log_is_not_taken_for_one() -> None:
    assert CHINESE.recorded("x supports it is empty: “there is no text in it”.") == (
        "x 支持 it is empty：“there is no text in it”。"
    )


@given(st.text())
def test_any_text_can_be_one_of_the_log(text: str) -> None:
    for held in (text, f"Read {text}.md", f"{text} against {text}", f"n1: {text}; verdict first. {text}"):
        assert ENGLISH.recorded(held) == held
        assert CHINESE.recorded(held) or not held


def test_a_long_text_made_of_what_templates_are_made_of_is_looked_at_quickly() -> None:
    began = time.perf_counter()
    CHINESE.recorded(" supports : “”; against it: ; verdict first. against for the height of" * 2_000)
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    "text",
    [
        "No answer could be given: " * 500,
        "No answer could be given: " * 300,
        "n1 and n2: n3: " * 500 + "; verdict first. " * 500,
        "The first claim holds. " * 300,
        " against " * 800,
    ],
)
def test_a_hostile_text_within_itself_is_looked_at_only_so_deep(text: str) -> None:
    began = time.process_time()
    assert CHINESE.recorded(text)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("depth", "said"), [(5, "无法给出答案：" * 5 + "文件没有页面"), (6, "无法给出答案：" * 6 + "it has no pages")]
)
def test_a_text_within_texts_is_said_anew_as_deep_as_ours_go(depth: int, said: str) -> None:
    assert CHINESE.recorded("No answer could be given: " * depth + "it has no pages") == said


def test_the_words_of_the_engine_are_all_known() -> None:
    assert set(AGENTS) == set(ALL_AGENTS)


@pytest.mark.parametrize("text", [*TEXTS, *ATTRIBUTES])
def test_a_template_is_found_again_in_what_it_makes(text: str) -> None:
    """Each template is recognised with an example of every placeholder, and no other template matches it."""
    values = {name: _EXAMPLES.get(name, "content") for name in PLACEHOLDER.findall(text)}
    made = text.format(**values)
    said = {name: _CHINESE_EXAMPLES.get(name, held) for name, held in values.items()}
    among = ATTRIBUTES if text in ATTRIBUTES else TEXTS
    assert CHINESE._recorded(made, among) == CHINESE.say(text, **said)


_EXAMPLES = dict.fromkeys(SHAPES, "12") | {
    **dict.fromkeys(("claim", "kind", "session", "error", "file"), "notes.md"),
    "node": "n1",
    "other": "n2",
    "nodes": "n1 and n2",
    "conflict": "x1",
    "step": "t1",
    "verdict": "first",
    "attribute": "height",
    "variable": "OPENAI_API_KEY",
    "other_variable": "OPENAI_MODEL",
    "server": "openai at models.test",
    "reason": "it has no pages",
    "description": "12 against 13",
    "size": "12 pages",
    "newer": "the later statement outweighs the earlier one",
    "read": "1 page, 12 topics.",
}
_CHINESE_EXAMPLES = {
    "nodes": "n1 和 n2",
    "verdict": "第一条成立",
    "attribute": "高度",
    "reason": "文件没有页面",
    "description": "12 与 13 相抵触",
    "size": "12 页",
    "newer": "较晚的说法优先于较早的说法",
    "read": "1 页，12 个主题。",
}


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
    return [text for text in texts if CHINESE.recorded(text) == text]


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
