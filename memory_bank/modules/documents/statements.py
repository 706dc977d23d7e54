"""What data say, as statements `key: value; key: value`, with the path of what is nested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_bank.modules.documents.decoding import clean

# A longer value, or one of several lines, is a text of its own and gets a paragraph of its own.
_SHORT = 200
# The path stands before each value; a longer one would make a mountain of a small file. Its end is kept.
_LONGEST_PATH = 300


def written(values: Sequence[object]) -> str:
    """Write each value as statements, a paragraph each."""
    return clean("\n\n".join(statement for value in values for statement in statements_of("", value)))


def statements_of(path: str, value: object) -> Iterator[str]:
    """Write the short values of one object as one statement, then what is long or nested, each by itself."""
    members = _members(path, value)
    short = [(key, text) for key, member in members if (text := _short(member)) is not None]
    if short:
        yield "; ".join(f"{key}: {text}" if key else text for key, text in short)
    for key, member in members:
        if isinstance(member, dict | list):
            if _short(member) is None:
                yield from statements_of(key, member)
        elif _short(member) is None and member is not None:
            yield f"{key}: {member}" if key else str(member)


def _members(path: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [(_clipped(f"{path}.{key}" if path else str(key)), member) for key, member in value.items()]
    if isinstance(value, list):
        return [(_clipped(f"{path}[{number}]"), member) for number, member in enumerate(value)]
    return [(path, value)]


def _clipped(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else f"…{path[1 - _LONGEST_PATH :]}"


def _short(value: object) -> str | None:
    """Write a value that fits in a statement: a short scalar, or a list of them; `None` for any other."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if len(value) <= _SHORT and "\n" not in value else None
    if isinstance(value, list) and value and not any(isinstance(member, dict | list) for member in value):
        texts = [_short(member) for member in value]
        joined = ", ".join(text for text in texts if text is not None)
        return joined if None not in texts and len(joined) <= _SHORT else None
    return None
