"""The session, `ask`, the MCP tool and the Ask page give one answer to one question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client

from memory_bank.app.cli import main
from memory_bank.app.mcp_server import build_server
from memory_bank.app.mcp_sessions import offer_sessions
from memory_bank.app.shared_sessions import SharedSessions
from memory_bank.bank.settings import Settings
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.record import Scope
from memory_bank.search.embedding import load_embedder
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import import_session
from tests.app.test_cli import BRIDGE_A, BRIDGE_B, REGISTER, TASK
from tests.app.test_mcp_server import call, drive
from tests.long_term.in_memory import InMemoryStore
from tests.pages.conftest import Page
from tests.pages.test_ask_page import ask, drawn, words

OTHERS = ("Summarise the documents", "When was Harlow Bridge completed, and when was it repaired?")


@pytest.mark.parametrize("task", [TASK, *OTHERS])
def test_one_question_has_one_answer(
    task: str, store: SessionStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["run", "--quiet", "--task", task, "--export", str(tmp_path / "out.json")]
    for name, text, option in (("a", BRIDGE_A, "--doc"), ("b", BRIDGE_B, "--doc"), ("r", REGISTER, "--source")):
        (tmp_path / f"{name}.txt").write_text(text)
        arguments += [option, str(tmp_path / f"{name}.txt")]
    assert main(arguments) == 0
    answered = capsys.readouterr().out.strip()
    assert "“" in answered
    assert main(["ask", str(tmp_path / "out.json"), "--question", task]) == 0
    assert capsys.readouterr().out.startswith(answered)

    session_id = import_session((tmp_path / "out.json").read_bytes(), store)
    page = ask(Page(run=session_id).go("ask"), task)
    in_export = json.loads((tmp_path / "out.json").read_text())["answer"]
    assert words(drawn(page)[0]) == words(drawn(Page(run=session_id))[0])

    async def talk(client: Client) -> None:
        answer = await call(client, "ask", session_id=session_id, question=task)
        assert {name: answer[name] for name in ("answer", "affirmed")} == {
            "answer": in_export["text"],
            "affirmed": in_export["affirmed"],
        }

    scope = Scope(user="ann")
    server = build_server(LongTermMemory(InMemoryStore("hash"), lambda: load_embedder("hash")), scope)
    offer_sessions(server, SharedSessions(store.folder, scope), Settings(embedding_model="hash"))
    drive(server, talk)
