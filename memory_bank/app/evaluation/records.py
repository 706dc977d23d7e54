"""Read evaluation data from JSON Lines files. An invalid line is an error that names file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from memory_bank.bank.errors import UsageError
from memory_bank.bank.value import Value

Record = TypeVar("Record", bound=Value)


def data_files(path: Path) -> list[Path]:
    """The file itself, or all `.jsonl` files of a folder in order of name. Raises `UsageError` if there are none."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise UsageError(f"{path}: no .jsonl data here; give a file or a folder in the format of the data's README")
    return files


def read_records(file: Path, kinds: dict[str, type[Record]]) -> Iterator[Record]:
    """The records of a file, each of the type that its `kind` selects in `kinds`. Unknown fields are ignored."""
    try:
        lines = file.open("rb")
    except OSError as error:
        raise UsageError(f"{file} cannot be opened: {error.strerror}") from error
    with lines:
        for number, line in enumerate(lines, start=1):
            try:
                fields = from_json(line)  # also rejects invalid UTF-8, lone surrogates and deep nesting
                record_type = kinds[fields["kind"]]
                known = {name: value for name, value in fields.items() if name in record_type.model_fields}
                yield record_type.model_validate(known)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problem = "does not fit the format" if isinstance(error, ValidationError) else "is not a known record"
                raise UsageError(f"{file}, line {number} {problem}; see the data's README") from error


class TextDocument(Value, extra="ignore"):
    """A document of an item."""

    name: str
    text: str


def share(part: float, whole: int, places: int = 4) -> float:
    """The part of a whole, rounded; 0 of nothing."""
    return round(part / whole, places) if whole else 0.0


def mean(values: Sequence[float]) -> float:
    """The mean, rounded to four places; 0 for an empty sequence."""
    return share(sum(values), len(values))
