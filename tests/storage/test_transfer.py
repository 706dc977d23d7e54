from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from pydantic import ValidationError

from memory_bank.agents.agent import Engine
from memory_bank.app.demo import load_demo
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, ImportRefusedError
from memory_bank.bank.events import Notice, PlanUpdated
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.bank.source import Source
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.transfer import LAYERS, SessionExport, export_session, first_difference, parse_export
from scripts.schema import PATH, schema
from tests.bank.story import FULL, Story
from tests.builders import make_attachment, make_current, make_source
from tests.step_clock import StepClock

Place = tuple[str | int, ...]

# The keys that section 8 of the specification promises. A list means any number of its one item, "*" any key.
CLAIM = {"id", "text", "entry_id", "start", "end", "source", "page"}
CONTRACT: dict[str, Any] = {
    "format": None,
    "version": None,
    "session": {
        "id": None,
        "created_at": None,
        "finished_at": None,
        "status": None,
        "engine": {"*": {"provider", "model"}},
        "settings": None,
        "usage": {"calls", "prompt_tokens", "completion_tokens", "cost_usd", "seconds"},
    },
    "insight_doc": {
        "doc_id": None,
        "task_goal": None,
        "completed_tasks": [{"type", "description", "status", "context"}],
        "current_task": None,
    },
    "query_graph": {
        "nodes": [
            {
                "id": None,
                "summary": None,
                "context": None,
                "keywords": None,
                "timestamp": None,
                "status": None,
                "claims": [CLAIM],
            }
        ],
        "edges": None,
    },
    "interaction_trees": {
        "*": {
            "entries": [
                {
                    "id": None,
                    "text": None,
                    "created_at": None,
                    "metadata": None,
                    "attachments": [{"id", "type", "path", "media_type", "bytes", "sha256"}],
                }
            ],
            "merges": [{"node_ids", "at", "description", "verdict", "conflict_id"}],
        }
    },
    "conflicts": [
        {
            "id": None,
            "node_ids": None,
            "claims": [CLAIM],
            "description": None,
            "status": None,
            "verdict": None,
            "decided_by": None,
            "reason": None,
            "evidence": [{"source", "passage", "supports"}],
            "merged_into": None,
        }
    ],
    "answer": {
        "text": None,
        "affirmed": None,
        "disputed": [{"conflict_id", "sides"}],
        "rejected": [{"conflict_id", "text", "why"}],
        "citations": [{"number", "entry_id", "start", "end", "source", "page"}],
    },
    "events": [{"seq", "at", "type"}],
}


@pytest.fixture(scope="module")
def text() -> str:
    """The export of the full story."""
    return export_session(Story().play(FULL).events)


@pytest.fixture
def document(text: str) -> dict[str, Any]:
    """The same export as a dictionary that a test can change."""
    document: dict[str, Any] = json.loads(text)
    return document


def refusal(text: str | bytes) -> str:
    """Why an import is refused, when it is parsed or when its events are replayed."""
    with pytest.raises(ImportRefusedError) as raised:
        first_difference(parse_export(text))
    return str(raised.value)


def noticed(document: dict[str, Any] | bytes) -> str | None:
    """The result of checking a document for import: the refusal, the first difference, or None."""
    try:
        return first_difference(parse_export(document if isinstance(document, bytes) else json.dumps(document)))
    except ImportRefusedError as error:
        return str(error)


# -- the round trip ------------------------------------------------------------------------------------------


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_of_a_person_or_a_document_survives(text: str) -> None:
    story = Story()
    story.tell(Notice(message=text))
    assert parse_export(export_session(story.events)).events == tuple(story.events)


def test_bytes_and_text_are_read_alike(text: str) -> None:
    assert parse_export(text.encode()) == parse_export(text)


def test_vectors_are_left_out_unless_they_are_asked_for(text: str) -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append(texts)
        return [[float(number), 0.5] for number in range(len(texts))]

    story = Story().play(FULL)
    with_vectors = export_session(story.events, embed)
    assert "embedding" not in text
    assert asked == [[node.embedding_text for node in story.bank.query_graph]]
    export = parse_export(with_vectors)
    assert [node.embedding for node in export.query_graph.nodes] == [(float(i), 0.5) for i in range(len(asked[0]))]
    assert first_difference(export) is None
    Draft202012Validator(json.loads(schema())).validate(json.loads(with_vectors))


def test_nothing_is_exported_before_the_session_began() -> None:
    for events in ([], [Notice(message="early")]):
        with pytest.raises(CorruptLogError):
            export_session(events)


# -- the contract --------------------------------------------------------------------------------------------


def missing(promised: Any, found: Any, path: str = "export") -> Iterator[str]:
    """The paths of promised keys that `found` lacks."""
    if isinstance(promised, set):
        yield from (f"{path}.{key}" for key in promised - found.keys())
    elif isinstance(promised, list):
        for number, item in enumerate(found):
            yield from missing(promised[0], item, f"{path}.{number}")
    elif isinstance(promised, dict) and "*" in promised:
        for key, item in found.items():
            yield from missing(promised["*"], item, f"{path}.{key}")
    elif isinstance(promised, dict):
        for key, item in promised.items():
            if key in found:
                yield from missing(item, found[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"


def empty(promised: Any, found: list[Any], path: str) -> Iterator[str]:
    """The paths of lists in the contract that are empty in all examples `found`: their keys would not be checked."""
    if isinstance(promised, list):
        items = [item for each in found for item in each]
        yield from empty(promised[0], items, path) if items else [path]
    elif isinstance(promised, dict):
        for key, item in promised.items():
            below = [value for each in found for value in (each.values() if key == "*" else [each[key]])]
            yield from empty(item, below, f"{path}.{key}")


def test_every_key_that_the_specification_promises_is_there(document: dict[str, Any]) -> None:
    assert list(missing(CONTRACT, document)) == []
    assert list(empty(CONTRACT, [document], "export")) == []


def test_the_contracts_own_check_sees_a_missing_key(document: dict[str, Any]) -> None:
    del document["conflicts"][0]["claims"][0]["page"]
    assert list(missing(CONTRACT, document)) == ["export.conflicts.0.claims.0.page"]


def test_format_and_version_come_first_and_the_layers_are_those_compared(document: dict[str, Any]) -> None:
    assert list(document) == ["format", "version", *LAYERS, "events"]
    assert (document["format"], document["version"]) == ("memory-bank-session", 1)


def test_edges_are_pairs_of_ids_and_the_current_task_is_a_text(document: dict[str, Any]) -> None:
    ids = {node["id"] for node in document["query_graph"]["nodes"]}
    assert document["query_graph"]["edges"]
    assert all(len(edge) == 2 and set(edge) <= ids for edge in document["query_graph"]["edges"])
    assert document["insight_doc"]["current_task"] == ""
    assert document["interaction_trees"].keys() == ids


def test_an_unfinished_session_is_exported_with_nulls_where_nothing_is_yet() -> None:
    document = json.loads(export_session(Story().events))
    assert (document["answer"], document["session"]["finished_at"]) == (None, None)
    assert list(missing(CONTRACT | {"answer": None}, document)) == []


def test_a_session_in_the_middle_of_a_step_is_exported_with_that_step() -> None:
    story = Story()
    story.tell(PlanUpdated(completed=None, current=make_current("t1", "x1")))
    doc = json.loads(export_session(story.events))["insight_doc"]
    assert (doc["current_task"], doc["current_task_type"]) == ("Find the year.", "CROSS_VALIDATE")
    assert first_difference(parse_export(export_session(story.events))) is None


# -- the schema ----------------------------------------------------------------------------------------------


def test_the_schema_in_the_repository_is_that_of_the_code() -> None:
    assert PATH.read_text(encoding="utf-8") == schema(), "write it anew with `python -m scripts.schema`"


def test_exports_are_valid_by_the_schema(text: str) -> None:
    Draft202012Validator.check_schema(json.loads(schema()))
    validator = Draft202012Validator(json.loads(PATH.read_text(encoding="utf-8")))
    validator.validate(json.loads(text))
    validator.validate(json.loads(export_session(Story().events)))


@pytest.mark.slow
def test_a_session_that_was_really_run_is_valid_by_the_schema_and_replays(tmp_path: Path) -> None:
    embedder, demo = HashEmbedder(), load_demo()
    engines: dict[str, Engine] = dict.fromkeys(AGENTS, OfflineEngine(embedder))
    session = Session.create(
        demo.task,
        demo.documents,
        demo.sources,
        settings=Settings(embedding_model="hash"),
        sessions=tmp_path,
        parts=Parts(StepClock(), embedder, engines, OfflineFramework(embedder)),
    )
    assert list(session.run())
    exported = session.export(embeddings=True)
    Draft202012Validator(json.loads(schema())).validate(json.loads(exported))
    assert list(missing(CONTRACT, json.loads(exported))) == []
    assert first_difference(parse_export(exported)) is None
    assert export_session(parse_export(exported).events) == session.export()


def objects(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of the objects in a document that have fixed keys."""
    free = {"metadata", "settings", "engine", "usage_by_agent", "arguments", "output", "interaction_trees"}
    if isinstance(value, dict) and not (place and place[-1] in free):
        yield place
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(item, (*place, key))


def at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document


def test_the_schema_misses_any_key_that_is_left_out(document: dict[str, Any]) -> None:
    """Tries one object of each kind (set of keys), at the first place where it occurs."""
    validator = Draft202012Validator(json.loads(schema()))
    document["events"] = list({event["type"]: event for event in document["events"]}.values())
    kinds = {frozenset(at(document, place)): place for place in reversed(list(objects(document)))}
    assert len(kinds) > 20
    for place in kinds.values():
        found = at(document, place)
        for key in list(found):
            value = found.pop(key)
            assert not validator.is_valid(document), f"{key} of {place}"
            found[key] = value


# -- what is not an export -----------------------------------------------------------------------------------

HEAD = '"format": "memory-bank-session", "version": '
NOT_EXPORTS: dict[str, str | bytes] = {
    "nothing": "",
    "a number": "7",
    "a list": "[]",
    "plain text": "Dear reader,",
    "half an export": '{"format": "memory-bank-session", "version": 1,',
    "two documents": f"{{{HEAD}1}} {{}}",
    "bytes that are no text": b"\xff\xfe\x00\x01",
    "a picture": b"\x89PNG\r\n\x1a\n",
    "brackets without end": "[" * 100_000,
    "deep nesting": "[" * 50_000 + "]" * 50_000,
    "a deep export": f'{{{HEAD}1, "session": ' + '{"a":' * 500 + "1" + "}" * 500 + "}",
    "a number without end": "9" * 10_000,
    "a number that is none": f'{{{HEAD}1, "session": NaN}}',
    "half a character": f'{{{HEAD}1, "session": "\\ud800"}}',
    "half a character in the text itself": "\ud800",
    "another format": '{"format": "chat-log", "version": 1}',
    "a format that is a list": '{"format": ["memory-bank-session"], "version": 1}',
    "no version": '{"format": "memory-bank-session"}',
    "a later version": f"{{{HEAD}2}}",
    "a version from before the first": f"{{{HEAD}0}}",
    "a version in words": f'{{{HEAD}"1\\n\\n2"}}',
    "a nested version": f"{{{HEAD}{'[' * 150}{']' * 150}}}",
    "a version that is true": f"{{{HEAD}true}}",
    "no layers": f"{{{HEAD}1}}",
    "a key of many lines": f'{{{HEAD}1, "a\\n\\u001bb": 1}}',
}


@pytest.mark.parametrize("text", NOT_EXPORTS.values(), ids=NOT_EXPORTS.keys())
def test_what_is_no_export_is_refused_in_one_line(text: str | bytes) -> None:
    message = refusal(text)
    assert message
    assert message.isprintable()
    assert len(message) < 400


def test_an_unknown_version_is_named() -> None:
    message = refusal(f"{{{HEAD}12}}")
    assert "12" in message
    assert "update" in message


@given(st.data())
def test_a_damaged_file_ends_in_one_line_or_in_an_import_and_in_nothing_else(data: st.DataObject) -> None:
    whole = export_session(Story().play(FULL[:12]).events).encode()
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.sampled_from([None, *range(256)]))
    spoiled = whole[:place] if byte is None else whole[:place] + bytes([byte]) + whole[place + 1 :]
    message = noticed(spoiled)
    assert message is None or message.isprintable()
    assert byte is not None or message


@pytest.mark.parametrize("key", ["line\nbreak", "\x1b[2Jwiped"])
def test_a_key_that_would_act_on_a_terminal_is_not_repeated_as_it_is(document: dict[str, Any], key: str) -> None:
    for holder in (document, document["insight_doc"], document["interaction_trees"], document["session"]["settings"]):
        holder[key] = {"entries": [], "merges": []}
        message = noticed(document)
        assert message
        assert message.isprintable()
        del holder[key]


# -- layers that the events do not add up to -----------------------------------------------------------------


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of the scalar values in a document."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*place, key))
    else:
        yield place


def lists(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of the lists in a document."""
    if isinstance(value, list):
        yield place
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from lists(item, (*place, key))


def another(value: Any) -> Any:
    """A different value of the same type."""
    changed: dict[type, Callable[[Any], Any]] = {
        bool: lambda found: not found,
        int: lambda found: found + 1,
        float: lambda found: found + 0.5,
        str: lambda found: found + " ",
        type(None): lambda _found: "n1",
    }
    return changed[type(value)](value)


def test_any_single_value_of_the_layers_that_is_changed_is_found(document: dict[str, Any]) -> None:
    stored = {layer: document[layer] for layer in LAYERS}
    places = list(leaves(stored))
    assert len(places) > 300
    for place in places:
        holder = at(document, place[:-1])
        value, holder[place[-1]] = holder[place[-1]], another(holder[place[-1]])
        assert noticed(document), place
        holder[place[-1]] = value
    assert noticed(document) is None


def test_any_item_left_out_doubled_or_moved_is_found(document: dict[str, Any]) -> None:
    for place in lists({layer: document[layer] for layer in LAYERS}):
        found: list[Any] = at(document, place)
        whole = list(found)
        for changed in (whole[1:], [*whole, *whole[-1:]], whole[::-1]):
            if changed != whole:
                found[:] = changed
                assert noticed(document), place
        found[:] = whole
    assert noticed(document) is None


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_is_missing_or_from_another_session_is_found(document: dict[str, Any], layer: str) -> None:
    other = json.loads(export_session(Story().play([("create", 9, 9), ("work", 2, 2), ("dispute", 0, 0)]).events))
    for value in (other[layer], None):
        spoiled = copy.copy(document)
        spoiled[layer] = value
        assert noticed(spoiled)
    del document[layer]
    assert noticed(document)


@pytest.mark.parametrize(("stored", "claimed"), [(0, False), (1, True), (1, 1.0), (0, 0.0), ([], {})])
def test_values_that_python_takes_for_equal_are_told_apart(
    document: dict[str, Any], stored: object, claimed: object
) -> None:
    for event in document["events"]:
        if event["type"] == "node_created":
            event["entry"]["metadata"]["start"] = stored
    for trees in document["interaction_trees"].values():
        for entry in trees["entries"]:
            if entry["text"].startswith("Dam"):
                entry["metadata"]["start"] = stored
    assert noticed(document) is None
    next(iter(document["interaction_trees"].values()))["entries"][0]["metadata"]["start"] = claimed
    assert "metadata.start" in (noticed(document) or "")


def test_an_event_left_out_is_found_where_a_layer_still_shows_what_it_did(document: dict[str, Any]) -> None:
    shown = {"session_created", "source_refused", "source_ingested", "agent_called", "node_created", "node_updated"}
    shown |= {"conflict_opened", "conflict_decided", "nodes_merged", "entry_recorded"}
    events = document["events"]
    living = Bank.replay(parse_export(json.dumps(document)).events).living
    tried = set()
    for number, event in enumerate(events):
        kind = event["type"]
        finished = kind == "plan_updated" and event["completed"] is not None
        edge = kind == "edge_created" and len({living(end) for end in event["node_ids"]}) == 2
        if kind in shown or finished or edge:
            document["events"] = events[:number] + events[number + 1 :]
            assert noticed(document), event
            tried.add(kind)
    assert tried == shown | {"plan_updated", "edge_created"}


def test_events_that_do_not_fit_together_are_refused_in_one_line(document: dict[str, Any]) -> None:
    created = next(event for event in document["events"] if event["type"] == "node_created")
    document["events"] = [document["events"][0], created, created]
    assert refusal(json.dumps(document)).isprintable()
    node_id = created["node"]["id"] = "n1\n\x1b[2J"
    document["events"] = [document["events"][0], created, created]
    assert node_id not in refusal(json.dumps(document))


def test_two_nodes_that_each_became_the_other_do_not_hang_the_import(document: dict[str, Any]) -> None:
    first, created = document["events"][0], [e for e in document["events"] if e["type"] == "node_created"][:2]
    merge = next(event for event in document["events"] if event["type"] == "nodes_merged")
    merge["neighbour_updates"], merge["entry"] = [], None

    def merging(old: list[str], new: str) -> dict[str, Any]:
        event: dict[str, Any] = copy.deepcopy(merge)
        event["node"]["id"] = new
        event["merge"] |= {"node_ids": old, "conflict_id": None, "verdict": None}
        return event

    names = [event["node"]["id"] for event in created]
    document["events"] = [
        first,
        *created,
        merging(names, "n90"),
        merging(["n90"], names[0]),
        merging([names[0]], "n90"),
    ]
    assert "do not fit together" in refusal(json.dumps(document))


def test_what_is_said_of_a_difference_is_short_however_long_a_key_is(document: dict[str, Any]) -> None:
    document["session"]["settings"]["k" * 10_000] = 1
    assert "is only in the stored layers" in (message := noticed(document) or "")
    assert len(message) < 400


@pytest.mark.parametrize("spent", ["cost_usd", "seconds"])
def test_costs_that_add_up_to_no_number_are_refused(document: dict[str, Any], spent: str) -> None:
    for event in document["events"]:
        if event["type"] == "agent_called":
            event["usage"][spent] = 1e308
    assert "do not fit together" in refusal(json.dumps(document))


@pytest.mark.parametrize(
    "metadata",
    ['{"a": "\\ud800"}', '{"\\udfff": 1}', '{"a": NaN}', '{"a": 1e999}', '{"a": ' + "[" * 900 + "]" * 900 + "}"],
)
def test_metadata_that_a_log_could_not_hold_is_refused(text: str, metadata: str) -> None:
    spoiled = text.replace('"tool_calls": []', f'"tool_calls": {metadata}')
    assert spoiled != text
    assert refusal(spoiled).isprintable()


def test_a_time_without_a_zone_is_refused_before_it_is_compared(text: str) -> None:
    spoiled = re.sub(r'("created_at": "[^"]*)Z"', r'\1"', text)
    assert spoiled != text
    assert "timezone" in refusal(spoiled)


# -- paths ---------------------------------------------------------------------------------------------------

OUTSIDE = [
    "",
    "x",
    ".",
    "..",
    "files",
    "files/",
    "files/.",
    "files/..",
    "files/.hidden",
    "files/../events.jsonl",
    "files/../../other/files/s1",
    "files/a/b",
    "files/a/../../x",
    "files//etc/passwd",
    "./files/s1",
    "../files/s1",
    "/etc/passwd",
    "/files/s1",
    "~/files/s1",
    "C:\\x",
    "C:/x",
    "files\\s1",
    "files/s1\n",
    "files/s1\x00",
    "files/s1 ",
    " files/s1",
    "files/s%2e%2e",
    "files/ﬁle",
    "FILES/s1",
    "file:///etc/passwd",
    "http://example.org/a",
    "ftp://example.org/a",
    "javascript:alert(1)",
    "data:text/plain,x",
    "https://",
    "files/" + "a" * 81,
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_outside_the_sessions_store_is_refused_wherever_it_stands(document: dict[str, Any], path: str) -> None:
    changed = 0
    for event in document["events"]:
        if event["type"] == "source_added":
            event["source"]["path"] = path
            changed += 1
            assert noticed(document)
            event["source"]["path"] = "files/s1"
        for attachment in (event.get("entry") or {}).get("attachments", []):
            attachment["path"] = path
            changed += 1
            assert noticed(document)
            attachment["path"] = "files/a1"
    assert changed >= 2


def test_a_document_of_the_person_is_a_file_and_an_attachment_may_lie_in_a_cloud() -> None:
    for uri in ("s3://bucket/a.png", "https://example.org/a.png"):
        assert make_attachment(uri).path == uri
        with pytest.raises(ValidationError):
            make_source(path=uri)
    assert make_source(path="files/s1").path == "files/s1"


PARTS = st.sampled_from(["files/", "..", ".", "/", "\\", "~", "a", "-", ":", "%2e", " ", "\n", "\x00", "https://"])


@given(st.lists(PARTS, max_size=5).map("".join), st.booleans())
def test_a_path_that_is_taken_stays_in_the_folder(path: str, inside: bool) -> None:  # noqa: FBT001 - drawn
    try:
        source: Source = make_source(path="files/" + path if inside else path)
    except ValidationError:
        return
    folder = Path("/store/session")
    assert (folder / source.path).resolve().parent == folder / "files"


def test_the_export_model_is_the_whole_contract() -> None:
    assert SessionExport.model_fields.keys() - {"files"} == CONTRACT.keys()  # files are optional
