"""The hostile session, with control characters as well. Ids cannot be hostile: their pattern does not let them."""

from __future__ import annotations

from typing import Any

from memory_bank.events import EVENT, Event
from tests.app.hostile import EVIL, hostile_events

CONTROL = "\x00\x07\x0b\x1b[31m\x7f\ufffe\u202e"


def worst_events() -> list[Event]:
    """A session of which every text tries to be more than text."""
    return _rewritten({EVIL: f"{CONTROL}{EVIL}{CONTROL}"})


def harmless_events() -> list[Event]:
    """The same session, saying nothing in particular."""
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
