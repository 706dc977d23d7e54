"""The types of records of long-term memory, in a module of their own so that the help needs no pydantic."""

from __future__ import annotations

from typing import Literal

RecordType = Literal["semantic", "procedural", "episode", "turn"]
FACT_TYPES: tuple[RecordType, ...] = ("semantic", "procedural")
RECORD_TYPES: tuple[RecordType, ...] = (*FACT_TYPES, "episode", "turn")
LONGEST_TEXT = 2_000
Verdict = Literal["stored", "new", "both"]
"""Which side of a dispute is right: the stored fact, the new statement, or both."""
