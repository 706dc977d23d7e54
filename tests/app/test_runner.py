"""Sessions in background threads: one thread each, and a failure of one does not affect the others."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_bank.agents.structure import StructureInput, StructureOutput
from memory_bank.app.runner import Runner
from memory_bank.bank.events import AnswerGiven, Event, StatusChanged, TextStreamed
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests.app.test_run_queue import until
from tests.session.test_session import FIRST, SECOND, scripted, structure

PATIENCE = 10
"""Seconds after which a thread that should have ended counts as hung."""


class Gate:
    """Blocks sessions in their Structure judgement until it is opened, and counts them."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.visits = 0

    def __call__(self, given: StructureInput) -> StructureOutput:
        self.visits += 1
        self.reached.set()
        assert self.opened.wait(PATIENCE)
        return structure(given)


Making = Callable[..., Session]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Making]:
    """Makes sessions with one document; their files are closed after the test."""
    made: list[Session] = []

    def session(session_id: str, parts: Parts | None = None) -> Session:
        uploads = [Upload("a.txt", b"The mill closed in 1921.")]
        made.append(
            Session.create("When?", uploads, sessions=tmp_path, session_id=session_id, parts=parts or scripted())
        )
        return made[-1]

    yield session
    for each in made:
        each.close()


@pytest.fixture
def runner() -> Runner:
    return Runner()


def wait(runner: Runner, session_id: str) -> None:
    """Wait until no thread works on the session."""
    thread = runner._threads[session_id]
    thread.join(PATIENCE)
    assert not thread.is_alive()


def statuses(session: Session) -> list[str]:
    return [event.status for event in session.events if isinstance(event, StatusChanged)]


def test_a_session_runs_to_its_end_in_the_background(runner: Runner, make: Making) -> None:
    gate = Gate()
    session = make("one", scripted(structure=gate))
    runner.add(session)
    assert runner.get("one") is session
    assert not runner.running("one")
    runner.start("one")
    assert gate.reached.wait(PATIENCE)
    assert runner.running("one")
    gate.opened.set()
    wait(runner, "one")
    assert not runner.running("one")
    assert session.bank.status == "finished"


def test_starting_twice_is_one_run(runner: Runner, make: Making) -> None:
    gate = Gate()
    session = make("one", scripted(structure=gate))
    runner.add(session)
    runner.start("one")
    assert gate.reached.wait(PATIENCE)
    first = runner._threads["one"]
    starts = [threading.Thread(target=runner.start, args=("one",)) for _ in range(8)]
    for start in starts:
        start.start()
    for start in starts:
        start.join(PATIENCE)
    assert runner._threads["one"] is first
    gate.opened.set()
    wait(runner, "one")
    assert gate.visits == 1
    assert statuses(session) == ["running", "finished"]


def test_many_threads_that_start_one_session_at_once_start_one_run(runner: Runner, make: Making) -> None:
    gate = Gate()
    runner.add(make("one", scripted(structure=gate)))
    barrier = threading.Barrier(8)

    def start() -> None:
        barrier.wait(PATIENCE)
        runner.start("one")

    before = threading.active_count()
    starts = [threading.Thread(target=start) for _ in range(8)]
    for each in starts:
        each.start()
    for each in starts:
        each.join(PATIENCE)
    assert gate.reached.wait(PATIENCE)
    assert threading.active_count() == before + 1
    gate.opened.set()
    wait(runner, "one")
    assert gate.visits == 1


def test_a_session_that_fails_is_logged_and_the_others_run_on(
    runner: Runner, make: Making, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(given: StructureInput) -> StructureOutput:
        raise RuntimeError("a bug")

    failing, sound = make("failing", scripted(structure=broken)), make("sound")
    for session in (failing, sound):
        runner.add(session)
    with caplog.at_level(logging.ERROR):
        runner.start("failing")
        wait(runner, "failing")
    assert "failing" in caplog.text
    assert "a bug" in caplog.text
    assert failing.bank.status == "failed"
    assert not runner.running("failing")
    runner.start("sound")
    wait(runner, "sound")
    assert sound.bank.status == "finished"


def test_sessions_run_side_by_side(runner: Runner, make: Making) -> None:
    gates = {name: Gate() for name in ("one", "two")}
    for name, gate in gates.items():
        runner.add(make(name, scripted(structure=gate)))
        runner.start(name)
    for gate in gates.values():
        assert gate.reached.wait(PATIENCE)
    gates["two"].opened.set()
    wait(runner, "two")
    assert runner.running("one")
    gates["one"].opened.set()
    wait(runner, "one")


def test_a_paused_session_goes_on_when_it_is_started_again(runner: Runner, make: Making) -> None:
    gate = Gate()
    session = make("one", scripted(structure=gate))
    runner.add(session)
    runner.start("one")
    assert gate.reached.wait(PATIENCE)
    session.pause()
    gate.opened.set()
    wait(runner, "one")
    assert session.bank.status == "paused"
    runner.start("one")
    wait(runner, "one")
    assert statuses(session) == ["running", "paused", "running", "finished"]
    assert gate.visits == 1


def test_a_finished_session_runs_again_when_a_conflict_was_decided(runner: Runner, tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="one", parts=scripted())
    runner.add(session)
    runner.start("one")
    wait(runner, "one")
    session.decide("x1", "second")
    runner.start("one")
    wait(runner, "one")
    assert statuses(session) == ["running", "finished"] * 2
    assert session.bank.conflicts["x1"].decided_by == "person"


def test_what_is_decided_while_a_run_is_coming_to_its_end_is_not_left_lying(runner: Runner, tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="one", parts=scripted())

    def decide_at_the_end(event: Event) -> float:
        ended = isinstance(event, StatusChanged) and event.status == "finished"
        if ended and session.bank.conflicts["x1"].decided_by == "agent":
            session.decide("x1", "second")
            runner.start("one")  # which finds it running
        return 0.0

    runner.add(session)
    runner.start("one", decide_at_the_end)
    wait(runner, "one")
    assert statuses(session) == ["running", "finished"] * 2
    assert not session.deciding
    assert not runner.running("one")


def test_a_session_that_failed_with_a_decision_waiting_is_not_run_again_by_itself(
    runner: Runner, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="one", parts=scripted())
    list(session.run())

    def broken(event: Event) -> float:
        session.decide("x1", "both", f"because of {event.seq}")
        raise RuntimeError("a bug")

    session.decide("x1", "second")
    runner.add(session)
    with caplog.at_level(logging.CRITICAL):
        runner.start("one", broken)
        wait(runner, "one")
    assert session.deciding
    assert not runner.running("one")


def test_a_finished_session_whose_log_went_away_is_not_run_again_and_again(
    runner: Runner, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="one", parts=scripted())
    list(session.run())
    session.decide("x1", "second")
    shutil.rmtree(session.folder)
    runner.add(session)
    with caplog.at_level(logging.CRITICAL):
        runner.start("one")
        wait(runner, "one")
    assert session.deciding
    assert not runner.running("one")


def test_removing_a_running_session_cancels_it_and_waits_for_its_end(runner: Runner, make: Making) -> None:
    gate = Gate()
    session = make("one", scripted(structure=gate))
    runner.add(session)
    runner.start("one")
    assert gate.reached.wait(PATIENCE)
    removing = threading.Thread(target=runner.remove, args=("one",))
    removing.start()
    removing.join(0.05)
    assert removing.is_alive()  # it waits for the current judgement
    assert runner.get("one") is None  # and the session cannot be started meanwhile
    gate.opened.set()
    removing.join(PATIENCE)
    assert not removing.is_alive()
    assert statuses(session) == ["running", "cancelled"]
    assert not runner.running("one")


@pytest.mark.parametrize("session_id", ["idle", "unknown"])
def test_removing_what_does_not_run_forgets_it(runner: Runner, make: Making, session_id: str) -> None:
    runner.add(make("idle"))
    runner.remove(session_id)
    assert runner.get(session_id) is None
    with pytest.raises(KeyError):
        runner.start(session_id)


def test_the_pace_is_asked_after_every_event_of_the_run(runner: Runner, make: Making) -> None:
    seen: list[Event] = []

    def pace(event: Event) -> float:
        seen.append(event)
        return 0.0

    session = make("one")
    begun = len(session.events)
    runner.add(session)
    runner.start("one", pace)
    wait(runner, "one")
    assert seen == session.events[begun:]
    assert any(isinstance(event, AnswerGiven) for event in seen)


def test_no_more_sessions_work_at_a_time_than_are_allowed_and_who_waits_has_a_place(make: Making) -> None:
    runner, gates = Runner(working=2), {name: Gate() for name in ("one", "two", "three", "four")}
    for name, gate in gates.items():
        runner.add(make(name, scripted(structure=gate)))
        runner.start(name)
        if name in ("one", "two"):
            assert gate.reached.wait(PATIENCE)
        else:
            until(lambda name=name: runner.place(name) is not None)
    assert [runner.place(name) for name in gates] == [None, None, 1, 2]
    assert runner.running("four")
    gates["one"].opened.set()
    assert gates["three"].reached.wait(PATIENCE)
    assert not gates["four"].reached.is_set()
    for name, gate in gates.items():
        gate.opened.set()
        wait(runner, name)


def test_a_session_that_waits_can_be_paused(make: Making) -> None:
    runner, gate = Runner(working=1), Gate()
    for name in ("one", "two"):
        runner.add(make(name, scripted(structure=gate)))
        runner.start(name)
    assert gate.reached.wait(PATIENCE)
    until(lambda: runner.place("two") == 1)
    waiting = runner.get("two")
    assert waiting is not None
    waiting.pause()
    wait(runner, "two")
    assert waiting.bank.status == "paused"
    gate.opened.set()
    wait(runner, "one")


def test_of_the_sessions_that_rest_those_asked_for_last_stay_in_memory(make: Making) -> None:
    runner = Runner(resting=2)
    for name in ("one", "two", "three"):
        runner.add(make(name))
        runner.start(name)
        wait(runner, name)
    assert [runner.get(name) is not None for name in ("one", "two", "three")] == [False, True, True]
    runner.get("two")
    runner.add(make("four"))
    assert [runner.get(name) is not None for name in ("two", "three", "four")] == [True, False, True]


def test_a_session_whose_decision_is_not_recorded_is_not_dropped(runner: Runner, tmp_path: Path) -> None:
    few = Runner(resting=1)
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="one", parts=scripted())
    few.add(session)
    few.start("one")
    wait(few, "one")
    session.decide("x1", "second")
    for name in ("two", "three"):
        few.add(Session.create("When?", [FIRST], sessions=tmp_path, session_id=name, parts=scripted()))
    assert few.get("one") is session
    assert few.get("two") is None


def test_a_session_that_gets_no_thread_does_not_count_as_running(
    runner: Runner, make: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    runner.add(make("one"))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError):
            runner.start("one")
    assert not runner.running("one")
    runner.start("one")
    wait(runner, "one")


def test_nobody_gives_way_or_is_slowed_down_in_the_middle_of_a_reply(
    runner: Runner, make: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make("one")
    reply: list[Event] = [TextStreamed(task_id="t1", text=word) for word in ("The ", "mill")]
    monkeypatch.setattr(session, "run", lambda: iter([*reply, StatusChanged(status="finished")]))
    paced, given_way = list[str](), list[str]()
    monkeypatch.setattr(runner._slots, "give_way", lambda name, _at_once: given_way.append(name))
    runner.add(session)
    runner.start("one", pace=lambda event: paced.append(event.type) or 0.0)
    wait(runner, "one")
    assert (paced, given_way) == (["status_changed"], ["one"])
