"""Read JSON and JSON Lines: a list of messages as a chat, anything else as statements."""

from __future__ import annotations

import json

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.document import Document
from memory_bank.documents.formats import BY_SUFFIX, suffix_of
from memory_bank.documents.json_lines import write_lines
from memory_bank.documents.messages import chat_of
from memory_bank.documents.plain import decode_text
from memory_bank.text.wording import Wording


def read_json(data: bytes, name: str) -> Document:
    """Read JSON, or JSON Lines by its suffix. Numbers are kept as they are written, nulls are left out.

    Lists of messages are written as a chat. Raises `UnreadableDocumentError` with the line of the syntax error.
    """
    text = decode_text(data, name)
    media_type, lines = BY_SUFFIX[".json"].media_type, BY_SUFFIX[".jsonl"]
    if suffix_of(name) in lines.suffixes:
        media_type = lines.media_type
        values = [_parse(line, name, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    else:
        value = _parse(text, name)
        values = value if isinstance(value, list) else [value]
    return chat_of(values, name, media_type) or Document(name, write_lines(values), media_type)


def _parse(text: str, name: str, line: int = 0) -> object:
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise UnreadableDocumentError(
            name, Wording("it is not valid JSON (line {line}: {detail})", line=line or error.lineno, detail=error.msg)
        ) from error
