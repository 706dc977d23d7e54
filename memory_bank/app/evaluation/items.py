"""The items of an evaluation: how they are read, which are run, what each costs; its row is written as it comes."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import MemoryBankError, UsageError
from memory_bank.bank.events import AgentFailed, Event, TurnTaken
from memory_bank.bank.settings import Settings
from memory_bank.bank.usage import Usage
from memory_bank.bank.value import Value
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.text.wording import one_line

Line = TypeVar("Line", bound=Value)
Record = TypeVar("Record")
Row = dict[str, Any]


@dataclass(frozen=True)
class Played:
    """A session that was run for an item: what it came to, in how many seconds, and why it shows nothing, if so.

    `failed_judgements` counts the judgements that no model made, with retries.
    """

    bank: Bank
    seconds: float
    failure: str | None = None
    failed_judgements: int = 0


def play(
    task: str,
    documents: Iterable[Path | Upload],
    sources: Iterable[Upload] = (),
    *,
    settings: Settings,
    parts: Parts | None = None,
    until: Callable[[Bank, Event], bool] | None = None,
) -> Played:
    """Run a session as the app would, with the embedding model that suits its language; `until` ends it early.

    What stops the session, such as a server that refuses, ends this item only; so does a server that answers
    nothing, since a session goes on without its model and would be scored as if it were the model's.
    """
    started, failure = time.perf_counter(), None
    failed, answered = list[AgentFailed](), 0
    with tempfile.TemporaryDirectory() as folder:
        session = Session.create(task, documents, sources, settings=settings, sessions=Path(folder), parts=parts)
        try:
            with closing(session.run()) as events:
                for event in events:
                    if isinstance(event, AgentFailed):
                        failed += [] if event.again else [event]
                    calls = event.turn.calls if isinstance(event, TurnTaken) else getattr(event, "calls", ())
                    answered += any(call.error is None for call in calls)
                    if until is not None and until(session.bank, event):
                        break
        except MemoryBankError as error:
            failure = one_line(str(error))
        if failure is None and failed and not answered:
            failure = (
                f"no request was answered, {len(failed)} judgements failed; the last: {one_line(failed[-1].error)}"
            )
        return Played(session.bank, time.perf_counter() - started, failure, len(failed))


class Items:
    """Which items are run, and their rows. `only` names some of them; `limit` takes the first so many.

    Each row is appended to `file` once its item is done, so that an evaluation that is aborted keeps what it has.
    `note` is told a line about each item that asked a model or failed.
    """

    def __init__(
        self,
        limit: int | None = None,
        only: Iterable[str] = (),
        file: Path | None = None,
        note: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self.limit = limit
        self.only = frozenset(only)
        self._found: set[str] = set()
        self._file = file
        self._note = note
        if file is not None:
            file.write_text("", encoding="utf-8")

    def take(self, records: Iterable[Record], names: Callable[[Record], Sequence[str]]) -> Iterator[Record]:
        """The records to run. `names` are the ids that select a record."""
        return islice((record for record in records if self.wants(*names(record))), self.limit)

    def wants(self, *names: str) -> bool:
        """Whether an item of these names is to be run."""
        named = self.only.intersection(names)
        self._found |= named
        return not self.only or bool(named)

    def row(self, item_id: str, played: Played, outcome: str, **scores: Any) -> Row:  # noqa: ANN401 - JSON values
        """The row of an item, written to the file. An item that failed has the reason in place of its outcome."""
        usage = played.bank.usage.model_dump() | {"seconds": round(played.seconds, 1)}
        result = {"outcome": outcome, **scores} if played.failure is None else {"failed": played.failure}
        row = {"id": item_id, **result, "failed_judgements": played.failed_judgements, "usage": usage}
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        if usage["calls"] or played.failed_judgements or played.failure is not None:
            self._note(f"{item_id}: {_outcome(row)} ({played.bank.usage.in_words})")
        return row

    def check(self) -> None:
        """Raise `UsageError` for names in `only` that no item has."""
        missing = sorted(self.only - self._found)
        if missing:
            raise UsageError(f"the data has no item {', '.join(missing)}; see the ids in its files")


def costs(rows: Iterable[Row]) -> Row:
    """What the items cost together, and how many of them failed."""
    rows = list(rows)
    total = sum((Usage.model_validate(row["usage"]) for row in rows), Usage())
    return {
        "failed": sum("failed" in row for row in rows),
        "usage": total.model_dump() | {"seconds": round(total.seconds, 1)},
        "items": rows,
    }


def _outcome(row: Row) -> str:
    if "failed" in row:
        return f"failed: {row['failed']}"
    lost = row.get("failed_judgements", 0)
    return f"{row['outcome']} ({lost} judgements failed)" if lost else str(row["outcome"])


def data_files(path: Path) -> list[Path]:
    """The file itself, or all `.jsonl` files of a folder in order of name. Raises `UsageError` if there are none."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise UsageError(f"{path}: no .jsonl data here; give a file or a folder in the format of the data's README")
    return files


def read_records(file: Path, kinds: dict[str, type[Line]]) -> Iterator[Line]:
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


def conflict_json(conflict: Conflict) -> dict[str, Any]:
    """A conflict as JSON values, for the row of an item."""
    return {
        "id": conflict.id,
        "description": conflict.description,
        "sides": [[{"source": claim.source, "text": claim.text} for claim in side] for side in conflict.sides],
        "verdict": conflict.verdict,
        "confidence": conflict.confidence,
        "reason": conflict.reason,
    }
