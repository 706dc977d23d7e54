"""A file given twice is taken once; a text that two files hold is one record, with both as its sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests.builders import warned
from tests.session.test_session import NEXT_DAY
from tests.step_clock import StepClock

TEXT = "Beacon Mill was built in 1817. It stands in Kent."


def run(folder: Path, *documents: Upload, sources: tuple[Upload, ...] = ()) -> Session:
    embedder = HashEmbedder()
    engines = dict.fromkeys((name for name in AGENTS if name != "react"), OfflineEngine(embedder))
    parts = Parts(StepClock(NEXT_DAY), embedder, engines, OfflineFramework(embedder))
    session = Session.create(
        "When was Beacon Mill built?", documents, sources, settings=Settings(), sessions=folder, parts=parts
    )
    list(session.run())
    return session


def test_the_same_file_is_taken_once_and_that_is_told(tmp_path: Path) -> None:
    session = run(tmp_path, Upload("a.txt", TEXT.encode()), Upload("dir/a.txt", TEXT.encode()))
    assert [source.name for source in session.bank.sources.values()] == ["a.txt"]
    told = warned(session.events)
    assert told == ["a.txt was given twice and is taken once."]


def test_a_file_may_be_material_and_reference(tmp_path: Path) -> None:
    session = run(tmp_path, Upload("a.txt", TEXT.encode()), sources=(Upload("a.txt", TEXT.encode()),))
    assert [source.role for source in session.bank.sources.values()] == ["material", "reference"]
    assert session.bank.sources["s2"].same_as is None


@pytest.mark.parametrize("other", [TEXT, f"{TEXT}\n\n", f"\ufeff{TEXT}"])
def test_the_same_text_in_two_files_is_one_record_of_both(tmp_path: Path, other: str) -> None:
    session = run(tmp_path, Upload("a.txt", TEXT.encode()), Upload("b.txt", other.encode()))
    assert session.bank.sources["s2"].same_as == "s1"
    assert {entry.metadata["source"] for entry in session.bank.trees} == {"a.txt"}
    done = session.bank.insight_doc.completed_tasks[1]
    assert (done.description, done.context) == ("Read b.txt", "The same text as a.txt, which is in memory.")
    assert first_difference(parse_export(session.export())) is None


def test_another_text_is_another_record(tmp_path: Path) -> None:
    session = run(tmp_path, Upload("a.txt", TEXT.encode()), Upload("b.txt", TEXT.replace("1817", "1818").encode()))
    assert session.bank.sources["s2"].same_as is None
    assert {entry.metadata["source"] for entry in session.bank.trees if "conflict_id" not in entry.metadata} == {
        "a.txt",
        "b.txt",
    }
