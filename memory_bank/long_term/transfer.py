"""Export a user's records as JSON, and parse such exports. The input is untrusted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import ValidationError

from memory_bank.bank.errors import ImportRefusedError
from memory_bank.bank.value import Value
from memory_bank.long_term.record import Record, first_fault
from memory_bank.long_term.store import AnyRecord
from memory_bank.text.wording import Wording


class MemoryExport(Value):
    """The records of a scope. Vectors are left out: they are computed again."""

    format: Literal["memory-bank-long-term"] = "memory-bank-long-term"
    version: Literal[1] = 1
    records: tuple[Record, ...]


def export_records(records: Sequence[AnyRecord]) -> str:
    """Records as JSON text."""
    document = MemoryExport(records=tuple(records)).model_dump(mode="json")
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def parse_records(text: str | bytes) -> tuple[AnyRecord, ...]:
    """The records of an export. `ImportRefusedError` says in one line what is wrong with it."""
    try:
        return MemoryExport.model_validate_json(text).records
    except ValidationError as error:
        raise ImportRefusedError(
            Wording("this is no export of long-term memory, or damaged: {detail}", detail=first_fault(error))
        ) from error
