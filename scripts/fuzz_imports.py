"""Exported sessions made wrong in every way, for the import: what is made, and what must become of each."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, ImportRefusedError
from memory_bank.bank.events import EVENT, Event
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.policy import Policy
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore, Upload
from memory_bank.storage.transfer import export_layers, export_session, first_difference, import_session, parse_export
from memory_bank.views.event_formatting import describe
from memory_bank.views.exports.graphml import graphml
from memory_bank.views.exports.html_report import report
from memory_bank.views.i18n import ENGLISH
from memory_bank.views.snapshot import Moment
from scripts.mutation import RAW, WORDS, Place, any_value, at, places, spoilt, spoilt_bytes
from scripts.watched import Fault, check_line
from tests.bank.story import FULL
from tests.bank.story import Story as Told
from tests.builders import every_event
from tests.faults.story import IMAGE, Seeing
from tests.long_term.in_memory import InMemoryStore
from tests.session.test_models import DOCUMENTS, SOURCES, TASK
from tests.step_clock import StepClock

EMBEDDER = HashEmbedder()
_EVENTS: TypeAdapter[tuple[Event, ...]] = TypeAdapter(tuple[Event, ...])
_TOKENS = tuple(
    token.encode("utf-8", "surrogatepass")
    for token in (
        *('"', "\\", "{", "}", "[", "]", ",", ":", "null", "1e999", "NaN", "-", "\0", "\ud800", "\\ud800", "\ufeff"),
        *('{"a":', "[", '"seq": 1,', '"type": "notice",', '"files/../x"', "=", "AAAA", '"events": [],', "//", "'"),
    )
)
_RECORD = re.compile(r'"[0-9a-f]{32}"')
"""The id of a record in long-term memory: another each time, which a case must not be."""
_EXPORTED_AGAIN, _SHOWN = 8, 64
"""The log of whatever was taken is read; one of so many is exported and imported again, and shown in every way."""


def sessions(folder: Path) -> list[str]:
    """Exports of small sessions: of whole runs of the embedded engine, and told ones that hold one of everything."""
    disputed = _finished(_begun(folder, "disputed", TASK, [*DOCUMENTS, IMAGE], SOURCES))
    decided = _finished(_begun(folder, "decided", TASK, DOCUMENTS))
    for conflict_id in decided.bank.conflicts:
        decided.decide(conflict_id, "second", "I was there")
    _finished(decided)
    paused = _begun(folder, "paused", TASK, DOCUMENTS[:1])
    for event in paused.run():
        if event.type == "node_created":
            paused.pause()
    memory = LongTermMemory(InMemoryStore(EMBEDDER.name), lambda: EMBEDDER, policy=Policy(), clock=StepClock())
    first = _finished(_begun(folder, "first", "My mill was built in 1869. When was my mill built?", memory=memory))
    again = _finished(_begun(folder, "again", "And when was my mill last worked?", DOCUMENTS[:1], memory=memory))
    told = Told().play(FULL)
    exports = [
        *(each.export() for each in (disputed, decided, paused, first, again)),
        *(export_session(events) for events in (told.events, every_event())),
        paused.export(embeddings=True),
        disputed.export(files=True),
        again.export(files=True),
    ]
    return [_RECORD.sub(f'"{1:032x}"', text) for text in exports]


def _parts(memory: LongTermMemory | None = None) -> Parts:
    engine = OfflineEngine(EMBEDDER)
    clock = StepClock(datetime(2024, 1, 1, tzinfo=UTC))
    parts = Parts(clock, EMBEDDER, dict.fromkeys(AGENTS, engine), Seeing(EMBEDDER))
    if memory is None:
        return parts
    return replace(parts, framework=OfflineFramework(EMBEDDER), memory=lambda: memory)


def _begun(
    folder: Path,
    name: str,
    task: str,
    documents: Sequence[Upload] = (),
    references: Sequence[Upload] = (),
    memory: LongTermMemory | None = None,
) -> Session:
    return Session.create(
        task,
        documents,
        references,
        settings=Settings(embedding_model="hash"),
        sessions=folder,
        session_id=name,
        parts=_parts(memory),
        owner=Owner(user="ann", conversation_id="c1") if memory else None,
    )


def _finished(session: Session) -> Session:
    for _event in session.run():
        pass
    return session


class Export:
    """A right export, the places in it that can be made wrong, and the single values of its events, each as JSON."""

    def __init__(self, text: str) -> None:
        self.text, self.data = text, text.encode()
        self.document: dict[str, Any] = json.loads(text)
        self.places = places(self.document)
        self.of_events = [place for place in self.places if place[0] == "events" and len(place) > 1]
        found = (at(self.document, place) for place in self.of_events)
        self.leaves = sorted({json.dumps(value) for value in found if isinstance(value, str | int | float)})


class Imports:
    """Mutated exports by number, and whether the import does with one what it should."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._exports = [Export(text) for text in texts]
        self._values = [at(one.document, place) for one in self._exports for place in one.places]
        self._ids = [value for value in self._values if isinstance(value, str) and len(value) < 20]
        self._weights = [1 / len(one.text) for one in self._exports]  # as much time for each
        schema = EVENT.json_schema()
        self._definitions: dict[str, Any] = schema["$defs"]
        self._kinds = sorted(schema["discriminator"]["mapping"].values())
        self._ways: dict[Callable[[Export, random.Random], bytes], int] = {
            self._bytes: 20,
            self._tree: 35,
            self._rebuilt: 25,
            self._everywhere: 14,
            self._file: 6,
        }

    def begin(self) -> None:
        """Nothing is to be loaded."""

    def data(self, number: int) -> bytes:
        """The export of that number, always the same."""
        chance = random.Random(number)  # noqa: S311 - nothing secret
        export = chance.choices(self._exports, self._weights)[0]
        way = chance.choices(list(self._ways), list(self._ways.values()))[0]
        return way(export, chance)

    def attempt(self, data: bytes, number: int, folder: Path) -> str:
        """Import it into a store in the folder: what became of it in a few words; `Fault` where it should not have."""
        store = SessionStore(folder / "sessions")
        try:
            session_id = import_session(data, store)
        except ImportRefusedError as error:
            return "refused: " + check_line(str(error))
        try:
            _inspect(store, session_id, number)
        finally:
            store.delete(session_id)
        return "accepted"

    # -- ways to make one wrong ------------------------------------------------------------------------------

    def _bytes(self, export: Export, chance: random.Random) -> bytes:
        data = export.data
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            data = spoilt_bytes(data, chance, [chance.choice(self._exports).data], _TOKENS)
        return data if chance.random() < 0.97 else data.decode("utf-8", "replace").encode("utf-16")

    def _tree(self, export: Export, chance: random.Random) -> bytes:
        return _written(self._spoilt(export, export.places, chance))

    def _rebuilt(self, export: Export, chance: random.Random) -> bytes:
        """Events made wrong, and the layers that they add up to, where they do: past the first checks."""
        document = self._spoilt(export, export.of_events, chance)
        events = document["events"] if isinstance(document["events"], list) else []
        if chance.random() < 0.4:
            start = chance.randrange(len(events) + 1)
            document["events"] = events = events[:start] + self._more_events(chance) + events[start:]
        if chance.random() < 0.8:
            events = [{**one, "seq": seq} for seq, one in enumerate(events, start=1) if isinstance(one, dict)]
            document["events"] = events
        with suppress(ValueError, CorruptLogError):  # then they stay as they were
            document |= export_layers(Bank.replay(_EVENTS.validate_python(events)))
        return _written(document)

    def _more_events(self, chance: random.Random) -> list[Any]:
        """Events of another session, or invented ones."""
        if chance.random() < 0.5:
            events = chance.choice(self._exports).document["events"]
            start = chance.randrange(len(events))
            return list(events[start : start + chance.choice((1, 1, 3, 20))])
        return [self._invented({"$ref": chance.choice(self._kinds)}, chance) for _ in range(chance.choice((1, 3)))]

    def _invented(self, schema: dict[str, Any], chance: random.Random) -> object:
        """A value that a schema allows, or nearly."""
        if "$ref" in schema:
            return self._invented(self._definitions[schema["$ref"].rpartition("/")[2]], chance)
        if chance.random() < 0.005:
            return any_value(chance)
        if "const" in schema or "enum" in schema:
            return chance.choice(schema.get("enum") or [schema["const"]])
        if "anyOf" in schema:
            return self._invented(chance.choice(schema["anyOf"]), chance)
        match schema.get("type"):
            case "object":
                wanted = (*schema.get("required", ()), "type")
                fields = schema.get("properties", {}).items()
                named = [(name, about) for name, about in fields if name in wanted or chance.random() < 0.5]
                return {name: self._invented(about, chance) for name, about in named}
            case "array":
                items = schema.get("prefixItems") or [schema["items"]] * chance.choice((1, 1, 2, 3))
                return [self._invented(about, chance) for about in items]
        return _single(schema, self._ids, chance)

    def _everywhere(self, export: Export, chance: random.Random) -> bytes:
        """A value changed wherever it stands, so that events and layers still agree."""
        text = export.text
        for _ in range(chance.choice((1, 1, 2))):
            old = chance.choice(export.leaves)
            new = chance.choice(export.leaves) if chance.random() < 0.3 else json.dumps(any_value(chance))
            mark = chance.choice((": {}", " {}"))
            text = text.replace(mark.format(old), mark.format(new))
        return _raw(text)

    def _file(self, export: Export, chance: random.Random) -> bytes:
        """A file damaged, missing, of another name, or another than its source says; sometimes all of it agrees."""
        with_files = [one for one in self._exports if "files" in one.document]
        export = chance.choice(with_files)
        path = chance.choice(list(export.document["files"]))
        old = base64.b64decode(export.document["files"][path])
        text = export.text
        new = spoilt_bytes(old, chance, [old], _TOKENS)
        if chance.random() < 0.5:
            text = text.replace(base64.b64encode(old).decode(), base64.b64encode(new).decode())
        else:
            packed = base64.b64encode(old)
            wrong = spoilt_bytes(packed, chance, [packed], _TOKENS).decode("utf-8", "replace")
            text = text.replace(f'"{packed.decode()}"', json.dumps(wrong))
        if chance.random() < 0.5:
            sums = [hashlib.sha256(data).hexdigest() for data in (old, new)]
            text = text.replace(sums[0], sums[1]).replace(f'"bytes": {len(old)}', f'"bytes": {len(new)}')
        if chance.random() < 0.3:
            text = text.replace(f'"{path}"', json.dumps(chance.choice((*WORDS, "files/s2", "files/-", "files/x.part"))))
        return text.encode("utf-8", "surrogatepass")

    def _spoilt(self, export: Export, among: Sequence[Place], chance: random.Random) -> dict[str, Any]:
        document = dict(export.document)
        for _ in range(chance.choices((1, 2, 4, 10), (70, 15, 10, 5))[0]):
            try:
                document = spoilt(document, chance.choice(among), chance, self._values)
            except (LookupError, TypeError, AttributeError):
                continue  # an earlier change took that place away
        return document


def _single(schema: dict[str, Any], ids: Sequence[str], chance: random.Random) -> object:
    if schema.get("format") == "date-time":
        return f"{chance.choice((1, 1970, 2024, 9999)):04}-01-01T00:00:00{chance.choice(('Z', '+14:00', '-12:00'))}"
    values: dict[str, Sequence[object]] = {
        "integer": (0, 1, 2, 7, 10**6),
        "number": (0, 0.5, 1e9, 1e308),
        "boolean": (True, False),
        "null": (None,),
    }
    return chance.choice(values.get(schema.get("type", ""), ids))


def _written(document: object) -> bytes:
    return _raw(json.dumps(document))


def _raw(text: str) -> bytes:
    for mark, raw in RAW.items():
        if mark in text:
            text = text.replace(f'"{mark}"', raw, 20)
    return text.encode("utf-8", "surrogatepass")


def _inspect(store: SessionStore, session_id: str, number: int) -> None:
    """What was taken can be opened; of some it is looked at whether it is whole, and all that can be shown of it."""
    folder = store.find(session_id)
    events = EventLog(folder).events
    if number % _EXPORTED_AGAIN == 0:
        _export_again(store, events, folder)
    if number % _SHOWN == 0:
        _show(store, session_id, events)


def _export_again(store: SessionStore, events: Sequence[Event], folder: Path) -> None:
    text = export_session(events, files=folder)
    if difference := first_difference(parse_export(text)):
        raise Fault(f"its export does not add up: {difference}")
    again = import_session(text.encode(), store)
    copied = store.find(again)
    if export_session(EventLog(copied).events, files=copied) != text:
        raise Fault("an export of the import is another text")
    store.delete(again)


def _show(store: SessionStore, session_id: str, events: Sequence[Event]) -> None:
    if store.ids() != [session_id] or store.summary(session_id).events != len(events):
        raise Fault("the store lists it as another")
    session = Session.open(session_id, settings=Settings(embedding_model="hash"), sessions=store.folder, parts=_parts())
    if session.events != events:
        raise Fault("the session that was opened is another")
    moment = Moment()
    moment.follow(events)
    moment.progress()
    for event in events:
        if not describe(event).isprintable():
            raise Fault(f"event {event.seq} is no line: {describe(event)!r:.200}")
    report(events, ENGLISH)
    graphml(moment.bank)
