"""`memory …`: commands on long-term memory."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from memory_bank.app.cli.output import DONE, FAILED, fail, write_line, write_result
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings, load_settings
from memory_bank.long_term.record import Episode, Fact, Scope, export_records, first_fault, parse_records, scope_of
from memory_bank.long_term.record_type import RECORD_TYPES, RecordType
from memory_bank.text.wording import one_line

if TYPE_CHECKING:
    from memory_bank.long_term.memory import LongTermMemory
    from memory_bank.long_term.store import AnyRecord

_MAX_HITS = 5
Command = Callable[[argparse.Namespace, Scope, "LongTermMemory"], int]


def run_memory_command(parsed: argparse.Namespace) -> int:
    """Open the memory, run the command, and close the memory."""
    from memory_bank.long_term.opening import open_memory  # noqa: PLC0415 - slow to import

    scope, settings = scope_and_settings(parsed)
    command = _COMMANDS[parsed.verb]
    with closing(open_memory(settings)) as memory:
        return command(parsed, scope, memory)


def scope_and_settings(parsed: argparse.Namespace) -> tuple[Scope, Settings]:
    """The scope that the options name, and the settings with the memory's address."""
    overrides = {} if parsed.uri is None else {"long_term_uri": parsed.uri}
    return scope_of(parsed.user, parsed.project), load_settings(**overrides)


# -- commands ------------------------------------------------------------------------------------------------


def _add(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    result = memory.remember(_new(parsed, scope))
    against = None if result.against is None else _record_json(result.against)
    answer = {
        "outcome": result.outcome,
        "record": _record_json(result.record),
        "against": against,
        "reason": result.reason,
    }
    if result.against is None:
        _say(parsed, answer, [f"{result.outcome}: {_record_line(result.record)}"])
        return DONE
    _say(parsed, answer, [f"stored:   {_record_line(result.against)}", f"disputed: {one_line(result.record.content)}"])
    return fail(
        f"it contradicts what is stored: {result.reason}; both are kept: "
        f"say which holds with `memory decide --id {result.against.id} --verdict stored|new|both`",
        FAILED,
    )


def _new(parsed: argparse.Namespace, scope: Scope) -> AnyRecord:
    now = datetime.now(UTC)
    common = {"user_id": scope.user, "project_id": scope.project, "created": now, "updated": now}
    try:
        if parsed.type == "episode":
            return Episode(goal=parsed.text, **common)
        return Fact(type=parsed.type or "semantic", content=parsed.text, **common)
    except ValidationError as error:
        raise UsageError(f"--text cannot be kept: {first_fault(error)}") from error


def _search(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    if not parsed.query.strip():
        raise UsageError("--query is empty; say what is looked for")
    hits = memory.search(scope, parsed.query, _types(parsed), _MAX_HITS)
    answer = [{"similarity": round(hit.similarity, 4), **_record_json(hit.record)} for hit in hits]
    _say(parsed, answer, [f"{hit.similarity:.2f}  {_record_line(hit.record)}" for hit in hits])
    return DONE


def _list(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    records = memory.records(scope, _types(parsed))
    _say(parsed, [_record_json(record) for record in records], [_record_line(record) for record in records])
    return DONE


def _decide(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    record = _record_in_scope(parsed, scope, memory)
    disputes = record.disputes if isinstance(record, Fact) else ()
    dispute = next((each for each in disputes if parsed.dispute in (None, each.id)), None)
    decided = None if dispute is None else memory.decide(scope.user, parsed.id, dispute.id, parsed.verdict)
    if decided is None:
        raise UsageError(f"record {parsed.id!r:.100} has no such dispute; see which there are with `memory list`")
    _say(parsed, _record_json(decided), [f"decided: {_record_line(decided)}"])
    return DONE


def _record_in_scope(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> AnyRecord | None:
    """The record that `--id` names, if it is in the scope."""
    record = memory.get(scope.user, parsed.id)
    return record if record is not None and scope.project in (None, record.project_id) else None


def _forget(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    if parsed.id is None:
        count = memory.forget_all(scope, _types(parsed))
    else:
        record = _record_in_scope(parsed, scope, memory)
        if record is None or record.type not in _types(parsed) or not memory.forget(scope.user, parsed.id):
            raise UsageError(f"no record {parsed.id!r:.100} there; see which there are with `memory list`")
        count = 1
    _say(parsed, {"forgotten": count}, [f"forgotten: {count} record{'' if count == 1 else 's'}"])
    return DONE


def _export(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    write_result(export_records(memory.records(scope, _types(parsed))), parsed.out)
    return DONE


def _import(parsed: argparse.Namespace, scope: Scope, memory: LongTermMemory) -> int:
    records = parse_records(parsed.export.read_bytes())
    if scope.project is not None:
        records = tuple(record for record in records if record.project_id == scope.project)
    taken = memory.take(records, scope.user)
    existing = len(records) - taken
    _say(parsed, {"taken": taken, "already_there": existing}, [f"taken: {taken}, already there: {existing}"])
    return DONE


_COMMANDS: dict[str, Command] = {
    "add": _add,
    "search": _search,
    "list": _list,
    "decide": _decide,
    "forget": _forget,
    "export": _export,
    "import": _import,
}


# -- output --------------------------------------------------------------------------------------------------


def _types(parsed: argparse.Namespace) -> tuple[RecordType, ...]:
    return RECORD_TYPES if parsed.type is None else (parsed.type,)


def _record_json(record: AnyRecord) -> dict[str, Any]:
    """A record as JSON values; `content` is set for every type of record."""
    return {**record.model_dump(mode="json"), "content": record.content}


def _record_line(record: AnyRecord) -> str:
    project = f" [{one_line(record.project_id)}]" if record.project_id else ""
    context = f"{record.context}: " if isinstance(record, Fact) and record.context else ""
    line = f"{record.id}  {record.type}  {record.updated:%Y-%m-%d}{project}  {one_line(context + record.content)}"
    disputes = record.disputes if isinstance(record, Fact) else ()
    return "\n".join([line, *(f"  disputed {dispute.id}: {one_line(dispute.text)}" for dispute in disputes)])


def _say(parsed: argparse.Namespace, answer: object, lines: list[str]) -> None:
    text = json.dumps(answer, ensure_ascii=False, indent=1) if parsed.json else "\n".join(lines)
    if text:
        write_line(text)
