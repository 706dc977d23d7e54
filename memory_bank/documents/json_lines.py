"""Write JSON-like data as statements `key: value; key: value`; nested keys are written as paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_bank.documents.decoding import clean

# A longer value, or one of several lines, gets its own paragraph.
_MAX_SHORT = 200
# A path stands before each value, so long ones would inflate a small file. The end of a longer path is kept.
_MAX_PATH = 300


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
