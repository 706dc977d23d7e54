"""Messages in JSON become a chat, and other records stay records."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.messages import chat_of
from tests.documents.conftest import Read
from tests.documents.test_chat import assert_tiled

NOON = datetime.fromisoformat("2023-05-08 13:56")
ROLES = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}]


def timed(name: str, text: str, when: str, *times: object, **more: object) -> list[dict[str, Any]]:
    return [{name: who, text: f"I am {who}", when: time, **more} for who, time in zip("ABA", times, strict=True)]


TIMED = {
    "ISO": timed("speaker", "text", "time", "2023-05-08T13:56:00Z", "2023-05-08 13:56", "2023-05-08T13:56:00.5+00:00"),
    "seconds": timed("from", "text", "date", 1683554160, "1683554160", 1683554160.25),
    "milliseconds": timed("author", "body", "created_at", 1683554160000, 1683554160001, "1683554160002"),
    "Slack": timed("user", "text", "ts", "1683554160.000100", "1683554160.000200", "1683554160.1"),
    "ids beside": timed("name", "message", "timestamp", *["2023-05-08T13:56:00"] * 3, id="77", reactions=[]),
}


@pytest.mark.parametrize("form", TIMED)
def test_names_texts_and_times_are_found_under_their_usual_keys(form: str, read: Read) -> None:
    document = read(json.dumps(TIMED[form]), "chat.json")
    assert [(turn.speaker, turn.at) for turn in document.turns] == [(who, NOON.isoformat()) for who in "ABA"]
    assert document.text == "\n".join(f"[2023-05-08 13:56] {who}: I am {who}" for who in "ABA")


@pytest.mark.parametrize(
    "value",
    [
        ROLES,
        {"messages": ROLES},
        {"title": "Greeting", "model": "x", "messages": ROLES},
        [{"conversation": ROLES}],
        {"data": None, "conversations": [{"id": 1, "messages": ROLES}]},
    ],
)
def test_lists_of_messages_are_found_where_they_are_nested(value: object, read: Read) -> None:
    document = read(json.dumps(value), "chat.json")
    assert document.text == "user: Hello\nassistant: Hi"
    assert [document.text[turn.said : turn.end] for turn in document.turns] == ["Hello", "Hi"]
    assert document.title == ("Greeting" if isinstance(value, dict) and "title" in value else None)


def test_json_lines_are_messages_or_conversations(read: Read) -> None:
    messages = "\n".join(json.dumps(message) for message in ROLES)
    assert read(messages, "chat.jsonl").text == "user: Hello\nassistant: Hi"
    talks = "\n".join(json.dumps({"messages": ROLES}) for _ in range(2))
    document = read(talks, "chat.jsonl")
    assert document.text == "user: Hello\nassistant: Hi\n\nuser: Hello\nassistant: Hi"
    assert [turn.sitting for turn in document.turns] == [0, 0, 1, 1]


def test_notices_are_left_out_and_words_beside_the_text_are_kept(read: Read) -> None:
    chat = [{"from": {"name": who}, "text": ["See ", {"type": "link", "text": "this"}]} for who in "ABABABABABAB"]
    chat[3]["caption"] = "a red kettle"
    document = read(json.dumps({"messages": [{"type": "service", "action": "joined"}, *chat]}), "chat.json")
    assert len(document.turns) == 12
    assert document.text[document.turns[3].said : document.turns[3].end] == "See this\ncaption: a red kettle"


FALSE_FRIENDS: dict[str, object] = {
    "settings": {"name": "mill", "text": "x", "port": 80},
    "articles": [{"author": who, "title": "On mills", "text": "I mill."} for who in "ABAB"],
    "long articles": [{"author": who, "content": "I mill. " * 200, "date": "2023-05-08"} for who in "ABAB"],
    "reviews": [{"author": who, "text": "I like it.", "date": "2023-05-08"} for who in "ABCDEF"],
    "one voice": [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Hello?"}],
    "numbers": [1, 2, 3],
    "addresses": [{"name": who, "message": "x", "city": "Bonn"} for who in "ABAB"],
    "half of them": [*ROLES, {"a": 1}, {"b": 2}],
    "nothing": [],
    "an empty list": {"messages": []},
    "very deep": json.loads('{"messages": [' * 30 + json.dumps(ROLES[0]) + "]}" * 30),
}


@pytest.mark.parametrize("kind", FALSE_FRIENDS)
def test_other_records_are_no_chat(kind: str, read: Read) -> None:
    value = FALSE_FRIENDS[kind]
    assert chat_of(value if isinstance(value, list) else [value], "a.json", "application/json") is None


def test_a_day_without_a_time_is_a_day(read: Read) -> None:
    document = read(json.dumps(timed("speaker", "text", "date", "2023-05-08", "2023-05-08", "31 May")), "chat.json")
    assert [turn.at for turn in document.turns] == ["2023-05-08", "2023-05-08", None]
    assert document.text.startswith("[2023-05-08] A: I am A\n")


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.text(max_size=12), st.integers().map(str)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["role", "content", "text", "from", "messages", "date", "x"]), inner, max_size=4
        ),
    ),
    max_leaves=20,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": VALUES}, optional={"date": VALUES, "note": VALUES}
)


@given(st.one_of(st.lists(VALUES, max_size=4), st.lists(MESSAGES, max_size=6)))
def test_whatever_json_holds_the_turns_lie_in_the_text(values: list[object]) -> None:
    document = chat_of(values, "a.json", "application/json")
    if document is not None:
        edges = [edge for turn in document.turns for edge in (turn.start, turn.said, turn.end)]
        assert edges == sorted(edges)
        assert document.text[edges[-1] :] == "" or document.text[edges[-1] :].startswith("\n\n")
        assert_tiled(document.text, document.turns)


BESIDE: dict[str, tuple[object, str]] = {
    "notes": ({"messages": ROLES, "notes": "The mill closed in 1968."}, "notes: The mill closed in 1968."),
    "Chinese": ({"messages": ROLES, "notes": "磨坊已经关闭"}, "notes: 磨坊已经关闭"),
    "a second list": (
        {"messages": ROLES, "history": [{"x": {"y": "It was a dry year."}}]},
        "history[0].x.y: It was a dry year.",
    ),
    "no message": ([*ROLES * 5, {"action": "Ada left us"}], "action: Ada left us"),
    "a title below": (
        [{"title": "Of old mills", "messages": ROLES}, {"title": "Of dams", "messages": ROLES}],
        "title: Of old mills\n\ntitle: Of dams",
    ),
}


@pytest.mark.parametrize("what", BESIDE)
def test_what_stands_beside_messages_is_written_below_them(what: str, read: Read) -> None:
    value, below = BESIDE[what]
    document = read(json.dumps(value), "chat.json")
    assert document.text[document.turns[-1].end :] == f"\n\n{below}"


def test_what_a_model_asks_for_in_place_of_a_text_is_what_it_says(read: Read) -> None:
    call = {"function": {"name": "look_up", "arguments": '{"place":"Bonn"}'}}
    part = {"type": "tool_use", "input": {"query": "mills of Bonn"}}
    asked = [*ROLES, {"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "user", "content": [part]}]
    document = read("\n".join(map(json.dumps, asked)), "chat.jsonl")
    assert [document.text[turn.said : turn.end] for turn in document.turns[2:]] == [
        'tool_calls[0].function.name: look_up; tool_calls[0].function.arguments: {"place":"Bonn"}',
        "type: tool_use\ninput.query: mills of Bonn",
    ]


def test_what_only_says_the_text_again_is_not_kept(read: Read) -> None:
    text = "We met at the mill."
    chat = [{"from": who, "text": text, "text_entities": [{"type": "plain", "text": text}]} for who in "ABAB"]
    assert read(json.dumps({"messages": chat}), "chat.json").text == "\n".join(f"{who}: {text}" for who in "ABAB")
