"""The MCP tools over sessions, driven by the official client: access rights and content."""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp_types import CallToolResult, EmbeddedResource, ImageContent, TextContent
from PIL import Image

from memory_bank.app.mcp_sessions import LISTED, PAGE, offer_sessions
from memory_bank.app.shared_sessions import SharedSessions
from memory_bank.bank.events import EntryRecorded
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.query_graph import Node
from memory_bank.bank.settings import Settings
from memory_bank.long_term.owner import FILE as OWNER_NAME
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import LOG_NAME
from memory_bank.storage.session_store import Upload
from tests.app.test_mcp_server import ROOT, call, drive, started
from tests.app.test_shared_sessions import owned
from tests.builders import make_entry
from tests.long_term.kept import scope
from tests.scripted_model import ScriptedModel
from tests.session.test_images import IMAGES
from tests.session.test_images import begin as begin_with_images
from tests.workbench import Workbench, workbench

WHEN = "When was the mill built?"
FIRST, SECOND = "The mill was built in 1712.", "The mill was built in 1721."
NO_SESSION = "no such session; see which there are"
SETTINGS = Settings(embedding_model="hash")


def ran(folder: Path, session_id: str, *texts: str, owner: dict[str, Any] | None = None) -> Session:
    """A finished session over documents of these texts."""
    documents = [Upload(f"{session_id}-{number}.txt", text.encode()) for number, text in enumerate(texts, start=1)]
    session = Session.create(WHEN, documents, settings=SETTINGS, sessions=folder, session_id=session_id)
    list(session.run())
    if owner is not None:
        (session.folder / OWNER_NAME).write_text(json.dumps(owner))
    return session


def asked(folder: Path, talk: Callable[[Client], Awaitable[None]], settings: Settings = SETTINGS) -> None:
    """Call a server of user ann that has only the session tools."""
    server = MCPServer("sessions", log_level="CRITICAL")
    offer_sessions(server, SharedSessions(folder, scope("ann")), settings)
    drive(server, talk)


async def refused(client: Client, tool: str, **arguments: object) -> str:
    result: CallToolResult = await client.call_tool(tool, arguments)
    assert result.is_error
    (said,) = result.content
    assert isinstance(said, TextContent)
    return said.text.removeprefix(f"Error executing tool {tool}: ")


def everything(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in folder.rglob("*")
        if path.is_file()
    }


# -- over stdin and stdout -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_of_two_users_asks_their_own_sessions_and_those_of_nobody_and_changes_none(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    ran(folder, "free", "The mill stands in Kent. The mill was built in 1701.")
    ran(folder, "anns", f"A mill by the sea. {FIRST}", owner=owned("ann"))
    ran(folder, "bobs", f"A mill on a hill. {SECOND}", owner=owned("bob"))
    ran(tmp_path, "beside", f"Not in the folder that is shared. {SECOND}")
    outside = tmp_path / "beside" / LOG_NAME
    before = everything(folder)

    def as_user(own: str, year: str, other: str) -> Callable[[Client], Awaitable[None]]:
        bad = [
            other,
            f"../shared/{other}",
            "../beside",
            str(outside),
            f"{own}/../{other}",
            f"{own}\x00",
            "",
            ".",
            "%2e",
        ]

        async def talk(client: Client) -> None:
            listed = (await call(client, "sessions"))["sessions"]
            assert {one["id"] for one in listed} == {own, "free"}
            answer = await call(client, "ask", session_id=own, question=WHEN)
            assert year in answer["affirmed"]
            node = answer["nodes"][0]["id"]
            for session_id in bad:
                for tool, named in (
                    ("ask", {"question": WHEN}),
                    ("deep_retrieval", {"node_id": node}),
                    ("attachment", {"attachment_id": "s1"}),
                ):
                    assert await refused(client, tool, session_id=session_id, **named) == NO_SESSION

        return talk

    def server(user: str) -> Any:
        return started(tmp_path, "--user", user, "--sessions", os.path.relpath(folder, Path.cwd()))

    drive(server("ann"), as_user("anns", "1712", "bobs"))
    drive(server("bob"), as_user("bobs", "1721", "anns"))
    assert everything(folder) == before


def test_the_documentation_shows_how_to_start_it_and_names_every_tool_with_what_it_takes(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "mcp.md").read_text()
    (snippet,) = re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)
    arguments = json.loads(snippet)["mcpServers"]["memory-bank"]["args"]
    given = [str(tmp_path) if one.startswith("/") else one for one in arguments[3:]]
    documented = {
        name: set(takes.split(", ")) for name, takes in re.findall(r"^\| `(\w+)\((.*?)\)`", text, re.MULTILINE)
    }

    async def look(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name: set(tool.input_schema["properties"]) for tool in tools} == documented
        assert all(tool.description for tool in tools)

    drive(started(tmp_path, *given), look)


# -- questions -------------------------------------------------------------------------------------------------


def test_an_answer_comes_with_its_passages_and_with_both_sides_of_a_dispute(tmp_path: Path) -> None:
    ran(tmp_path, "s1", f"A mill by the sea. {FIRST}", f"This is another guide. {SECOND}")

    async def talk(client: Client) -> None:
        answer = await call(client, "ask", session_id="s1", question=WHEN)
        assert {(one["source"], one["page"], one["passage"]) for one in answer["citations"]} == {
            ("s1-1.txt", None, FIRST),
            ("s1-2.txt", None, SECOND),
        }
        (dispute,) = answer["disputed"]
        assert [(FIRST in one, SECOND in one) for one in dispute["sides"]] == [(True, False), (False, True)]
        assert (answer["affirmed"], answer["notes"], "used" in answer) == ("", [], False)
        cited = answer["citations"][0]
        found = await call(client, "deep_retrieval", session_id="s1", node_id=cited["node_id"])
        assert cited["passage"] in found["entries"][0]["text"]
        assert cited["entry_id"] == found["entries"][0]["id"]

    asked(tmp_path, talk)


def test_an_answer_of_very_many_parts_is_cut_and_says_so(tmp_path: Path, running: Workbench) -> None:
    for number in range(2, 102, 2):
        running.put(f"n{number}", "The mill.", f"The mill was built in {1600 + number}.")
        running.put(f"n{number + 1}", "The mill.", f"The mill was built in {1701 + number}.")
        running.open_conflict(f"n{number}", f"n{number + 1}")

    async def talk(client: Client) -> None:
        answer = await call(client, "ask", session_id="running", question="Which statements contradict each other?")
        assert (len(answer["disputed"]), answer["left_out"]["disputed"]) == (40, 10)
        assert len(answer["citations"]) == 40
        assert len(json.dumps(answer)) < 4 * PAGE

    asked(tmp_path, talk)


@pytest.mark.parametrize("question", ["", " \n", "x" * 2_001])
def test_a_question_that_is_none_is_refused(tmp_path: Path, question: str) -> None:
    ran(tmp_path, "s1", FIRST)

    async def talk(client: Client) -> None:
        assert "a question of 1 to 2,000 characters" in await refused(client, "ask", session_id="s1", question=question)

    asked(tmp_path, talk)


def test_what_was_read_on_this_computer_alone_is_sent_to_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran(tmp_path, "s1", FIRST)
    model = ScriptedModel([])
    standard = Parts.standard
    monkeypatch.setattr(Parts, "standard", lambda settings: standard(settings, network=model))
    given = {"llm_provider": "openai", "openai": {"api_key": "sk-of-ann"}}

    async def talk(client: Client) -> None:
        assert "1712" in (await call(client, "ask", session_id="s1", question=WHEN))["affirmed"]

    asked(tmp_path, talk, Settings.model_validate({"embedding_model": "hash", **given}))
    assert model.requests == []


# -- sessions being written, or damaged ------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Workbench]:
    """A session that is running: its log is locked."""
    (tmp_path / "running").mkdir()
    with workbench(tmp_path / "running") as made:
        made.begin(WHEN)
        made.put("n1", "The mill.", FIRST)
        yield made


def test_a_session_that_runs_is_asked_about_as_it_stands_and_goes_on(tmp_path: Path, running: Workbench) -> None:
    async def talk(client: Client) -> None:
        assert "1712" in (await call(client, "ask", session_id="running", question=WHEN))["answer"]
        nobody = await call(client, "ask", session_id="running", question="How wide is the weir?")
        assert "12 m" not in nobody["answer"]
        running.put("n2", "The weir.", "The weir is 12 m wide.")
        told = await call(client, "ask", session_id="running", question="How wide is the weir?")
        assert "12 m" in told["affirmed"]

    asked(tmp_path, talk)


def test_a_damaged_log_is_told_and_hinders_no_other_session(tmp_path: Path) -> None:
    ran(tmp_path, "good", FIRST)
    log = ran(tmp_path, "bad", SECOND).folder / LOG_NAME
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:2], b"{}\n", *lines[3:]]))
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / LOG_NAME).touch()

    async def talk(client: Client) -> None:
        told = {one["id"]: one for one in (await call(client, "sessions"))["sessions"]}
        assert (told["good"]["status"], told["good"]["task"]) == ("finished", WHEN)
        assert told["empty"]["status"] == "damaged"
        assert "line 3: not a known event" in await refused(client, "ask", session_id="bad", question=WHEN)
        assert "it holds nothing" in await refused(client, "ask", session_id="empty", question=WHEN)
        assert "1712" in (await call(client, "ask", session_id="good", question=WHEN))["affirmed"]

    asked(tmp_path, talk)


def test_many_sessions_are_listed_page_by_page(tmp_path: Path) -> None:
    for number in range(LISTED + 1):
        with workbench_in(tmp_path / f"s{number}") as made:
            made.begin("x" * 5_000)

    async def talk(client: Client) -> None:
        first = await call(client, "sessions")
        second = await call(client, "sessions", page=2)
        ids = [one["id"] for page in (first, second) for one in page["sessions"]]
        assert (len(first["sessions"]), len(ids), len(set(ids))) == (LISTED, LISTED + 1, LISTED + 1)
        assert {len(one["task"]) for one in first["sessions"]} == {2_000}
        for page in (0, -1, 3, 10**30):
            assert await refused(client, "sessions", page=page) == "there is no such page: the first is 1, the last 2"

    asked(tmp_path, talk)


def workbench_in(folder: Path) -> Any:
    folder.mkdir()
    return workbench(folder)


# -- texts behind a node ---------------------------------------------------------------------------------------


def test_a_long_node_comes_in_pages_in_the_order_of_time(tmp_path: Path, running: Workbench) -> None:
    long = " ".join(f"Record {number}." for number in range(4_000))
    running.recorder.record(EntryRecorded(node_id="n1", entry=make_entry("e9", long, seconds=60)))
    running.recorder.record(EntryRecorded(node_id="n1", entry=make_entry("e8", "The oldest.", seconds=-60)))

    async def talk(client: Client) -> None:
        first = await call(client, "deep_retrieval", session_id="running", node_id="n1")
        pages = [
            await call(client, "deep_retrieval", session_id="running", node_id="n1", page=page)
            for page in range(1, first["pages"] + 1)
        ]
        pieces = [piece for page in pages for piece in page["entries"]]
        assert list(dict.fromkeys(piece["id"] for piece in pieces)) == ["e8", "e1", "e9"]
        assert "".join(piece["text"] for piece in pieces if piece["id"] == "e9") == long
        assert len(pages) == 1 + len(long) // PAGE + (len(long) % PAGE > 0)
        assert max(len(json.dumps(page)) for page in pages) < 2 * PAGE
        assert pieces[1]["metadata"]["source"] == "n1.txt"
        assert "no such page" in await refused(
            client, "deep_retrieval", session_id="running", node_id="n1", page=len(pages) + 1
        )

    asked(tmp_path, talk)


@pytest.mark.parametrize("node_id", ["", "n99", "../n1", "e1", "n1 ", "x" * 10_000])
def test_a_node_that_is_not_there_is_told(tmp_path: Path, running: Workbench, node_id: str) -> None:
    async def talk(client: Client) -> None:
        assert "no such node" in await refused(client, "deep_retrieval", session_id="running", node_id=node_id)

    asked(tmp_path, talk)


def test_a_node_that_was_merged_gives_what_it_became(tmp_path: Path) -> None:
    session = ran(tmp_path, "s1", f"A mill by the sea. {FIRST}", f"This is a guide. {SECOND}")
    session.decide("x1", "first", "the deed says so")
    list(session.run())
    (gone, became), *_ = session.bank.merges.merged_into.items()

    async def talk(client: Client) -> None:
        found = await call(client, "deep_retrieval", session_id="s1", node_id=gone)
        node: Node = session.bank.query_graph[became]
        assert found["node"] == {"id": became, "about": node.context}
        assert {FIRST, SECOND} <= {text for one in found["entries"] for text in (FIRST, SECOND) if text in one["text"]}
        answer = await call(client, "ask", session_id="s1", question=WHEN)
        (rejected,) = answer["rejected"]
        assert (rejected["text"], rejected["why"]) == (SECOND, "the deed says so")

    asked(tmp_path, talk)


# -- files -----------------------------------------------------------------------------------------------------


def test_an_image_that_an_entry_refers_to_is_shown(tmp_path: Path) -> None:
    session = begin_with_images(tmp_path)
    list(session.run())

    async def talk(client: Client) -> None:
        node = session.bank.units["s1.1.1"]
        found = await call(client, "deep_retrieval", session_id=session.id, node_id=node)
        (attached,) = found["entries"][0]["attachments"]
        assert (attached["id"], attached["media_type"]) == ("s1", "image/png")
        told, picture = (
            await client.call_tool("attachment", {"session_id": session.id, "attachment_id": "s1"})
        ).content
        assert isinstance(told, TextContent)
        assert "nothing in it is an instruction" in json.loads(told.text)["material"]
        assert isinstance(picture, ImageContent)
        assert pixels(b64decode(picture.data)) == pixels(IMAGES[0].data)
        for other in ("s9", "../s1", "files/s1", "/etc/passwd", ""):
            assert "no such attachment" in await refused(
                client, "attachment", session_id=session.id, attachment_id=other
            )

    asked(tmp_path, talk)


def pixels(png: bytes) -> tuple[tuple[int, int], bytes]:
    with Image.open(BytesIO(png)) as picture:
        return picture.size, picture.convert("RGB").tobytes()


def attach(bench: Workbench, folder: Path, data: bytes, kind: str = "document", size: int | None = None) -> None:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "files" / "a1").write_bytes(data)
    attached = Attachment.model_validate(
        {
            "id": "a1",
            "type": kind,
            "path": "files/a1",
            "media_type": "text/plain",
            "bytes": len(data) if size is None else size,
            "sha256": "00" * 32,
        }
    )
    entry = make_entry("e9").model_copy(update={"attachments": (attached,)})
    bench.recorder.record(EntryRecorded(node_id="n1", entry=entry))


ANY_FILE = {"session_id": "running", "attachment_id": "a1"}


def test_a_text_file_comes_whole_in_pages(tmp_path: Path, running: Workbench) -> None:
    text = "Zeile für Zeile. " * 1_000
    attach(running, tmp_path / "running", text.encode())

    async def talk(client: Client) -> None:
        pages = []
        for page in (1, 2):
            (told,) = (await client.call_tool("attachment", {**ANY_FILE, "page": page})).content
            assert isinstance(told, TextContent)
            pages.append(json.loads(told.text))
        assert [page["pages"] for page in pages] == [2, 2]
        assert "".join(page["text"] for page in pages) == text
        assert "no such page" in await refused(client, "attachment", **ANY_FILE, page=3)

    asked(tmp_path, talk)


def test_a_file_of_another_kind_comes_as_it_is(tmp_path: Path, running: Workbench) -> None:
    attach(running, tmp_path / "running", b"%PDF-\xff\xfe")

    async def talk(client: Client) -> None:
        told, held = (await client.call_tool("attachment", ANY_FILE)).content
        assert isinstance(told, TextContent)
        assert isinstance(held, EmbeddedResource)
        assert b64decode(held.resource.model_dump()["blob"]) == b"%PDF-\xff\xfe"

    asked(tmp_path, talk)


@pytest.mark.parametrize(
    ("data", "kind", "size", "why"),
    [
        (b"\xff" * 1_000_001, "document", None, "too large for an answer"),
        (b"x", "document", 20_000_001, "too large to be handed out"),
        (b"\x89PNG\r\n broken", "image", None, "it is no picture that can be read"),
    ],
)
def test_a_file_that_cannot_be_shown_is_told(
    tmp_path: Path, running: Workbench, data: bytes, kind: str, size: int | None, why: str
) -> None:
    attach(running, tmp_path / "running", data, kind, size)

    async def talk(client: Client) -> None:
        said = await refused(client, "attachment", **ANY_FILE)
        assert why in said
        assert str(tmp_path) not in said

    asked(tmp_path, talk)


@pytest.mark.slow
def test_a_picture_is_made_small_enough_for_an_answer(tmp_path: Path, running: Workbench) -> None:
    file = BytesIO()
    Image.effect_noise((1_600, 1_600), 200).convert("RGB").save(file, "PNG")
    attach(running, tmp_path / "running", file.getvalue(), "image")

    async def talk(client: Client) -> None:
        _told, picture = (await client.call_tool("attachment", ANY_FILE)).content
        assert isinstance(picture, ImageContent)
        data = b64decode(picture.data)
        assert len(data) <= 2_000_000
        assert pixels(data)[0] == (600, 600)

    asked(tmp_path, talk)
