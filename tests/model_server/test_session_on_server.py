"""Whole sessions on a real server with weak answers: nothing breaks, from the upload to the answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests.long_term.in_memory import InMemoryStore
from tests.model_server.conftest import KEY, ModelServer

pytestmark = pytest.mark.model_server

MOST_STEPS, MOST_REQUESTS = 2, 3
ENGLISH = (
    "When was Beacon Mill last worked?",
    Upload("guide.txt", b"Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."),
    Upload("survey.txt", b"Beacon Mill was last worked in 1921. It is a smock mill."),
    Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921."),
)
CHINESE = (
    "白塔磨坊最后一次运转是哪一年？",
    Upload("手册.txt", "白塔磨坊位于河边。白塔磨坊最后一次运转是在1955年。".encode()),
    Upload("调查.txt", "白塔磨坊最后一次运转是在1921年。它有四层。".encode()),
    Upload("名录.txt", "磨坊名录。白塔磨坊最后一次运转是在1921年。".encode()),
)
Case = tuple[str, Upload, Upload, Upload]


def run(server: ModelServer, folder: Path, case: Case, *, owner: Owner | None = None, **given: Any) -> Session:
    """A session from start to end, with whatever is the same for all of them checked; with an owner it remembers."""
    settings = Settings.model_validate(
        {
            "local": server.provider,
            "embedding_model": "hash",
            "llm_max_tokens": 128,
            "max_llm_call_per_run": MOST_REQUESTS,
            "max_steps": MOST_STEPS,
            **given,
        }
    )
    task, *documents, source = case
    memory = LongTermMemory(InMemoryStore("hash"), HashEmbedder)
    parts = replace(Parts.standard(settings), memory=lambda: memory)
    session = Session.create(task, documents, [source], settings=settings, sessions=folder, parts=parts, owner=owner)
    for _event in session.run():
        pass
    assert session.bank.status == "finished"
    assert session.answer is not None
    exported = session.export()
    assert KEY not in exported
    assert first_difference(parse_export(exported)) is None
    assert list(Session.open(session.id, settings=settings, sessions=folder).run()) == []
    check_limits(session)
    return session


def check_limits(session: Session) -> None:
    """No step took more requests than it may, and there were no more steps."""
    turns = [event for event in session.events if event.type == "turn_taken"]
    requests: dict[str, int] = {}
    for event in turns:
        requests[event.task_id] = requests.get(event.task_id, 0) + len(event.turn.calls)
    # A step that failed may be tried once more.
    assert all(count <= 2 * MOST_REQUESTS for count in requests.values())
    steps = {event.current.id for event in session.events if event.type == "plan_updated" and event.current}
    assert len(steps) <= MOST_STEPS


def asked(session: Session) -> set[str]:
    """The agents whose model was asked."""
    calls = {event.agent for event in session.events if event.type == "agent_called" and event.provider == "local"}
    return calls | {event.agent for event in session.events if event.type == "agent_failed"}


@pytest.mark.parametrize(
    ("case", "tools"), [(ENGLISH, "native"), (CHINESE, "tags")], ids=["native", "tags, in Chinese"]
)
def test_a_session_of_all_agents_comes_to_its_end(
    model_server: ModelServer, tmp_path: Path, case: Case, tools: str
) -> None:
    session = run(model_server, tmp_path, case, llm_provider="local", react={"tools": tools})
    assert {"structure", "analysis"} <= asked(session)
    assert session.bank.usage.tokens > 0


@pytest.mark.parametrize("agent", AGENTS)
def test_each_agent_completes_a_session_among_others_that_judge_well(
    model_server: ModelServer, tmp_path: Path, agent: str
) -> None:
    """Beside the embedded engine every agent is reached: there is a conflict, and it is verified and settled."""
    owner = Owner(user="ann", conversation_id="c1") if agent == "remember" else None
    by_model = {agent: {"provider": "local"}}
    session = run(model_server, tmp_path, ENGLISH, owner=owner, llm_provider="offline", **by_model)
    # A short document has one topic, and the next step follows from what is there: no model is asked for either.
    spared = {"classification", "planning"}
    assert {agent} - spared <= asked(session) <= {agent}
