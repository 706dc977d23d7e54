"""Structured output: the schema that a server is sent, and the checked value in whatever text comes back.

A model's text is untrusted and often not quite JSON: what was meant is mended, what was not said is never made up.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

from memory_bank.one_line import one_line

Reply = TypeVar("Reply", bound=BaseModel)

LONGEST = 400_000
"""Characters of an answer that are looked at; a longer one is refused."""
DEEPEST = 64
"""Levels of nesting that are followed."""
_LONGEST_REASON = 300
_LONGEST_MENDED = 32_000  # mending takes time with the square of the length where there is much to mend
_NO_OBJECT = "the answer holds no JSON object"
_TOO_DEEP = "the answer is nested too deeply"
# Dropped from a schema: what says nothing to a model, and what strict mode does not know (it is checked here anyway).
_NOISE = frozenset({"$defs", "title", "default", "examples", "discriminator", "minLength", "maxLength", "uniqueItems"})
_EXPECTED = {"missing": "is missing", "model_type": "should be an object", "dict_type": "should be an object"}
_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_START = re.compile(r"""\{\s*(?:["'“‘}]|\w+\s*:)|\[\s*["'“‘\[{\]\d-]""")
_STARTS_AS_JSON = re.compile(r"""\s*(?:```\w*\s*)?(?=\{\s*["'}]|\[\s*\{)""")
_STRUCTURE = re.compile(r'"(?:\\.|[^"\\])*"?|[{}\[\]]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


# -- the schema ------------------------------------------------------------------------------------------------------


def schema_of(reply_type: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a reply as strict mode wants it: nothing by reference, nothing optional, nothing extra.

    `ValueError` for a model that contains itself or holds an object of unknown keys: neither can be said this way.
    """
    schema = reply_type.model_json_schema()
    return _inlined(_undocumented(schema), schema.get("$defs", {}), ())


def _undocumented(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without its docstring, which is for whoever reads the code; its fields speak to the model."""
    return {key: value for key, value in definition.items() if key != "description"}


def _inlined(node: Mapping[str, Any], defs: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in inside:
            raise ValueError(f"{name} contains itself: its schema cannot be written without references")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**_undocumented(defs[name]), **beside}, defs, (*inside, name))
    schema: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            schema[key] = {name: _inlined(part, defs, inside) for name, part in value.items()}
        elif key not in _NOISE:
            schema["anyOf" if key == "oneOf" else key] = _parts_inlined(value, defs, inside)
    if "properties" in schema:
        schema |= {"required": list(schema["properties"]), "additionalProperties": False}
    elif schema.get("type") == "object":
        raise ValueError("an object of unknown keys cannot be asked for: name its fields")
    return schema


def _parts_inlined(value: Any, defs: Mapping[str, Any], inside: tuple[str, ...]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return _inlined(value, defs, inside)
    if isinstance(value, list):
        return [_parts_inlined(part, defs, inside) for part in value]
    return value


# -- reasoning -------------------------------------------------------------------------------------------------------


def split_reasoning(text: str) -> tuple[str, str]:
    """A model's text without its `<think>` blocks, and what was in them.

    One that is never closed takes the rest if nothing but reasoning came before it; text before a lone closing tag
    is reasoning too. Tags inside of JSON are its content.
    """
    if _TAG.search(text) is None:
        return text, ""
    objects = dict(_objects(text))
    kept, position = "", 0
    thoughts: list[str] = []
    opened: int | None = None
    for start, end, closing in _tags(text, objects):
        if opened is None and _in_broken_json(text, position, objects):
            break
        if opened is not None and closing:
            thoughts.append(text[opened:start])
            position, opened = end, None
        elif opened is None and not closing:
            kept, position, opened = kept + text[position:start], start, end
        elif opened is None and (not kept.strip() or not thoughts):
            thoughts.append(text[position:start])
            kept, position = "", end
    if opened is not None and not kept.strip():
        return "", _joined([*thoughts, text[opened:]])
    return kept + text[position:], _joined(thoughts)


def _joined(thoughts: list[str]) -> str:
    return "\n".join(thought.strip() for thought in thoughts if thought.strip())


def _tags(text: str, objects: Mapping[int, int]) -> Iterator[tuple[int, int, bool]]:
    """The tags outside of JSON: where each begins and ends, and whether it closes."""
    starts = list(objects)
    for tag in _TAG.finditer(text):
        before = bisect_right(starts, tag.start())
        if not before or tag.start() >= objects[starts[before - 1]]:
            yield tag.start(), tag.end(), bool(tag[1])


def _in_broken_json(text: str, position: int, objects: Mapping[int, int]) -> bool:
    """Whether the answer has begun, as JSON that does not end or is broken: a tag in it is likely to be quoted."""
    begun = _STARTS_AS_JSON.match(text, position)
    return begun is not None and begun.end() not in objects


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Where valid JSON begins and ends in a text."""
    position = 0
    while (found := _START.search(text, position)) is not None:
        position = found.end()
        try:
            end = _end(text, found.start())
            if end is not None:
                json.loads(text[found.start() : end], strict=False)
                yield found.start(), end
                position = end
        except ValueError:
            continue


# -- the value -------------------------------------------------------------------------------------------------------


def parse_reply(text: str, reply_type: type[Reply]) -> Reply:
    """The value in a model's answer: the JSON in it, mended where that is needed, checked against its type.

    `ValueError` says in one line which fields were wrong and what is expected there.
    """
    if len(text) > LONGEST:
        raise ValueError(f"the answer is longer than {LONGEST:,} characters")
    answer, _reasoning = split_reasoning(text)
    try:
        return _best(answer, reply_type)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def json_object(text: str) -> dict[str, Any]:
    """The JSON object that a text is, to the letter. `ValueError` for anything else, and for what JSON cannot hold."""
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise ValueError(_NO_OBJECT)
        _check_leaves(value)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return value


def _best(answer: str, reply_type: type[Reply]) -> Reply:
    """Of several values in an answer, the one with most of the fields; of equals the last: it was arrived at."""
    properties = reply_type.model_json_schema().get("properties", {})
    found = [fitted for value in _candidates(answer) if (fitted := _fitted(value, properties)) is not None]
    found.sort(key=lambda value: len(value.keys() & properties.keys()))
    reason = ""
    for value in reversed(found):
        try:
            return _checked(value, reply_type, properties)
        except ValueError as error:
            reason = reason or str(error)
    raise ValueError(reason or _NO_OBJECT)


def _candidates(text: str) -> Iterator[Any]:
    """Every JSON value in a text, one after another, never one from inside another."""
    position = 0
    while (found := _START.search(text, position)) is not None:
        start = found.start()
        end = _end(text, start)
        piece = text[start:end]
        try:
            yield json.loads(piece, strict=False)
        except ValueError:
            yield from _mended(piece)
        if end is None:
            return
        position = end


def _end(text: str, start: int) -> int | None:
    """Where the bracket that opens at `start` is closed; None where it is not."""
    depth = 0
    for mark in _STRUCTURE.finditer(text, start):
        if mark[0] in ("{", "["):
            depth += 1
            if depth > DEEPEST:
                raise ValueError(_TOO_DEEP)
        elif mark[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return mark.end()
    return None


def _mended(piece: str) -> Iterator[Any]:
    """What a broken piece of JSON was meant to be. Mending finds something empty in any text: that is nothing."""
    if len(piece) > _LONGEST_MENDED:
        raise ValueError(f"the answer is no valid JSON, and too long to be mended ({len(piece):,} characters)")
    value = repair_json(piece, return_objects=True, skip_json_loads=True)
    if isinstance(value, list) and piece.startswith("{"):
        yield from (part for part in value if isinstance(part, dict))
    elif value:
        yield value


def _fitted(value: Any, properties: Mapping[str, Any]) -> dict[str, Any] | None:  # noqa: ANN401 - JSON
    """A value as the object that was asked for: from a list around it, or as the one list that it should hold."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    if len(value) == 1 and isinstance(value[0], dict) and value[0].keys() & properties.keys():
        return value[0]
    lists = [name for name, schema in properties.items() if schema.get("type") == "array"]
    return {lists[0]: value} if len(lists) == 1 else None


def _checked(value: dict[str, Any], reply_type: type[Reply], properties: Mapping[str, Any]) -> Reply:
    names = ", ".join(properties)
    if "properties" not in properties and isinstance(value.get("properties"), dict):
        raise ValueError(
            _short(f"the answer repeats the JSON Schema instead of following it; give values for: {names}")
        )
    if not value.keys() & properties.keys():
        raise ValueError(_short(f"the answer has none of the fields asked for: {names}"))
    try:
        reply = reply_type.model_validate(value, extra="ignore")
    except ValidationError as error:
        raise ValueError(_short("; ".join(_problems(error)))) from None
    _check_leaves(reply.model_dump())
    return reply


def _check_leaves(value: Any, path: tuple[str | int, ...] = ()) -> None:  # noqa: ANN401 - JSON
    """`ValueError` for numbers that are none and for halves of characters, which no file could hold."""
    if isinstance(value, dict):
        for key, part in value.items():
            _check_leaves(str(key), path)
            _check_leaves(part, (*path, str(key)))
    elif isinstance(value, list | tuple | set | frozenset):
        for index, part in enumerate(value):
            _check_leaves(part, (*path, index))
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(_short(f"{_place(path)} should be a finite number"))
    elif isinstance(value, str) and _SURROGATE.search(value):
        raise ValueError(_short(f"{_place(path)} holds halves of characters"))


def _problems(error: ValidationError) -> Iterator[str]:
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        said = problem["msg"].removeprefix("Value error, ").removeprefix("Input ")
        said = _EXPECTED.get(problem["type"], said.partition(", unable to")[0])
        yield f"{_place(problem['loc'])} {said[:1].lower()}{said[1:]}"


def _place(path: tuple[str | int, ...]) -> str:
    """The name of a field, as code would write it."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in path)
    return "".join(parts).removeprefix(".") or "the answer"


def _short(reason: str) -> str:
    line = one_line(reason)
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"
