"""Structured output: the schema sent to a server, and parsing of its reply."""

from __future__ import annotations

import json
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator

from memory_bank.engines.client.structured_output import (
    MAX_ANSWER_CHARACTERS,
    json_object,
    parse_reply,
    schema_of,
    split_reasoning,
)


class Found(BaseModel):
    """One relation."""

    model_config = ConfigDict(extra="forbid")

    node: int = Field(description="the number of the node")
    relation: Literal["conflict", "merge", "unrelated"]
    confidence: float = Field(0.5, ge=0.0, le=1.0)


class Relations(BaseModel):
    relations: list[Found]
    note: str = ""
    best: Found | None = None


class Titled(BaseModel):
    title: str = Field("none", description="what it is called", max_length=80)
    default: int = 1
    properties: list[str] = []


class Weight(BaseModel):
    grams: float

    @field_validator("grams")
    @classmethod
    def _heavy(cls, grams: float) -> float:
        if grams < 0:
            raise ValueError("cannot be less than nothing")
        return grams


class Call(BaseModel):
    name: str
    arguments: dict[str, Any]


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


FOUND = {"node": 3, "relation": "conflict", "confidence": 0.9}
ANSWER = {"relations": [FOUND], "note": "one", "best": None}
TEXT = json.dumps(ANSWER)
VALUE = Relations.model_validate(ANSWER)


# -- the schema ------------------------------------------------------------------------------------------------------


def objects(schema: Any) -> list[dict[str, Any]]:
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    own = [schema] if isinstance(schema, dict) and schema.get("type") == "object" else []
    return own + [found for part in parts for found in objects(part)]


@pytest.mark.parametrize("reply_type", [Relations, Titled, Weight])
def test_every_object_of_a_schema_is_closed_and_whole(reply_type: type[BaseModel]) -> None:
    schema = schema_of(reply_type)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)
    assert "$defs" not in schema
    assert objects(schema)
    for found in objects(schema):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


def test_a_schema_keeps_descriptions_and_drops_what_says_nothing() -> None:
    relations = schema_of(Relations)["properties"]
    assert relations["relations"]["items"]["properties"]["node"] == {
        "type": "integer",
        "description": "the number of the node",
    }
    assert "description" not in relations["relations"]["items"]  # a docstring is for whoever reads the code
    assert relations["note"] == {"type": "string"}


def test_a_field_may_be_called_like_a_keyword_of_schemas() -> None:
    properties = schema_of(Titled)["properties"]
    assert list(properties) == ["title", "default", "properties"]
    assert properties["title"] == {"type": "string", "description": "what it is called"}


@pytest.mark.parametrize("reply_type", [Tree, Call])
def test_what_strict_mode_cannot_say_is_refused(reply_type: type[BaseModel]) -> None:
    with pytest.raises(ValueError, match=r"contains itself|unknown keys"):
        schema_of(reply_type)


def test_a_schema_can_be_changed_without_changing_the_next_one() -> None:
    schema_of(Relations)["properties"].clear()
    assert schema_of(Relations)["properties"]


# -- reasoning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "without", "reasoning"),
    [
        ("plain", "plain", ""),
        ("<think>a</think>b", "b", "a"),
        ("<THINKING>a</Thinking>b", "b", "a"),
        ("\n<think>a</think>\n<think>b</think>c", "\n\nc", "a\nb"),
        ("before <think>a</think> after", "before  after", "a"),
        ("<think>a", "", "a"),
        ("<think>a</think><think>b", "", "a\nb"),
        ("a</think>b", "b", "a"),
        ("<think>a<think>b</think>c</think>d", "d", "a<think>b\nc"),
        ("the <think> tag stays open", "the <think> tag stays open", ""),
        ("", "", ""),
        ('{"a": "<think>x</think>"}', '{"a": "<think>x</think>"}', ""),
        ('so: {"a": "</think>"} <think>x</think>', 'so: {"a": "</think>"} ', "x"),
        ('{"a": "the </think> tag",}', '{"a": "the </think> tag",}', ""),
        ('<think>a</think>```json\n{"a": "the </think> t', '```json\n{"a": "the </think> t', "a"),
        ('<think>try {"a": "</think>"}</think>b', "b", 'try {"a": "</think>"}'),
        ('not {"a": 1}, but</think>{"a": 2}', '{"a": 2}', 'not {"a": 1}, but'),
    ],
)
def test_reasoning_is_told_from_the_answer(text: str, without: str, reasoning: str) -> None:
    assert split_reasoning(text) == (without, reasoning)


# -- the value -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\nThat is all.",
        f"<think>is it {{}}? or {TEXT.replace('0.9', '0.1')}</think>{TEXT}",
        f"it may be {TEXT.replace('0.9', '0.1')}</think>{TEXT}",
        f"As [1] says, of the set {{a, b}}: {TEXT} I hope {{this}} helps [2].",
        f"For instance {{'node': 1}}. My answer: {TEXT}",
        f'For instance {{"relations": [], "note": "", "best": null}}. My answer: {TEXT}',
        f'{TEXT} It might have been {{"relations": []}}, too.',
        f"[{TEXT}]",
        TEXT.replace("}]", "},]"),
        TEXT.replace('"', "'"),
        TEXT.replace("null", "None"),
        TEXT[:-1],
        TEXT[:-1] + ', "more": {"extra": 1}}',
        TEXT.replace('"node": 3', '"node": 3, "extra": true'),
        TEXT.replace("0.9", '"0.9"'),
    ],
)
def test_an_answer_is_understood_however_it_is_wrapped_or_broken(text: str) -> None:
    assert parse_reply(text, Relations) == VALUE


def test_a_truncated_answer_keeps_what_was_said() -> None:
    reply = parse_reply('```json\n{"relations": [{"node": 1, "relation": "merge"}], "note": "I was cu', Relations)
    assert reply.relations == [Found(node=1, relation="merge")]
    assert reply.note == "I was cu"


def test_a_line_break_in_a_string_is_taken_as_one() -> None:
    assert parse_reply('{"relations": [], "note": "a\nb"}', Relations).note == "a\nb"


@pytest.mark.parametrize("items", [[FOUND], [FOUND, FOUND], []])
def test_a_bare_list_is_the_one_list_that_was_asked_for(items: list[Any]) -> None:
    assert parse_reply(json.dumps(items), Relations) == Relations.model_validate({"relations": items})


def test_nesting_is_followed_so_far_and_no_further() -> None:
    said = '{"name": "x", "arguments": {"a": %s}}'
    assert parse_reply(said % ("[" * 60 + "]" * 60), Call).name == "x"
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_reply(said % ("[" * 70 + "]" * 70), Call)


def test_arguments_of_unknown_names_can_be_read() -> None:
    said = {"name": "search", "arguments": {"query": "mill", "k": [1]}}
    assert parse_reply(json.dumps(said), Call) == Call.model_validate(said)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the answer holds no JSON object"),
        ("I am sorry, I cannot do that.", "the answer holds no JSON object"),
        ("[", "the answer holds no JSON object"),
        ("['", "the answer holds no JSON object"),
        ("42", "the answer holds no JSON object"),
        (f"<think>{TEXT}", "the answer holds no JSON object"),
        ("{}", "the answer has none of the fields asked for: relations, note, best"),
        ('{"error": "no"}', "the answer has none of the fields asked for: relations, note, best"),
        (json.dumps(schema_of(Relations)), "the answer repeats the JSON Schema"),
        (json.dumps({"type": "object", "properties": ANSWER}), "the answer repeats the JSON Schema"),
        ('{"note": "x"}', "relations is missing"),
        ('{"relations": 3}', "relations should be a valid list"),
        ('{"relations": [{"node": "x", "relation": "merge"}]}', "relations[0].node should be a valid integer"),
        ('{"relations": [{"node": 1}]}', "relations[0].relation is missing"),
        (TEXT.replace("conflict", "odd"), "relations[0].relation should be 'conflict', 'merge' or 'unrelated'"),
        (TEXT.replace("0.9", "1.5"), "relations[0].confidence should be less than or equal to 1"),
        ('{"relations": [], "note": 5}', "note should be a valid string"),
        ('{"relations": [3]}', "relations[0] should be an object"),
        ("[" * 5_000, "the answer is nested too deeply"),
        ('{"relations": ' * 5_000, "the answer is nested too deeply"),
        (" " * (MAX_ANSWER_CHARACTERS + 1), "the answer is longer than"),
        ('{"note": "' + "x" * 50_000, "too long to be mended"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r"^\S") as raised:
        parse_reply(text, Relations)
    said = str(raised.value)
    assert reason in said
    assert "http" not in said
    assert "\n" not in said
    assert len(said) <= 300


def test_a_models_own_check_is_told_in_its_own_words() -> None:
    with pytest.raises(ValueError, match=r"^grams cannot be less than nothing$"):
        parse_reply('{"grams": -1}', Weight)


def test_many_wrong_fields_are_told_in_bounded_length() -> None:
    with pytest.raises(ValueError, match=r"relations\[0\]\.node") as raised:
        parse_reply(json.dumps({"relations": [{} for _ in range(100)]}), Relations)
    assert len(str(raised.value)) == 300


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", '"nan"', '"inf"', "NaN,"])
def test_what_is_no_number_gets_nowhere(number: str) -> None:
    with pytest.raises(ValueError, match="grams should be a finite number"):
        parse_reply(f'{{"grams": {number}}}', Weight)


@pytest.mark.parametrize("arguments", ['{"k": NaN}', '{"k": [1e999]}', '{"k": "\\ud800"}', '{"\\ud800": 1}'])
def test_what_a_file_cannot_hold_gets_nowhere(arguments: str) -> None:
    with pytest.raises(ValueError, match=r"should be a finite number|halves of characters"):
        json_object(arguments)
    with pytest.raises(ValueError, match=r"should be a finite number|halves of characters"):
        parse_reply(f'{{"name": "search", "arguments": {arguments}}}', Call)


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "{'a': 1}", '{"a": 1} and', '{"a":' * 5_000])
def test_a_json_object_is_taken_to_the_letter(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        json_object(text)


WORDS = st.text(st.characters(codec="utf-8"), max_size=30)
VALUES = st.builds(
    Relations,
    relations=st.lists(
        st.builds(
            Found,
            node=st.integers(-99, 99),
            relation=st.sampled_from(["conflict", "merge", "unrelated"]),
            confidence=st.floats(0, 1),
        ),
        max_size=3,
    ),
    note=st.one_of(WORDS, st.sampled_from(["</think>", "<think>", "```", '{"a": 1}', "}]", '"', "\\"])),
)
PROSE = st.text("abc xyz.,'!?\n", max_size=30)


@given(VALUES, st.sampled_from(["{}", "```json\n{}\n```", "<think>{{so}}</think>{}", "so</think>\n{}"]), PROSE, PROSE)
def test_a_value_survives_its_wrapping(value: Relations, wrapping: str, before: str, after: str) -> None:
    wrapped = wrapping.replace("{{so}}", "so").replace("{}", value.model_dump_json())
    spoken = wrapped if "think" in wrapping else f"{before}{wrapped}"
    assert parse_reply(spoken + after, Relations) == value


@given(VALUES, st.integers(0, 400))
def test_a_truncated_value_is_read_or_refused(value: Relations, length: int) -> None:
    try:
        reply = parse_reply(value.model_dump_json()[:length], Relations)
    except ValueError:
        return
    assert len(reply.relations) <= len(value.relations)


PIECES = ["{", "}", "[", "]", '"', "'", ":", ",", "\\", "\n", "1", "-", "NaN", "null", "\\ud800", "<think>", "</think>"]
PIECES += ["```", '"note":', '"relations":', "a", "é", "//", "“", "\x00"]


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=80).map("".join)))
def test_no_text_is_more_than_a_wrong_answer(text: str) -> None:
    without, reasoning = split_reasoning(text)
    assert len(without) + len(reasoning) <= len(text)
    try:
        reply = parse_reply(text, Relations)
    except ValueError as error:
        said = str(error)
        assert 0 < len(said) <= 300
        said.encode()
    else:
        reply.model_dump_json()
