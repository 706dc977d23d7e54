"""Values and bytes made wrong by chance: what the fuzzers do to whatever they are given. The same chance, the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

Json = Any
"""Any value of a JSON document."""
Place = tuple[str | int, ...]
"""Keys and indexes that lead to a value of a JSON document."""

WORDS = (
    *("", *" ,n1,e1,c1,x1,s1,t1,session,None,true,-1,1e400,\ufeff,\u202e,\ud800".split(",")),
    *("../../x", "files/../../x", "files/..", "/etc/passwd", "files/s1\0", "files/s1\n", "C:\\x", "~/x", "file:///x"),
    *("https://[", "s3://a/../b", "<script>alert(1)</script>", "{{7*7}}", "%n%s", "\x1b[2J", "a\r\nb", "\u0661", "ﬁ"),
    *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2024-02-30T00:00:00Z", "2024-01-01T00:00:00"),
    *("1970-01-01", "n" * 81, "x" * 10_000, "\U0001f9ea", "尼" * 300),
)
NUMBERS = (0, 1, -1, 2, 1.0, 0.5, -0.0, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**40, 1e308, 5e-324)
SHAPES: tuple[Json, ...] = (None, True, False, [], {}, [[]], {"": ""}, [None], {"id": "n1"}, ["n1", "n1"])

RAW = {
    "@nan@": "NaN",
    "@infinite@": "-Infinity",
    "@too large@": "1e999",
    "@digits@": "9" * 5_000,
    "@twice@": '1, "seq": 1, "type": "notice"',
    "@deep@": "[" * 300 + "]" * 300,
    "@bottomless@": '{"a":' * 50_000,
    "@many@": "[" + "0," * 50_000 + "0]",
    "@no json@": "undefined",
}
"""What no Python value is written as: the text that takes the place of a mark."""


def any_value(chance: random.Random) -> Json:
    """A value that hardly any field is meant for."""
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(WORDS)
    if kind < 0.7:
        return chance.choice(NUMBERS)
    return chance.choice(SHAPES) if kind < 0.94 else chance.choice(list(RAW))


def places(value: Json, place: Place = ()) -> list[Place]:
    """Where all values of a document are, but for the document itself."""
    found = [place] if place else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*place, key))
    return found


def at(document: Json, place: Place) -> Json:
    """The value that stands there; `KeyError`, `IndexError` or `TypeError` where there is none any more."""
    for key in place:
        document = document[key]
    return document


def changed(document: Json, place: Place, change: Callable[[Json, Json], object]) -> Json:
    """The document with one of its containers changed, which `change` gets with the key; the rest is shared.

    Errors as of `at`.
    """
    copy = document.copy()
    if len(place) == 1:
        copy[place[0]]  # raises where an earlier change took it away
        change(copy, place[0])
    else:
        copy[place[0]] = changed(copy[place[0]], place[1:], change)
    return copy


def spoilt(document: Json, place: Place, chance: random.Random, others: Sequence[Json]) -> Json:
    """The document with something wrong at a place; `others` are values of right documents, to be put there."""

    def change(holder: Json, key: Json) -> None:
        match chance.randrange(8):
            case 0 | 1:
                holder[key] = any_value(chance)
            case 2:
                holder[key] = chance.choice(others)
            case 3:
                del holder[key]
            case 4:
                holder[key] = _of_another_type(holder[key], chance)
            case 5 | 6 if isinstance(holder, list):
                _rearrange(holder, key, chance)
            case 5:
                holder[chance.choice(WORDS)] = holder[key] if chance.random() < 0.5 else holder.pop(key)
            case _:
                holder[key], other = chance.choice(others), chance.choice(list(holder) or [0])
                if isinstance(holder, dict):
                    holder[key] = holder[other]

    return changed(document, place, change)


def _of_another_type(value: Json, chance: random.Random) -> Json:
    if isinstance(value, bool) or value is None:
        return chance.choice([0, 1, "", "null", []])
    if isinstance(value, int | float):
        return chance.choice([str(value), float(value), -value, value + 1, value * 10**9, [value]])
    if isinstance(value, str):
        return chance.choice([[value], {value[:9]: value}, value + " ", value[:-1], value * 2, value.upper(), None])
    items = list(value.values()) if isinstance(value, dict) else value
    return chance.choice([items, dict(enumerate(items)), str(value)[:99], None, [value], {"value": value}])


def _rearrange(items: list[Json], key: int, chance: random.Random) -> None:
    other = chance.randrange(len(items))
    match chance.randrange(4):
        case 0:
            items.insert(other, items[key])
        case 1:
            items[key], items[other] = items[other], items[key]
        case 2:
            items[min(key, other) : max(key, other)] = []
        case _:
            items.extend(items[:20] * chance.randrange(1, 4))


def spoilt_bytes(data: bytes, chance: random.Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """The bytes with something wrong; `others` are files to take parts of, `tokens` words of a format."""
    first, last = sorted(chance.choices(range(len(data) + 1), k=2))
    near = min(last, first + chance.choice((1, 4, 60, 4_000)))
    match chance.randrange(9):
        case 0:
            return data[:first] if chance.random() < 0.7 else data[first:]
        case 1 | 2:
            return _flipped(data, chance)
        case 3:
            return data[:first] + data[near:]
        case 4:
            return data[:near] + data[first:near] * chance.choice((1, 2, 50)) + data[near:]
        case 5:
            other = chance.choice(others)
            start = chance.randrange(len(other) + 1)
            return data[:first] + other[start : start + near - first or None][:20_000] + data[near:]
        case 6:
            return data[:first] + chance.randbytes(near - first) + data[near:]
        case _:
            at_once = chance.choice(tokens) * chance.choice((1, 1, 1, 2, 100))
            return data[:first] + at_once + data[first if chance.random() < 0.5 else first + len(at_once) :]


def _flipped(data: bytes, chance: random.Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 10, 100)) if data else 0):
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(flipped)
