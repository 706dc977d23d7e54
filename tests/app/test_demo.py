"""The Chinese demo, run to its end, gives the same results as the English one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.app.demo import load_demo
from memory_bank.bank.events import NodesMerged
from memory_bank.bank.settings import Settings
from memory_bank.session.session import Session


@pytest.mark.slow
def test_in_chinese_it_finds_settles_merges_disputes_and_answers(tmp_path: Path) -> None:
    demo = load_demo("zh")
    session = Session.create(
        demo.task, demo.documents, demo.sources, settings=Settings(), sessions=tmp_path, session_id="s"
    )
    events = list(session.run())
    by_status = {conflict.status: conflict for conflict in session.bank.conflicts.values()}
    assert sorted(by_status) == ["disputed", "resolved"]
    assert by_status["resolved"].verdict in ("first", "second")
    assert any(isinstance(event, NodesMerged) for event in events)
    answer = session.answer
    assert answer is not None
    assert "1970年" in answer.affirmed
    assert "1968年建成" not in answer.text
    assert "11个国家" in answer.affirmed
    assert all(length in answer.text and length not in answer.affirmed for length in ("6650公里", "6853公里"))
    assert {citation.source for citation in answer.citations} >= {upload.name for upload in demo.documents}
    pages = {citation.page for citation in answer.citations if citation.source.endswith(".pdf")}
    assert 1 in pages


def test_another_language_is_told_in_english() -> None:
    assert load_demo("fr") == load_demo("en") == load_demo()
