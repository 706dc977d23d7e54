"""Export a whole session, and validate an export for import (format in section 8 of the specification).

An export holds the events and the layers that they add up to. An import is untrusted: it is validated, and accepted
only if its events really add up to its layers. A change of the format adds one to `VERSION` and a step to `STEPS` under
the number of the version that it starts from: it is given the JSON of an export and returns it in the next version.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ValidationError
from pydantic_core import from_json

from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import CorruptLogError, ImportRefusedError
from memory_bank.bank.events import EngineChoice, Event, Status
from memory_bank.bank.insight_doc import CompletedTask, TaskType
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node
from memory_bank.bank.usage import Usage
from memory_bank.bank.value import StoreFile, Time, Value
from memory_bank.storage.atomic_files import write_whole
from memory_bank.storage.event_log import EventLog, upgraded
from memory_bank.storage.session_store import SessionStore, new_session_id
from memory_bank.text.wording import Wording, one_line

VERSION = 1
Step = Callable[[dict[str, Any]], dict[str, Any]]
STEPS: dict[int, Step] = {}
"""Version 1 is the first, so there is nothing to upgrade yet."""
FORMAT = "memory-bank-session"
LAYERS = ("session", "insight_doc", "query_graph", "interaction_trees", "conflicts", "answer")

Embed = Callable[[list[str]], list[list[float]]]


class ExportedHeader(Value):
    """What the session was and what it cost."""

    id: str
    created_at: Time
    finished_at: Time | None
    status: Status
    engine: dict[str, EngineChoice]
    settings: dict[str, Any]
    usage: Usage
    usage_by_agent: dict[str, Usage]


class ExportedInsightDoc(Value):
    """The Insight Doc, its current task as text: empty when there is none."""

    doc_id: str
    task_goal: str
    completed_tasks: tuple[CompletedTask, ...]
    current_task: str
    current_task_type: TaskType | None = None


class ExportedNode(Node):
    """A node, with its vector where that was asked for."""

    embedding: tuple[float, ...] | None = None


class ExportedGraph(Value):
    """Nodes and undirected edges."""

    nodes: tuple[ExportedNode, ...]
    edges: tuple[tuple[str, str], ...]


class ExportedTrees(Value):
    """A node's entries and the merges that led to it."""

    entries: tuple[Entry, ...]
    merges: tuple[Merge, ...]


class SessionExport(Value):
    """A whole session. `files` are those of its documents and images, in base64, where they were asked for."""

    format: Literal["memory-bank-session"]
    version: Literal[1]
    session: ExportedHeader
    insight_doc: ExportedInsightDoc
    query_graph: ExportedGraph
    interaction_trees: dict[str, ExportedTrees]
    conflicts: tuple[Conflict, ...]
    answer: Answer | None
    events: tuple[Annotated[Event, AfterValidator(upgraded)], ...]
    files: dict[StoreFile, str] | None = None


def export_session(events: Sequence[Event], embed: Embed | None = None, files: Path | None = None) -> str:
    """The JSON text of a session, from its events; with the nodes' vectors if `embed` is given.

    `files` is the session's folder, if its documents and images are to be included.
    """
    bank = Bank.replay(events)
    layers = export_layers(bank)
    if embed is not None:
        nodes = layers["query_graph"]["nodes"]
        texts = [Node.model_validate(node).embedding_text for node in nodes]
        for node, vector in zip(nodes, embed(texts), strict=True):
            node["embedding"] = vector
    document = {"format": FORMAT, "version": VERSION, **layers}
    document["events"] = [event.model_dump(mode="json") for event in events]
    if files is not None:
        document["files"] = {
            path: b64encode((files / path).read_bytes()).decode()
            for path in _known_files(bank)
            if (files / path).is_file()
        }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _known_files(bank: Bank) -> dict[str, tuple[int, str]]:
    """The files in a session's folder that it refers to: size in bytes and SHA-256, by path."""
    sources = {source.path: (source.bytes, source.sha256) for source in bank.sources.values()}
    attachments = (file for entry in bank.trees for file in entry.attachments if "://" not in file.path)
    return sources | {file.path: (file.bytes, file.sha256) for file in attachments}


def files_of(export: SessionExport) -> dict[str, bytes]:
    """The files in an export, by their paths in the session's folder.

    `ImportRefusedError` if a file is not the one that the session recorded: a citation could then show anything.
    """
    if not export.files:
        return {}
    known = _known_files(Bank.replay(export.events))
    files = {}
    for path, text in export.files.items():
        try:
            data = b64decode(text, validate=True)
        except ValueError as error:
            raise ImportRefusedError(Wording("the file {path} of this export is damaged", path=path)) from error
        if known.get(path) != (len(data), hashlib.sha256(data).hexdigest()):
            raise ImportRefusedError(
                Wording("the file {path} of this export is not the one that its session read", path=path)
            )
        files[path] = data
    return files


def export_layers(bank: Bank) -> dict[str, Any]:
    """The layers of an export as JSON values: everything but its format, events and files."""
    if bank.created_at is None:
        raise CorruptLogError("a session without its first event cannot be exported")
    doc, graph, trees = bank.insight_doc, bank.query_graph, bank.trees
    header = ExportedHeader(
        id=bank.session_id,
        created_at=bank.created_at,
        finished_at=bank.finished_at,
        status=bank.status,
        engine=bank.engine,
        settings=bank.settings,
        usage=bank.usage,
        usage_by_agent=bank.usage_of,
    )
    insight_doc = ExportedInsightDoc(
        doc_id=doc.doc_id,
        task_goal=doc.task_goal,
        completed_tasks=doc.completed_tasks,
        current_task=doc.current_task.description if doc.current_task else "",
        current_task_type=doc.current_task.type if doc.current_task else None,
    )
    return {
        "session": header.model_dump(mode="json"),
        "insight_doc": insight_doc.model_dump(mode="json"),
        "query_graph": {
            "nodes": [node.model_dump(mode="json") for node in graph],
            "edges": [list(edge) for edge in graph.edges()],
        },
        "interaction_trees": {
            node.id: {
                "entries": [entry.model_dump(mode="json") for entry in trees.entries(node.id)],
                "merges": [merge.model_dump(mode="json") for merge in trees.merges(node.id)],
            }
            for node in graph
        },
        "conflicts": [conflict.model_dump(mode="json") for conflict in bank.conflicts.values()],
        "answer": bank.answer and bank.answer.model_dump(mode="json"),
    }


def parse_export(text: str | bytes) -> SessionExport:
    """Parse and validate an export. `ImportRefusedError` says in one line what is wrong with it."""
    try:
        data = from_json(text, allow_inf_nan=False)  # also refuses lone surrogates and deep nesting
        json.dumps(data, allow_nan=False)  # from_json reads 1e999 as infinity
    except (ValueError, TypeError) as error:
        raise ImportRefusedError(Wording("this is not a session export: it is not valid JSON")) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ImportRefusedError(
            Wording("this is not a session export: its format is not {format}", format=f"{FORMAT!r}")
        )
    try:
        return SessionExport.model_validate(_upgraded(data))
    except ValidationError as error:
        first = error.errors()[0]
        where = _location(first["loc"])
        raise ImportRefusedError(
            Wording("this export is damaged at {place}: {detail}", place=where, detail=f"{one_line(first['msg']):.120}")
        ) from error


def _upgraded(data: dict[str, Any]) -> dict[str, Any]:
    """The export in the newest version. `ImportRefusedError` for an unknown version, or where a step fails."""
    version = data.get("version")
    try:
        while type(version) is int and version in STEPS:
            data = {**STEPS[version](data), "version": version + 1}
            version += 1
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # a step found something else than it expects
        raise ImportRefusedError(
            f"this export of version {version} is damaged: it cannot be upgraded to version {VERSION}"
        ) from error
    if type(version) is not int or version != VERSION:
        raise ImportRefusedError(
            Wording(
                "this export has version {version}; this program reads version {number}; update the program",
                version=f"{version!r:.20}",
                number=VERSION,
            )
        )
    return data


def first_difference(export: SessionExport) -> str | None:
    """Where the stored layers differ from those rebuilt from the events, or None if they agree.

    `ImportRefusedError` if the events do not fit together at all.
    """
    try:
        rebuilt = export_layers(Bank.replay(export.events))
    except CorruptLogError as error:
        reason = one_line(str(error))
        raise ImportRefusedError(
            Wording("the events of this export do not fit together: {detail}", detail=f"{reason:.200}")
        ) from error
    stored = export.model_dump(mode="json", include=set(LAYERS))
    for node in stored["query_graph"]["nodes"]:
        del node["embedding"]
    return _difference(rebuilt, stored)


def _difference(rebuilt: Any, stored: Any, path: tuple[str | int, ...] = ()) -> str | None:  # noqa: ANN401 - any JSON
    if isinstance(rebuilt, dict) and isinstance(stored, dict):
        for key in [*rebuilt, *(key for key in stored if key not in rebuilt)]:
            key_path = (*path, key)
            if (key in rebuilt) != (key in stored):
                return f"{_location(key_path)} is only in the {'events' if key in rebuilt else 'stored layers'}"
            if difference := _difference(rebuilt[key], stored[key], key_path):
                return difference
        return None
    if isinstance(rebuilt, list) and isinstance(stored, list):
        if len(rebuilt) != len(stored):
            return f"{_location(path)} has {len(rebuilt)} items by the events, {len(stored)} as stored"
        pairs = enumerate(zip(rebuilt, stored, strict=True))
        return next((difference for i, (a, b) in pairs if (difference := _difference(a, b, (*path, i)))), None)
    if rebuilt != stored or type(rebuilt) is not type(stored):  # False == 0 and 1 == 1.0
        return f"{_location(path)} is {rebuilt!r:.120} by the events, {stored!r:.120} as stored"
    return None


def _location(path: Sequence[str | int]) -> str:
    """The dotted path of a value in an export, on one line."""
    return f"{one_line('.'.join(str(part) for part in path)):.120}"


def import_session(text: str | bytes, store: SessionStore) -> str:
    """Store an exported session under a new id, and return that id.

    Events and files are stored unchanged, so an export of the import is the same text. `ImportRefusedError` if the
    text is not a valid export. After any failure nothing is left behind.
    """
    export = parse_export(text)
    difference = first_difference(export)
    if difference is not None:
        raise ImportRefusedError(
            Wording("the events of this export do not add up to what it shows: {detail}", detail=difference)
        )
    if [event.seq for event in export.events] != list(range(1, len(export.events) + 1)):
        raise ImportRefusedError(Wording("the events of this export are not numbered one after another from 1"))
    files = files_of(export)
    session_id = new_session_id()
    folder = store.create(session_id)
    try:
        with contextlib.closing(EventLog(folder)) as log:
            log.draft()
            log.claim()  # makes the draft first: if this process is killed, `sweep` deletes the files too
            for path, data in files.items():
                write_whole(folder / path, data)
            for event in export.events:
                log.append(event)
            log.publish()
    except BaseException:
        shutil.rmtree(folder)
        raise
    return session_id
