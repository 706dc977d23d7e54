"""A whole session with each single fault: it ends in words, its log is whole, and it goes on to the same end.

FAULT_MATRIX=all runs all of it, instead of every so-manieth fault.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import MemoryBankError
from memory_bank.bank.events import AgentCalled, AgentFailed, TurnTaken
from memory_bank.long_term.record import Fact
from memory_bank.long_term.store import AnyRecord
from memory_bank.session.remembering import is_unavailable_notice
from memory_bank.session.session import Session
from memory_bank.storage.event_log import read_events
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_layers
from tests.faults.files import FileFault, Files
from tests.faults.memory import MemoryFault
from tests.faults.network import KINDS, NetworkFault
from tests.faults.story import Kind, Story, difference, outcome
from tests.session.test_models import check

ERRORS = {
    "open": (errno.EACCES, errno.ENOSPC),
    "read": (errno.EIO,),
    "write": (errno.ENOSPC, errno.EIO),
    "fsync": (errno.EIO, errno.ENOSPC),
    "truncate": (errno.EIO,),
    "rename": (errno.EACCES, errno.ENOSPC),
    "unlink": (errno.EACCES,),
    "mkdir": (errno.ENOSPC,),
    "rmdir": (errno.EACCES,),
}
STRIDE = 1 if os.environ.get("FAULT_MATRIX") == "all" else 9
KINDS_OF_RUN = (
    Kind(),
    Kind(remembers=True),
    Kind(scripted=True),
    Kind(scripted=True, remembers=True, parallel=4),
)
Fault = FileFault | NetworkFault | MemoryFault


@dataclass(frozen=True)
class Clean:
    """What the undisturbed session ends as, what memory holds then, and how often what can fail was done."""

    outcome: Any
    remembered: list[AnyRecord]
    files: Counter[str]
    requests: int
    asked: int
    memory: int


@cache
def clean(kind: Kind) -> Clean:
    """The undisturbed session."""
    with TemporaryDirectory() as folder:
        story, files = Story(Path(folder), kind), Files(Path(folder))
        with files.patched():
            session = story.create()
            list(session.run())
        check(session)
        used, store = story.network, story.store
        memory = store.counted if store else 0
        requests, asked = (used.requests, used.asked) if used else (0, 0)
        return Clean(outcome(session), story.remembered(), files.counts, requests, asked, memory)


def faults(kind: Kind) -> Iterator[Fault]:
    """Each operation of the clean run, with each error that it can end with."""
    undisturbed = clean(kind)
    for operation, errors in ERRORS.items():
        for number in range(1, undisturbed.files[operation] + 1):
            for error in errors:
                yield FileFault(operation, number, error)
            if operation == "write":
                yield FileFault(operation, number, errno.ENOSPC, half=True)
                yield FileFault(operation, number, errno.ENOSPC, onwards=True)
    for number in range(1, undisturbed.requests + 1):
        for name in KINDS:
            yield NetworkFault(name, number)
    for number in range(1, undisturbed.memory + 1):
        yield MemoryFault(number)
        yield MemoryFault(number, done=True)


def begun(story: Story) -> Session | None:
    """The session; None if it could not be made, and then nothing is left of it."""
    try:
        return story.create()
    except (MemoryBankError, OSError):
        store = SessionStore(story.folder)
        assert store.ids() == []
        return None


def interrupted(session: Session) -> bool:
    """Run it to its end, or to an error in words that a person is shown."""
    try:
        list(session.run())
    except MemoryBankError as error:
        said = str(error)
    else:
        return False
    assert said == (session.unrecorded or session.events[-1].reason)  # type: ignore[union-attr]
    assert "Errno" not in said
    assert len(said.splitlines()) == 1
    return True


def agrees(session: Session) -> None:
    """Log and bank say the same, and no event names a file that is not there."""
    on_disk = list(read_events(session.folder / "events.jsonl"))
    assert on_disk == session.events
    assert export_layers(Bank.replay(on_disk)) == export_layers(session.bank)
    for entry in session.bank.trees:
        for attachment in entry.attachments:
            assert (session.folder / attachment.path).stat().st_size == attachment.bytes
    for source in session.bank.sources.values():
        if not source.is_image:
            assert (session.folder / source.path).stat().st_size == source.bytes


def paid(session: Session) -> int:
    events = (event for event in session.events if isinstance(event, AgentCalled | AgentFailed | TurnTaken))
    return sum(len(event.turn.calls if isinstance(event, TurnTaken) else event.calls) for event in events)


def endure(folder: Path, kind: Kind, fault: Fault) -> None:
    """Run the story with a fault, and go on without it."""
    expected = clean(kind)
    story, files = Story(folder, kind, fault), Files(folder, fault if isinstance(fault, FileFault) else None)
    with files.patched():
        session = begun(story)
        stopped = session is not None and interrupted(session)
    assert files.failed or story.failed, "the fault did not happen"
    if session is None:
        session = story.create()
        stopped = interrupted(session)
    agrees(session)
    if session.bank.status != "finished":
        assert stopped
        if fault.number % 2:  # in a new process, else as the page goes on
            session = story.open()
        assert not interrupted(session)
    assert session.bank.status == "finished"
    agrees(session)
    check(session)
    if isinstance(fault, MemoryFault):
        without_memory(session, story, expected)
    elif story.network and story.network.lost_search:  # the acting agent is told, and goes on without
        assert outcome(session)["answer"]["text"] == expected.outcome["answer"]["text"]
    else:
        assert difference(outcome(session), expected.outcome) == ""
        assert story.remembered() == expected.remembered
        if story.network is not None:
            assert story.network.asked <= expected.asked + 1, "paid twice"


def without_memory(session: Session, story: Story, expected: Clean) -> None:
    """The answer is there, the person was told once, and nothing is kept twice."""
    assert outcome(session)["answer"]["text"] == expected.outcome["answer"]["text"]
    assert sum(is_unavailable_notice(event) for event in session.events) <= 1
    kept = [_gist(record) for record in story.remembered()]
    assert len(kept) == len(set(kept))
    assert set(kept) <= {_gist(record) for record in expected.remembered}


def _gist(record: AnyRecord) -> str:
    """What a record is about; what was recalled counts as a step, so that steps can differ."""
    return record.content if isinstance(record, Fact) else record.type


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS_OF_RUN, ids=str)
def test_a_session_with_any_single_fault_ends_in_words_and_goes_on_to_the_same_end(tmp_path: Path, kind: Kind) -> None:
    everything = list(faults(kind))
    chosen = everything[::STRIDE]
    wrong = []
    for number, fault in enumerate(chosen):
        try:
            endure(tmp_path / str(number), kind, fault)
        except Exception as error:  # noqa: BLE001 - all of them are told, not only the first
            wrong.append(f"{fault}: {type(error).__name__}: {str(error)[:300]}")
    print(f"\nfault matrix, {kind}: {len(chosen)} of {len(everything)} single faults")  # noqa: T201
    assert not wrong, "\n".join([f"{len(wrong)} of {len(chosen)}", *wrong])
