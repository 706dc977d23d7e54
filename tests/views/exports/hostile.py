"""A session with hostile texts, control characters included. Ids are not hostile: their pattern forbids it."""

from __future__ import annotations

from typing import Any

from memory_bank.bank.events import EVENT, Event
from tests.pages.hostile import EVIL, hostile_events

CONTROL = "\x00\x07\x0b\x1b[31m\x7f\ufffe\u202e"


def worst_events() -> list[Event]:
    """A session in which every text tries to inject markup."""
    return _rewritten({EVIL: f"{CONTROL}{EVIL}{CONTROL}"})


def harmless_events() -> list[Event]:
    """The same session with harmless texts."""
    return _rewritten({EVIL: "Harmless words, as many as it takes to fill the rows of a label or two. " * 2})


def _rewritten(table: dict[str, str]) -> list[Event]:
    def put(value: Any) -> Any:
        if isinstance(value, str):
            return table.get(value, value.replace(EVIL, table[EVIL]))
        if isinstance(value, list):
            return [put(each) for each in value]
        if isinstance(value, dict):
            return {key: put(each) for key, each in value.items()}
        return value

    return [EVENT.validate_python(put(event.model_dump(mode="json"))) for event in hostile_events()]
