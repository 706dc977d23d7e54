"""Controls a session: pause, cancel and decisions, from any thread, and how a run ends."""

from __future__ import annotations

import threading

from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import UsageError
from memory_bank.bank.events import Event, StatusChanged, TextStreamed
from memory_bank.bank.task_kind import TaskKind
from memory_bank.session.decisions import Decisions
from memory_bank.session.recorder import Recorder
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.text.wording import Wording

OVER = ("finished", "cancelled")
"""The statuses of a session that has ended."""


class Control:
    """Takes the person's requests and applies them to the run, of which there is at most one at a time."""

    def __init__(self, recorder: Recorder, decisions: Decisions, images: WaitingImages) -> None:
        """`images` are removed when the session ends."""
        self._recorder = recorder
        self._bank = recorder.bank
        self._decisions = decisions
        self._images = images
        self._requested: StatusChanged | None = None
        self._request_lock = threading.Lock()
        self._run_lock = threading.Lock()

    @property
    def stopping(self) -> bool:
        """Whether a pause or a cancellation was requested and is not recorded yet."""
        return self._requested is not None

    @property
    def cancelling(self) -> bool:
        """Whether a cancellation was requested and is not recorded yet."""
        requested = self._requested
        return requested is not None and requested.status == "cancelled"

    @property
    def ended(self) -> bool:
        """Whether there is nothing to run: cancelled, or finished without a decision to carry out."""
        decided = self._decisions.asked or bool(self._bank.decisions)
        return self._bank.status == "cancelled" or (self._bank.status == "finished" and not decided)

    def pause(self) -> None:
        """Request a pause."""
        self._request(StatusChanged(status="paused", reason=Wording("paused by the person")))

    def cancel(self) -> None:
        """Request the cancellation of the session."""
        self._request(StatusChanged(status="cancelled", reason=Wording("cancelled by the person")))

    def _request(self, ending: StatusChanged) -> None:
        with self._request_lock:
            repeated = self._bank.status == ending.status and not self._run_lock.locked()
            if not self.ended and not repeated:
                self._requested = ending

    def decide(self, conflict_id: str, verdict: Verdict | None, reason: str) -> None:
        """Queue a decision. `UsageError` when the session was cancelled, or the decision changes nothing."""
        with self._request_lock:
            self._check_not_cancelled()
            self._decisions.ask(conflict_id, verdict, reason)

    def correct_kind(self, kind: TaskKind) -> None:
        """Queue what a person takes the task for. `UsageError` when the session was cancelled, or a model answers."""
        with self._request_lock:
            self._check_not_cancelled()
            self._decisions.correct_kind(kind)

    def _check_not_cancelled(self) -> None:
        if self._bank.status == "cancelled" or self.cancelling:
            raise UsageError(
                Wording("this session was cancelled, which ended it for good; nothing in it can be decided")
            )

    # -- the run ---------------------------------------------------------------------------------------------

    def try_start(self) -> bool:
        """Start a run, unless there is nothing to run or another run is going on; `release` ends it."""
        return not self.ended and self._run_lock.acquire(blocking=False)

    def release(self) -> None:
        """Let another run start."""
        self._run_lock.release()

    def stops_after(self, event: Event) -> bool:
        """Whether the run stops after an event. A pause waits for the end of a streamed text, which is paid for."""
        requested = self._requested
        return requested is not None and not (requested.status == "paused" and isinstance(event, TextStreamed))

    def end(self, failure: StatusChanged | None = None) -> list[Event]:
        """Record how the run ended: cancelled, failed, stopped as requested, or finished.

        Decisions queued at the last moment are recorded first, unless the session is finished: another run carries
        them out. A cancellation that cannot be recorded stays requested.
        """
        with self._request_lock:
            requested, cancelling = self._requested, self.cancelling
            if not cancelling:
                self._requested = None
            ending = requested if cancelling else failure or requested
            if ending is None:
                events = [self._recorder.record(StatusChanged(status="finished"))]
            else:
                events = [*self._decisions.hear(), self._recorder.record(ending)]
                self._requested = None
            if self._bank.status in OVER:
                self._images.clear()
            return events
