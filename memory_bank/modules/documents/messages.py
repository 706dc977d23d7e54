"""Lists of messages in JSON, as chat programs and language models save them, written as a chat.

A message is an object with who said it and what; lists of them may be nested, as in `{"messages": […]}`. Records of
other things have authors and texts too (articles, reviews, addresses): what they have and a message has not rules them
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memory_bank.modules.documents.chat import FEWEST_SPEAKERS, ROLES, parted
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document, Turn
from memory_bank.modules.documents.stamps import moment_of
from memory_bank.modules.documents.statements import statements_of, written

_SPEAKERS = ("speaker", "role", "author", "from", "sender", "name", "user", "username")
_TEXTS = ("text", "content", "message", "body")
_TIMES = ("time", "timestamp", "date", "datetime", "created_at", "sent_at", "ts")
_CALLS = ("tool_calls", "function_call")
"""What a language model asks for in place of a text, kept whatever it says."""
_LISTS = ("messages", "turns", "conversation", "conversations", "dialogue", "dialog", "chat", "history", "sessions")
_NO_MESSAGE = frozenset({"title", "headline", "price", "rating", "stars", "isbn", "doi", "street", "city", "question"})
"""What articles, reviews, goods and addresses have, and no message."""
SURE = 0.9
"""The share of the objects in a list that must be messages; the others are notices, such as "joined the group"."""
EACH = 1.5
"""Times as many messages as speakers, where these are no roles: reviews and addresses have one author each."""
LONGEST_MEAN = 800
"""Characters of the mean message where the speakers are no roles: articles by a few authors are longer."""
_ROLES = ROLES | {"developer", "function", "gpt"}
_DEEPEST = 6
_WORDS = re.compile(r"\S\s+\S|[\u3040-\u9fff]{4}")
"""Several words: what is shorter is a name, a kind or a mark."""


@dataclass(frozen=True, slots=True)
class _Message:
    speaker: str
    text: str
    at: date | None


def chat_of(values: Sequence[object], name: str, media_type: str) -> Document | None:
    """The chat that some JSON values are, written turn by turn; None where they are surely none.

    Beside the text of a message its other values of several words are kept, such as the caption of an image. What
    stands beside the messages and has several words is written as statements below the chat.
    """
    rest: list[object] = []
    talks = list(_talks(values, 0, rest))
    if not talks or None in talks:
        return None
    messages = [[one for one in talk if one.text] for talk in talks if talk]
    if not _is_chat([one for talk in messages for one in talk]):
        return None
    text, turns = _written(messages)
    title = values[0].get("title") if len(values) == 1 and isinstance(values[0], dict) else None
    title = " ".join(clean(title).split()) if isinstance(title, str) else ""
    beside = written([value for value in rest if value != {"title": title} and _says_more(value, "")])
    return Document(name, f"{text}\n\n{beside}".rstrip("\n"), media_type, title=title or None, turns=turns)


def _talks(values: Sequence[object], depth: int, rest: list[object]) -> Iterator[list[_Message] | None]:
    """Each list of messages, wherever it is nested; None for what is neither a message nor holds any.

    What stands beside messages is added to `rest`.
    """
    objects = [value for value in values if isinstance(value, dict)]
    read = [_message(value) if isinstance(value, dict) else None for value in values]
    found = [message for message in read if message is not None]
    if found and len(found) >= SURE * len(values):
        rest += [value for value, message in zip(values, read, strict=True) if message is None]
        yield found
    elif not objects or len(objects) < len(values) or depth > _DEEPEST:
        yield None
    else:
        for value in objects:
            inner = next((key for key in _LISTS if isinstance(value.get(key), list)), None)
            rest += [{key: member} for key, member in value.items() if key != inner]
            yield from [None] if inner is None else _talks(value[inner], depth + 1, rest)


def _message(value: Mapping[str, object]) -> _Message | None:
    if not _NO_MESSAGE.isdisjoint(value):
        return None
    speaker = next((found for key in _SPEAKERS if (found := _name(value.get(key)))), "")
    key = next((key for key in _TEXTS if key in value), None)
    if not speaker or key is None or len(speaker) > 80:
        return None
    when = next((value[name] for name in _TIMES if isinstance(value.get(name), str)), "")
    known = {key, *_SPEAKERS, *_TIMES}
    content = value[key]
    parts: Sequence[object] = content if isinstance(content, list) else [content]
    text = _text(content)
    beside: list[tuple[str, object]] = [("", part) for part in parts if isinstance(part, dict)]
    beside += [(name, said) for name, said in value.items() if name not in known]
    kept = (one for one in beside if one[0] in _CALLS or _says_more(one[1], text))
    more = (line for name, said in kept for line in statements_of(name, said))
    text = "\n".join(line for line in (text, *more) if line)
    return _Message(speaker, clean(text).strip(), moment_of(str(when)))


def _says_more(value: object, text: str) -> bool:
    """Whether somewhere in a value stand several words that are not in `text`."""
    if isinstance(value, str):
        return bool(_WORDS.search(value)) and value.strip() not in text
    if isinstance(value, list):
        return any(_says_more(member, text) for member in value)
    return isinstance(value, dict) and any(_says_more(member, text) for member in value.values())


def _name(value: object) -> str:
    """A name, or that of an object that stands for a person."""
    if isinstance(value, dict):
        return next((found for key in ("name", "username", "role", "id") if (found := _name(value.get(key)))), "")
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


def _text(value: object) -> str:
    """A text, or the texts of its parts: `[{"type": "text", "text": …}]`."""
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
    return len(messages) >= EACH * len(speakers) and characters <= LONGEST_MEAN * len(messages)


def _written(talks: Sequence[Sequence[_Message]]) -> tuple[str, tuple[Turn, ...]]:
    """Each message under the one before it, after its time and its speaker; a blank line parts sittings."""
    parts: list[str] = []
    turns: list[Turn] = []
    length = sitting = 0
    for number, talk in enumerate(talks):
        before = None
        for place, message in enumerate(talk):
            anew = bool(turns) and ((number > 0 and place == 0) or parted(before, message.at))
            sitting += anew
            between = "\n\n" if anew else "\n" if turns else ""
            head = f"{_stamp(message.at)}{message.speaker}: "
            start = length + len(between)
            length = start + len(head) + len(message.text)
            turns.append(Turn(start, start + len(head), length, message.speaker, message.at, sitting))
            parts += (between, head, message.text)
            before = message.at or before
    return "".join(parts), tuple(turns)


def _stamp(at: date | None) -> str:
    if at is None:
        return ""
    return f"[{at:%Y-%m-%d %H:%M}] " if isinstance(at, datetime) else f"[{at}] "
