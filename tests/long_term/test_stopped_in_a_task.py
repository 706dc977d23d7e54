"""Milvus stopped in the middle of a task: the task ends well, one warning, and memory works again when it is back."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.bank.events import MemoryRecalled
from memory_bank.bank.settings import Settings
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.record import Fact
from memory_bank.session.session import Session
from tests.builders import warned
from tests.long_term.conftest import LiteServer
from tests.session.kit import ANN, EMBEDDER, long_term, parts, session

TOLD = "The spare key of the boathouse lies under the blue flowerpot. Where is the oar?"
ASKED = "Where does the spare key of the boathouse lie?"


@pytest.mark.slow
def test_milvus_stopped_in_the_middle_of_a_task(tmp_path: Path, milvus_server: LiteServer) -> None:
    memory = long_term(MilvusStore(milvus_server.uri, EMBEDDER.name, deadline=2.0))
    session(tmp_path, TOLD, memory)
    running = Session.create(ASKED, settings=Settings(), sessions=tmp_path, parts=parts(lambda: memory), owner=ANN)
    for event in running.run():
        if isinstance(event, MemoryRecalled):
            milvus_server.stop()
    assert running.bank.status == "finished"
    assert running.answer is not None
    assert "under the blue flowerpot" in running.answer.affirmed, "what was recalled before is there"
    warnings = warned(running.events)
    assert len(warnings) == 1
    assert warnings[0].startswith("The work goes on without long-term memory, which could not be used: ")
    milvus_server.start()
    told = session(tmp_path, "The oar hangs in the shed behind the mill. Where does the spare key lie?", memory)
    assert not warned(told.events)
    contents = {record.content for record in memory.records(ANN.scope) if isinstance(record, Fact)}
    assert contents == {
        "The spare key of the boathouse lies under the blue flowerpot.",
        "The oar hangs in the shed behind the mill.",
    }
    memory.close()
