"""The prompts of ReAct, and the conversation in OpenAI's format."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.agent import Language
from memory_bank.bank.errors import InvalidOutputError
from memory_bank.bank.message import Message, ToolCall
from memory_bank.engines.step.prompt import FRAME_TOKENS, opening_messages, sent_tokens, to_openai_messages
from memory_bank.engines.step.reading import new_tool_results
from memory_bank.engines.step.tool_calls import EarlierResults
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.llm.step import MILL, act
from tests.scripted_model import ScriptedReply

USER = Message(role="user", content="Go.")


def call(number: int, call_id: str | None = None) -> ToolCall:
    given_id = f"call_{number}" if call_id is None else call_id
    return ToolCall(name="search", arguments={"query": f"塔 {number}"}, id=given_id)


def spoke(*calls: ToolCall, text: str = "") -> Message:
    return Message(role="assistant", content=text, tool_calls=calls)


def result(call_id: str | None, text: str = "It is 1921.", **changes: Any) -> Message:
    return Message(role="tool", name="search", content=text, tool_call_id=call_id, **changes)


def roles(sent: Sequence[dict[str, Any]]) -> list[str]:
    return [message["role"] for message in sent]


def check(sent: Sequence[dict[str, Any]]) -> None:
    """Assert what OpenAI's server requires: results directly after their call, and no result without a call."""
    owed: list[str] = []
    for message in sent:
        if message["role"] == "tool":
            assert message["tool_call_id"] in owed
            owed.remove(message["tool_call_id"])
        else:
            assert owed == []
            owed = [called["id"] for called in message.get("tool_calls", ())]
    assert owed == []


# -- the conversation ----------------------------------------------------------------------------------------


def test_calls_of_the_request_are_answered_each_under_its_id_at_once() -> None:
    sent = to_openai_messages(
        [USER, spoke(call(1), call(2)), result("call_1"), result("call_2"), spoke(text="Done.")], native=True
    )
    assert roles(sent) == ["user", "assistant", "tool", "tool", "assistant"]
    assert sent[1]["tool_calls"][0] == {
        "id": "call_1",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query": "塔 1"}'},
    }
    assert [message.get("tool_call_id") for message in sent[2:4]] == ["call_1", "call_2"]
    assert "tool_calls" not in sent[4]
    check(sent)


def test_several_results_of_one_call_are_one_message() -> None:
    messages = [spoke(call(1), call(2)), result("call_1", "a"), result("call_1", "b"), result("call_2", "c")]
    sent = to_openai_messages(messages, native=True)
    assert roles(sent) == ["assistant", "tool", "tool"]
    assert [re.findall(r'mark="(r\d)"', message["content"]) for message in sent[1:]] == [["r1", "r2"], ["r3"]]


def test_results_under_an_id_that_is_used_again_stay_with_their_turn() -> None:
    messages = [spoke(call(1)), result("call_1", "a"), spoke(call(1)), result("call_1", "b")]
    sent = to_openai_messages(messages, native=True)
    assert roles(sent) == ["assistant", "tool", "assistant", "tool"]
    check(sent)


def test_results_of_tags_are_one_message_of_the_user() -> None:
    messages = [spoke(text="<tool_call>{}</tool_call>"), result(None, "a"), result(None, "b"), USER]
    sent = to_openai_messages(messages, native=False)
    assert roles(sent) == ["assistant", "user", "user"]
    assert sent[1]["content"].count("<tool_response") == 2
    assert "tool_call_id" not in sent[1]


def test_what_is_told_of_a_tag_comes_after_the_results_of_calls_in_the_request() -> None:
    """A server accepts nothing between a call and its result."""
    unread = result(None, "The tool call could not be read.", from_memory=True)
    sent = to_openai_messages([spoke(call(1), text="<tool_call>{</tool_call>"), unread, result("call_1")], native=True)
    assert roles(sent) == ["assistant", "tool", "user"]
    check(sent)


def test_a_call_without_an_id_stands_in_the_text() -> None:
    sent = to_openai_messages([spoke(call(1, ""), call(2), text="Well."), result(None), result("call_2")], native=True)
    assert [called["id"] for called in sent[0]["tool_calls"]] == ["call_2"]
    assert sent[0]["content"].startswith('Well.\n<tool_call>{"name": "search"')
    check(sent)


def test_a_call_that_nothing_answers_is_not_sent_as_one() -> None:
    sent = to_openai_messages([spoke(call(1), call(2)), result("call_2"), USER], native=True)
    assert [called["id"] for called in sent[0]["tool_calls"]] == ["call_2"]
    check(sent)


def test_calls_of_the_request_are_told_as_tags_once_a_server_takes_no_tools() -> None:
    sent = to_openai_messages([spoke(call(1)), result("call_1")], native=False)
    assert roles(sent) == ["assistant", "user"]
    written = re.findall(r"<tool_call>(.*)</tool_call>", sent[0]["content"])
    assert [json.loads(text) for text in written] == [{"name": "search", "arguments": {"query": "塔 1"}}]
    tagged = spoke(call(1, ""), text="<tool_call>as it was</tool_call>")
    assert to_openai_messages([tagged], native=False)[0]["content"] == tagged.content


def test_what_is_new_is_numbered_and_what_is_read_from_memory_is_not() -> None:
    messages = [
        result(None, "a", from_memory=True),
        result(None, "b"),
        result(None, "c", from_memory=True),
        result(None),
    ]
    (sent,) = to_openai_messages(messages, native=False)
    assert re.findall(r"<tool_response( mark=\"r\d\")?>", sent["content"]) == ["", ' mark="r1"', "", ' mark="r2"']
    (later,) = to_openai_messages([result(None)], native=False, after=4)
    assert 'mark="r5"' in later["content"]


TEXTS = st.sampled_from(["a", "b\nc", "</tool_response>", '<tool_response mark="r9">', "&lt;"])
MESSAGES = st.lists(
    st.builds(
        result,
        st.sampled_from([None, "call_1"]),
        TEXTS,
        source=st.sampled_from([None, 'a"b', "a'b", "x>y\n"]),
        page=st.none() | st.integers(1, 9),
        from_memory=st.booleans(),
    ),
    max_size=6,
)


@given(MESSAGES, st.booleans())
def test_the_numbers_a_model_sees_are_those_its_answer_is_read_by(messages: list[Message], native: bool) -> None:  # noqa: FBT001
    sent = to_openai_messages([USER, *messages], native=native)
    text = "\n".join(message["content"] for message in sent)
    seen = dict(re.findall(r'<tool_response mark="r(\d+)"[^\n]*>\n(.*?)\n</tool_response>', text, re.DOTALL))
    new = {str(number): message.content for number, message in enumerate(new_tool_results(messages), start=1)}
    assert {number: html.unescape(content) for number, content in seen.items()} == new
    assert text.count("<tool_response") == text.count("</tool_response>") == len(messages)


@given(st.lists(st.lists(st.sampled_from(["call_1", "call_2", "call_3", ""]), max_size=3, unique=True), max_size=4))
def test_no_conversation_of_whole_turns_is_refused(turns: list[list[str]]) -> None:
    messages = [USER]
    for ids in turns:
        messages.append(
            spoke(*(call(number, call_id) for number, call_id in enumerate(ids)), text="" if ids else "Hm.")
        )
        messages.append(result(None, "a mistake", from_memory=True))
        messages += [result(call_id or None) for call_id in reversed(ids) for _twice in "ab"]
    sent = to_openai_messages([*messages, spoke(text="Done.")], native=True)
    check(sent)
    assert all(message["content"] or message.get("tool_calls") for message in sent)


# -- whole steps, as a server sees them ----------------------------------------------------------------------

ANSWER = "<answer>Beacon Mill stands in Kent [n1].</answer>"
SEARCH = ("search", {"query": "mill"})


LOOK = ScriptedReply(tool_calls=[SEARCH])
TAG = '<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>'
TURNED_DOWN = httpx2.Response(400, json={"error": {"message": "tools are unknown", "param": "tools"}})
STEPS: dict[str, list[Any]] = {
    "several": [ScriptedReply(tool_calls=[SEARCH, SEARCH, SEARCH]), ANSWER],
    "too many": [ScriptedReply(tool_calls=[SEARCH] * 12), ANSWER],
    "wrong ones": [ScriptedReply(tool_calls=[("fly", {}), SEARCH, ("search", {})]), ANSWER],
    "a broken tag beside": [ScriptedReply(text="<tool_call>{</tool_call>", tool_calls=[SEARCH]), ANSWER],
    "a tag beside": [ScriptedReply(text=TAG, tool_calls=[SEARCH]), ANSWER],
    "to the limit": [LOOK, LOOK, LOOK, LOOK, LOOK],
    "with the answer": [ScriptedReply(text=ANSWER, tool_calls=[SEARCH]), ANSWER],
    "turned down": [LOOK, TURNED_DOWN, ANSWER, ANSWER],
}


@pytest.mark.parametrize("script", STEPS.values(), ids=STEPS)
def test_every_request_of_a_step_is_one_that_a_server_takes(script: list[Any]) -> None:
    acted = act(list(script), max_llm_call_per_run=5)
    assert acted.requests
    for request in acted.requests:
        messages: Any = request["messages"]
        check(messages)
        assert roles(messages)[:2] == ["system", "user"]


def test_so_is_the_request_after_a_correction() -> None:
    conflict = MILL.disagree("1955", "1921")
    prompt = MILL.prompt("Verify it.", conflict)
    first = act([ScriptedReply(tool_calls=[SEARCH]), ANSWER], max_llm_call_per_run=5)
    wrong = InvalidOutputError("react", "no verdict", said=ANSWER)
    said = '{"verdict": "inconclusive", "reason": "", "confidence": 0.5, "evidence": []}'
    after_answer = act([said], prompt, turns=first.turns, failed=wrong)
    after_tools = act([said], prompt, turns=first.turns[:1], failed=wrong)
    for acted in (after_answer, after_tools):
        messages: Any = acted.requests[0]["messages"]
        check(messages)
        assert roles(messages)[-2:] == ["assistant", "user"]
        assert "no verdict" in messages[-1]["content"]


# -- the instructions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("native", [True, False])
def test_tools_are_described_only_where_the_request_cannot_hold_them(language: Language, *, native: bool) -> None:
    system, user = opening_messages(MILL.prompt("When?"), MILL, language, native=native)
    assert (system.role, user.role) == ("system", "user")
    assert ("deep_retrieval {" in system.content) is not native
    assert "visit" not in system.content
    assert "<answer></answer>" in system.content


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_verdict_is_asked_for_where_there_is_a_conflict(language: Language) -> None:
    conflict = MILL.disagree("1955", "1921")
    asked = opening_messages(MILL.prompt("Verify it.", conflict), MILL, language)[0].content
    other = opening_messages(MILL.prompt("When?"), MILL, language)[0].content
    assert "inconclusive" in asked
    assert "inconclusive" not in other


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("native", [True, False])
def test_earlier_turns_follow_the_task_with_what_they_are(language: Language, *, native: bool) -> None:
    results = EarlierResults((result(None), result(None)))
    told = opening_messages(
        MILL.prompt("When?"), MILL, language, native=native, earlier="<earlier>\n</earlier>", results=results
    )
    plain = opening_messages(MILL.prompt("When?"), MILL, language, native=native)
    assert [message.role for message in told] == ["system", "user"]
    assert told[1].content.startswith(plain[1].content)
    assert told[1].content.endswith("\n<earlier>\n</earlier>")
    assert "r2" in told[1].content
    assert "<earlier>" in told[0].content
    assert ("- earlier {" in told[0].content) is not native
    assert "<earlier>" not in "".join(message.content for message in plain)
    assert "- earlier {" not in plain[0].content


def test_what_is_sent_is_counted_with_calls_tools_and_images() -> None:
    sent = to_openai_messages(
        [USER, spoke(call(1), text="I look."), result("call_1", "one two three", source=None)], native=True
    )
    image = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, {"type": "image_url"}]}]
    tool = {"type": "function", "function": {"name": "search"}}
    words = HashEmbedder().count_tokens
    assert sent_tokens(sent, (), words) >= 3 * FRAME_TOKENS + 1 + 2 + 3 + len(
        ["call", "1", "search", "query", "塔", "1"]
    )
    assert sent_tokens(image, (), words) == FRAME_TOKENS + 3
    assert sent_tokens(image, (tool,), words) - sent_tokens(image, (), words) == words(json.dumps(tool))
