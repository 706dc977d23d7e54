"""Structured output: make the JSON Schema for a request, and parse and validate the reply.

A model's text is untrusted and often not quite JSON: broken JSON is repaired, but missing values are never made up.
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

from memory_bank.text.wording import Wording, one_line

Reply = TypeVar("Reply", bound=BaseModel)

MAX_ANSWER_CHARACTERS = 400_000
"""Most characters of an answer; a longer one is refused."""
MAX_DEPTH = 64
"""Most levels of nesting."""
_LONGEST_REASON = 300
_LONGEST_REPAIRED = 32_000  # repairing badly broken JSON takes time with the square of its length
_NO_OBJECT = Wording("the answer holds no JSON object")
_TOO_DEEP = Wording("the answer is nested too deeply")
# Left out of a schema: keys that tell a model nothing, and those that strict mode rejects (they are checked here).
_OMITTED = frozenset(
    {"$defs", "title", "default", "examples", "discriminator", "minLength", "maxLength", "uniqueItems"}
)
_EXPECTED = {"missing": "is missing", "model_type": "should be an object", "dict_type": "should be an object"}
_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_START = re.compile(r"""\{\s*(?:["'“‘}]|\w+\s*:)|\[\s*["'“‘\[{\]\d-]""")
_STARTS_AS_JSON = re.compile(r"""\s*(?:```\w*\s*)?(?=\{\s*["'}]|\[\s*\{)""")
_STRUCTURE = re.compile(r'"(?:\\.|[^"\\])*"?|[{}\[\]]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


# -- the schema ------------------------------------------------------------------------------------------------------


def schema_of(reply_type: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a reply in strict mode: no references, no optional fields, no additional properties.

    `ValueError` for a type that contains itself or an object of unknown keys: strict mode cannot express either.
    """
    schema = reply_type.model_json_schema()
    return _inlined(_undocumented(schema), schema.get("$defs", {}), ())


def _undocumented(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without its docstring, which is for readers of the code; the model gets the field descriptions."""
    return {key: value for key, value in definition.items() if key != "description"}


def _inlined(node: Mapping[str, Any], defs: Mapping[str, Any], ancestors: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in ancestors:
            raise ValueError(f"{name} contains itself: its schema cannot be written without references")
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**_undocumented(defs[name]), **siblings}, defs, (*ancestors, name))
    schema: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            schema[key] = {name: _inlined(part, defs, ancestors) for name, part in value.items()}
        elif key not in _OMITTED:
            schema["anyOf" if key == "oneOf" else key] = _parts_inlined(value, defs, ancestors)
    if "properties" in schema:
        schema |= {"required": list(schema["properties"]), "additionalProperties": False}
    elif schema.get("type") == "object":
        raise ValueError("an object of unknown keys cannot be asked for: name its fields")
    return schema


def _parts_inlined(value: Any, defs: Mapping[str, Any], ancestors: tuple[str, ...]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return _inlined(value, defs, ancestors)
    if isinstance(value, list):
        return [_parts_inlined(part, defs, ancestors) for part in value]
    return value


# -- reasoning -------------------------------------------------------------------------------------------------------


def split_reasoning(text: str) -> tuple[str, str]:
    """Split a model's text into the answer without `<think>` blocks, and the content of these blocks.

    An unclosed block takes the rest, if nothing but reasoning came before it. Text before a lone closing tag is
    reasoning too. Tags inside JSON are content.
    """
    if _TAG.search(text) is None:
        return text, ""
    json_ends = dict(_json_spans(text))
    answer, position = "", 0
    thoughts: list[str] = []
    opened: int | None = None
    for start, end, closing in _tags(text, json_ends):
        as_json = _STARTS_AS_JSON.match(text, position)
        if opened is None and as_json is not None and as_json.end() not in json_ends:
            break  # inside broken or unclosed JSON a tag is probably content
        if opened is not None and closing:
            thoughts.append(text[opened:start])
            position, opened = end, None
        elif opened is None and not closing:
            answer, position, opened = answer + text[position:start], start, end
        elif opened is None and (not answer.strip() or not thoughts):
            thoughts.append(text[position:start])
            answer, position = "", end
    if opened is not None and not answer.strip():
        return "", _joined([*thoughts, text[opened:]])
    return answer + text[position:], _joined(thoughts)


def _joined(thoughts: list[str]) -> str:
    return "\n".join(thought.strip() for thought in thoughts if thought.strip())


def _tags(text: str, json_ends: Mapping[int, int]) -> Iterator[tuple[int, int, bool]]:
    """The tags outside JSON: start, end, and whether it is a closing tag. `json_ends` maps JSON starts to ends."""
    starts = list(json_ends)
    for tag in _TAG.finditer(text):
        before = bisect_right(starts, tag.start())
        if not before or tag.start() >= json_ends[starts[before - 1]]:
            yield tag.start(), tag.end(), bool(tag[1])


def _json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each valid JSON value in a text."""
    position = 0
    while (match := _START.search(text, position)) is not None:
        position = match.end()
        try:
            end = _closing_end(text, match.start())
            if end is not None:
                json.loads(text[match.start() : end], strict=False)
                yield match.start(), end
                position = end
        except ValueError:
            continue


# -- the value -------------------------------------------------------------------------------------------------------


def parse_reply(text: str, reply_type: type[Reply]) -> Reply:
    """Find the JSON in a model's answer, repair it if needed, and validate it as `reply_type`.

    `ValueError` says in one line which fields are wrong and what is expected there.
    """
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise ValueError(
            Wording("the answer is longer than {characters} characters", characters=f"{MAX_ANSWER_CHARACTERS:,}")
        )
    answer, _reasoning = split_reasoning(text)
    try:
        return _best(answer, reply_type)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def json_object(text: str) -> dict[str, Any]:
    """Parse a text that is exactly one JSON object. `ValueError` for others, non-finite numbers and lone surrogates."""
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise ValueError(_NO_OBJECT)
        _check_leaves(value)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return value


def _best(answer: str, reply_type: type[Reply]) -> Reply:
    """The value with most of the fields; of several, the last one, since the model ends with its conclusion."""
    properties = reply_type.model_json_schema().get("properties", {})
    objects = [item for value in _candidates(answer) if (item := _as_object(value, properties)) is not None]
    objects.sort(key=lambda value: len(value.keys() & properties.keys()))
    reason = ""
    for value in reversed(objects):
        try:
            return _validated(value, reply_type, properties)
        except ValueError as error:
            reason = reason or str(error)
    raise ValueError(reason or _NO_OBJECT)


def _candidates(text: str) -> Iterator[Any]:
    """The JSON values in a text one after another; values nested in others are not listed."""
    position = 0
    while (match := _START.search(text, position)) is not None:
        start = match.start()
        end = _closing_end(text, start)
        piece = text[start:end]
        try:
            yield json.loads(piece, strict=False)
        except ValueError:
            yield from _repaired(piece)
        if end is None:
            return
        position = end


def _closing_end(text: str, start: int) -> int | None:
    """The position after the bracket that closes the one at `start`; None where it is unclosed."""
    depth = 0
    for mark in _STRUCTURE.finditer(text, start):
        if mark[0] in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(_TOO_DEEP)
        elif mark[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return mark.end()
    return None


def _repaired(piece: str) -> Iterator[Any]:
    """Values repaired from broken JSON. The repair makes an empty value of any text, so empty ones are ignored."""
    if len(piece) > _LONGEST_REPAIRED:
        raise ValueError(
            Wording(
                "the answer is no valid JSON, and too long to be mended ({characters} characters)",
                characters=f"{len(piece):,}",
            )
        )
    value = repair_json(piece, return_objects=True, skip_json_loads=True)
    if isinstance(value, list) and piece.startswith("{"):
        yield from (part for part in value if isinstance(part, dict))
    elif value:
        yield value


def _as_object(value: Any, properties: Mapping[str, Any]) -> dict[str, Any] | None:  # noqa: ANN401 - JSON
    """A value as the object asked for: unwrap a list of one, or wrap a list as the only list field."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    if len(value) == 1 and isinstance(value[0], dict) and value[0].keys() & properties.keys():
        return value[0]
    lists = [name for name, schema in properties.items() if schema.get("type") == "array"]
    return {lists[0]: value} if len(lists) == 1 else None


def _validated(value: dict[str, Any], reply_type: type[Reply], properties: Mapping[str, Any]) -> Reply:
    names = ", ".join(properties)
    if "properties" not in properties and isinstance(value.get("properties"), dict):
        raise ValueError(
            _short(
                Wording(
                    "the answer repeats the JSON Schema instead of following it; give values for: {fields}",
                    fields=names,
                )
            )
        )
    if not value.keys() & properties.keys():
        raise ValueError(_short(Wording("the answer has none of the fields asked for: {fields}", fields=names)))
    try:
        reply = reply_type.model_validate(value, extra="ignore")
    except ValidationError as error:
        raise ValueError(_short("; ".join(_problems(error)))) from None
    _check_leaves(reply.model_dump())
    return reply


def _check_leaves(value: Any, path: tuple[str | int, ...] = ()) -> None:  # noqa: ANN401 - JSON
    """`ValueError` for non-finite numbers and lone surrogates, which no file could hold."""
    if isinstance(value, dict):
        for key, part in value.items():
            _check_leaves(str(key), path)
            _check_leaves(part, (*path, str(key)))
    elif isinstance(value, list | tuple | set | frozenset):
        for index, part in enumerate(value):
            _check_leaves(part, (*path, index))
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(_short(f"{_field_name(path)} should be a finite number"))
    elif isinstance(value, str) and _SURROGATE.search(value):
        raise ValueError(_short(f"{_field_name(path)} holds halves of characters"))


def _problems(error: ValidationError) -> Iterator[str]:
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        text = problem["msg"].removeprefix("Value error, ").removeprefix("Input ")
        text = _EXPECTED.get(problem["type"], text.partition(", unable to")[0])
        yield f"{_field_name(problem['loc'])} {text[:1].lower()}{text[1:]}"


def _field_name(path: tuple[str | int, ...]) -> str:
    """A field's path as code would write it, such as `items[0].name`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in path)
    return "".join(parts).removeprefix(".") or "the answer"


def _short(reason: str) -> str:
    line = one_line(reason)
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"
