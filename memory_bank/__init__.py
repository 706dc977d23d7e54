"""Agentic Memory Bank: an agent's memory, its conflicts, and how they were settled.

The public names are loaded when they are first asked for: most of them need a language model's worth of libraries,
and a replay or a schema does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_bank.bank.bank import Bank
    from memory_bank.bank.settings import Settings
    from memory_bank.session.adapter import Adapter
    from memory_bank.session.session import Parts, Session
    from memory_bank.storage.session_store import SessionStore, Upload

_HOME = {
    "Adapter": "memory_bank.session.adapter",
    "Bank": "memory_bank.bank.bank",
    "Parts": "memory_bank.session.session",
    "Session": "memory_bank.session.session",
    "SessionStore": "memory_bank.storage.session_store",
    "Settings": "memory_bank.bank.settings",
    "Upload": "memory_bank.storage.session_store",
}

__all__ = ["Adapter", "Bank", "Parts", "Session", "SessionStore", "Settings", "Upload"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - each public name has its own type, given above
    if name not in _HOME:
        raise AttributeError(f"module 'memory_bank' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
