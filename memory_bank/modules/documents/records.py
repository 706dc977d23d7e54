"""JSON and JSON Lines: the chat that they are, or each object as a statement."""

from __future__ import annotations

import json

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents.document import Document
from memory_bank.modules.documents.messages import chat_of
from memory_bank.modules.documents.plain import decode_text, suffix_of
from memory_bank.modules.documents.statements import written


def read_json(data: bytes, name: str) -> Document:
    """Read JSON, or JSON Lines by its suffix. Numbers are kept as they are written, nulls are left out.

    Lists of messages are written as the chat that they are.
    Raises `UnreadableDocumentError` with the line at which the file is broken.
    """
    text = decode_text(data, name)
    if suffix_of(name) in (".jsonl", ".ndjson"):
        values = [_parse(line, name, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        return chat_of(values, name, "application/x-ndjson") or Document(name, written(values), "application/x-ndjson")
    value = _parse(text, name)
    values = value if isinstance(value, list) else [value]
    return chat_of(values, name, "application/json") or Document(name, written(values), "application/json")


def _parse(text: str, name: str, line: int = 0) -> object:
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        place = line or error.lineno
        raise UnreadableDocumentError(name, f"it is not valid JSON (line {place}: {error.msg})") from error
