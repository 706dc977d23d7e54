"""Read JSON and JSON Lines: lists of messages, as chat programs and models save them, as a chat, others as statements.

A message is an object with a speaker and a text; lists of them may be nested, as in `{"messages": […]}`. Other records
(articles, reviews, addresses) have authors and texts too; they are told apart by keys that messages do not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.spoken import SpokenTurn
from memory_bank.documents.chat import FEWEST_SPEAKERS, ROLES, is_new_sitting
from memory_bank.documents.chat_times import parse_time
from memory_bank.documents.decoding import clean, clean_line
from memory_bank.documents.document import BY_SUFFIX, Document, suffix_of
from memory_bank.documents.plain import decode_text
from memory_bank.text.wording import Wording

# A longer value, or one of several lines, gets its own paragraph.
_MAX_SHORT = 200
# A path stands before each value, so long ones would inflate a small file. The end of a longer path is kept.
_MAX_PATH = 300
_SPEAKERS = ("speaker", "role", "author", "from", "sender", "name", "user", "username")
_TEXTS = ("text", "content", "message", "body")
_TIMES = ("time", "timestamp", "date", "datetime", "created_at", "sent_at", "ts")
_CALLS = ("tool_calls", "function_call")
"""Tool calls, which a language model makes in place of a text. They are always kept."""
_LISTS = ("messages", "turns", "conversation", "conversations", "dialogue", "dialog", "chat", "history", "sessions")
_FOREIGN_KEYS = frozenset(
    {"title", "headline", "price", "rating", "stars", "isbn", "doi", "street", "city", "question"}
)
"""Keys of articles, reviews, goods and addresses. An object with one of them is not a message."""
MIN_MESSAGE_SHARE = 0.9
"""Share of the objects in a list that must be messages. The rest are notices, such as "joined the group"."""
MIN_MESSAGES_PER_SPEAKER = 1.5
"""Messages needed for each speaker, unless the speakers are roles. Reviews and addresses have one author each."""
MAX_MEAN_LENGTH = 800
"""Largest mean length of a message in characters, unless the speakers are roles. Articles are longer."""
_ROLES = ROLES | {"developer", "function", "gpt"}
_MAX_DEPTH = 6
_WORDS = re.compile(r"\S\s+\S|[\u3040-\u9fff]{4}")
"""Several words. A shorter value is a name, a type or a code."""


@dataclass(frozen=True, slots=True)
class _Message:
    speaker: str
    text: str
    at: date | None


def chat_of(values: Sequence[object], name: str, media_type: str) -> Document | None:
    """Write JSON values as a chat, turn by turn; `None` unless they are lists of messages.

    Besides its text, the other values of a message that have several words are kept, such as the caption of an image.
    Values of several words outside the messages are written as statements below the chat.
    """
    rest: list[object] = []
    lists = list(_message_lists(values, 0, rest))
    if not lists or None in lists:
        return None
    talks = [[message for message in messages if message.text] for messages in lists if messages]
    if not _is_chat([message for talk in talks for message in talk]):
        return None
    text, turns = _write_chat(talks)
    title = values[0].get("title") if len(values) == 1 and isinstance(values[0], dict) else None
    title = clean_line(title) if isinstance(title, str) else ""
    statements = write_lines([value for value in rest if value != {"title": title} and _adds_words(value, "")])
    return Document(name, f"{text}\n\n{statements}".rstrip("\n"), media_type, title=title or None, turns=turns)


def _message_lists(values: Sequence[object], depth: int, rest: list[object]) -> Iterator[list[_Message] | None]:
    """Yield each list of messages, however deeply nested; `None` for any other value. The rest goes to `rest`."""
    objects = [value for value in values if isinstance(value, dict)]
    parsed = [_message(value) if isinstance(value, dict) else None for value in values]
    messages = [message for message in parsed if message is not None]
    if messages and len(messages) >= MIN_MESSAGE_SHARE * len(values):
        rest += [value for value, message in zip(values, parsed, strict=True) if message is None]
        yield messages
    elif not objects or len(objects) < len(values) or depth > _MAX_DEPTH:
        yield None
    else:
        for value in objects:
            inner = next((key for key in _LISTS if isinstance(value.get(key), list)), None)
            rest += [{key: member} for key, member in value.items() if key != inner]
            yield from [None] if inner is None else _message_lists(value[inner], depth + 1, rest)


def _message(value: Mapping[str, object]) -> _Message | None:
    if not _FOREIGN_KEYS.isdisjoint(value):
        return None
    speaker = next((name for key in _SPEAKERS if (name := _person_name(value.get(key)))), "")
    key = next((key for key in _TEXTS if key in value), None)
    if not speaker or key is None or len(speaker) > 80:
        return None
    time = next((value[name] for name in _TIMES if isinstance(value.get(name), str)), "")
    content = value[key]
    parts: Sequence[object] = content if isinstance(content, list) else [content]
    text = _text(content)
    others: list[tuple[str, object]] = [("", part) for part in parts if isinstance(part, dict)]
    read_keys = {key, *_SPEAKERS, *_TIMES}
    others += [(name, member) for name, member in value.items() if name not in read_keys]
    lines = [text]
    for name, member in others:
        if name in _CALLS or _adds_words(member, text):
            lines += value_lines(name, member)
    return _Message(speaker, clean("\n".join(filter(None, lines))).strip(), parse_time(str(time)))


def _adds_words(value: object, text: str) -> bool:
    """Whether a value contains, at any depth, several words that are not in `text`."""
    if isinstance(value, str):
        return bool(_WORDS.search(value)) and value.strip() not in text
    if isinstance(value, list):
        return any(_adds_words(member, text) for member in value)
    return isinstance(value, dict) and any(_adds_words(member, text) for member in value.values())


def _person_name(value: object) -> str:
    """The name that a string is, or that an object for a person has; empty if there is none."""
    if isinstance(value, dict):
        return next((name for key in ("name", "username", "role", "id") if (name := _person_name(value.get(key)))), "")
    return clean_line(value) if isinstance(value, str) else ""


def _text(value: object) -> str:
    """The text of a content value, which may be a list of parts: `[{"type": "text", "text": …}]`."""
    if isinstance(value, list):
        return "".join(_text(part) for part in value)
    if isinstance(value, dict):
        return next((_text(value[key]) for key in (*_TEXTS, "parts") if key in value), "")
    return value if isinstance(value, str) else ""


def _is_chat(messages: Sequence[_Message]) -> bool:
    speakers = {message.speaker for message in messages}
    if len(speakers) < FEWEST_SPEAKERS:
        return False
    if {speaker.casefold() for speaker in speakers} <= _ROLES:
        return True
    characters = sum(len(message.text) for message in messages)
    return len(messages) >= MIN_MESSAGES_PER_SPEAKER * len(speakers) and characters <= MAX_MEAN_LENGTH * len(messages)


def _write_chat(talks: Sequence[Sequence[_Message]]) -> tuple[str, tuple[SpokenTurn, ...]]:
    """Write each message on a new line after its time and speaker, with a blank line between sittings."""
    parts: list[str] = []
    turns: list[SpokenTurn] = []
    length = sitting = 0
    for number, talk in enumerate(talks):
        before = None
        for index, message in enumerate(talk):
            new_sitting = bool(turns) and ((number > 0 and index == 0) or is_new_sitting(before, message.at))
            sitting += new_sitting
            separator = "\n\n" if new_sitting else "\n" if turns else ""
            head = f"{_stamp(message.at)}{message.speaker}: "
            start = length + len(separator)
            length = start + len(head) + len(message.text)
            at = message.at and message.at.isoformat()
            said = start + len(head)
            turns.append(
                SpokenTurn(start=start, said=said, end=length, speaker=message.speaker, at=at, sitting=sitting)
            )
            parts += (separator, head, message.text)
            before = message.at or before
    return "".join(parts), tuple(turns)


def _stamp(at: date | None) -> str:
    if at is None:
        return ""
    return f"[{at:%Y-%m-%d %H:%M}] " if isinstance(at, datetime) else f"[{at}] "


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


def write_lines(values: Sequence[object]) -> str:
    """Write each value as statements, one paragraph each."""
    return clean("\n\n".join(statement for value in values for statement in value_lines("", value)))


def value_lines(path: str, value: object) -> Iterator[str]:
    """Yield the short values of an object as one statement, then each long or nested value separately."""
    members = _members(path, value)
    short = [(key, text) for key, member in members if (text := _format_short(member)) is not None]
    if short:
        yield "; ".join(f"{key}: {text}" if key else text for key, text in short)
    for key, member in members:
        if isinstance(member, dict | list):
            if _format_short(member) is None:
                yield from value_lines(key, member)
        elif _format_short(member) is None and member is not None:
            yield f"{key}: {member}" if key else str(member)


def _members(path: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [(_shorten_path(f"{path}.{key}" if path else str(key)), member) for key, member in value.items()]
    if isinstance(value, list):
        return [(_shorten_path(f"{path}[{number}]"), member) for number, member in enumerate(value)]
    return [(path, value)]


def _shorten_path(path: str) -> str:
    return path if len(path) <= _MAX_PATH else f"…{path[1 - _MAX_PATH :]}"


def _format_short(value: object) -> str | None:
    """Write a short scalar, or a short list of scalars; `None` for any other value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if len(value) <= _MAX_SHORT and "\n" not in value else None
    if isinstance(value, list) and value and not any(isinstance(member, dict | list) for member in value):
        texts = [_format_short(member) for member in value]
        joined = ", ".join(text for text in texts if text is not None)
        return joined if None not in texts and len(joined) <= _MAX_SHORT else None
    return None
