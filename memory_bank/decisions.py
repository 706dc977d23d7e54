"""A person decides a conflict, overturns a verdict, or reopens it: how that takes effect, one event after another.

What is decided waits until the loop stands between two steps. Then merges are taken back, newest first, until the
conflict is open; it loses its verdict, gets the person's, and that one is carried out like any other. What comes next
is read off the bank each time, so that a run that was killed in between goes on with the same events.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator

from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.interaction_tree import Entry
from memory_bank.errors import AgentError, UsageError
from memory_bank.events import (
    ConflictDecided,
    ConflictReopened,
    EntryRecorded,
    Event,
    MergeReverted,
    Notice,
    PersonDecided,
)
from memory_bank.pipeline import Events, Pipeline, integration_key
from memory_bank.recorder import Recorder

CERTAIN = 1.0
WITHOUT_REASON = "A person decided so."


class Decisions:
    """What a person asked for, on its way into the log and from there into the layers."""

    def __init__(self, recorder: Recorder, pipeline: Pipeline) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._pipeline = pipeline
        self._asked: deque[PersonDecided] = deque()
        self._asking = threading.Lock()

    # -- from the person into the log ------------------------------------------------------------------------

    def ask(self, conflict_id: str, verdict: Verdict | None, reason: str) -> None:
        """Note a decision for the log, from any thread. `UsageError` when there is nothing that it could change.

        One that is noted already and not in the log yet may be sent again: nobody could see that it was heard.
        """
        reason = reason.strip().encode("utf-8", "replace").decode()
        with self._asking:
            conflict = self._bank.conflicts.get(conflict_id)
            if conflict is None:
                raise UsageError(f"there is no conflict {conflict_id:.40} in this session")
            decision = PersonDecided(conflict_id=conflict_id, verdict=verdict, reason=reason)
            queued = next((asked for asked in reversed(self._asked) if asked.conflict_id == conflict_id), None)
            if queued == decision:
                return
            waiting = queued or self._bank.decisions.get(conflict_id)
            if waiting is None:
                idle = _changes_nothing(self._bank, conflict, verdict)
            else:
                idle = (waiting.verdict, waiting.reason) == (verdict, reason)
            if idle:
                wanted = "to be verified again" if verdict is None else f"decided by a person: {verdict}"
                raise UsageError(f"{conflict_id} is {wanted} already; nothing was changed")
            self._asked.append(decision)

    @property
    def asked(self) -> bool:
        """Whether something was decided that is not in the log yet."""
        return bool(self._asked)

    def hear(self) -> Events:
        """Write what was decided into the log."""
        while self._asked:
            event = self._recorder.record(self._asked[0])
            self._asked.popleft()
            yield event

    # -- from the log into the layers ------------------------------------------------------------------------

    def advance(self) -> Generator[Event, None, bool]:
        """Do the next thing that a decision asks for; False when there is none.

        A verdict that is being carried out comes first, also after a crash; then what was decided takes effect; then
        verdicts are carried out, those too whose merge had to be taken back for another one.
        """
        begun = self._begun()
        if begun is None and self._bank.decisions:
            yield from self.take_effect()
            return True
        conflict = begun or self._to_carry_out()
        if conflict is None:
            return False
        yield from self._carry_out(conflict)
        return True

    def take_effect(self) -> Events:
        """Let all that was decided take effect, up to the verdicts: this asks no agent."""
        while self._bank.decisions:
            yield self._recorder.record(self._next(next(iter(self._bank.decisions.values()))))

    def _next(self, decision: PersonDecided) -> Event:
        bank = self._bank
        conflict = bank.conflicts[decision.conflict_id]
        if conflict.merged_into is not None:
            return MergeReverted(node_id=conflict.merged_into, reason=f"a person decided on {conflict.id}")
        if conflict.verdict is not None or decision.verdict is None:
            return ConflictReopened(conflict_id=conflict.id, reason=decision.reason, by="person")
        node_id = conflict.node_ids[-1]
        if all(entry.metadata.get("decision") != decision.seq for entry in bank.trees.entries(node_id)):
            return EntryRecorded(node_id=node_id, entry=self._record_of(decision, conflict))
        verification = Verification(
            conflict_id=conflict.id,
            verdict=decision.verdict,
            reason=decision.reason or WITHOUT_REASON,
            confidence=CERTAIN,
            evidence=conflict.evidence,
        )
        return ConflictDecided(verification=verification, decided_by="person")

    def _record_of(self, decision: PersonDecided, conflict: Conflict) -> Entry:
        first, second = (f"{claim.source}: {claim.text}" for claim in conflict.claims)
        return Entry(
            id=self._bank.next_id("e"),
            text=(
                f"A person decided on {conflict.id}: {conflict.description}\nFirst: {first}\nSecond: {second}\n"
                f"Verdict: {decision.verdict}. {decision.reason}".rstrip()
            ),
            created_at=self._recorder.clock.now(),
            metadata={
                "source": f"decision on {conflict.id}",
                "agent": "person",
                "conflict_id": conflict.id,
                "decision": decision.seq,
            },
        )

    # -- verdicts --------------------------------------------------------------------------------------------

    def _begun(self) -> Conflict | None:
        """A conflict whose nodes are being made one: that is judged and not done, or the result is not compared yet."""
        bank = self._bank
        for conflict in bank.conflicts.values():
            judged = _undone(conflict) and integration_key(bank, conflict.id) in bank.judgements
            merged = conflict.merged_into
            if judged or (merged is not None and merged not in bank.analysed):
                return conflict
        return None

    def _to_carry_out(self) -> Conflict | None:
        """The oldest conflict whose verdict has not taken effect and has not failed to in this run."""
        bank = self._bank
        waiting = (conflict for conflict in bank.conflicts.values() if _undone(conflict))
        return next((found for found in waiting if integration_key(bank, found.id) not in bank.given_up), None)

    def _carry_out(self, conflict: Conflict) -> Events:
        if conflict.verdict is None or conflict.decided_by is None:
            return
        verification = Verification(
            conflict_id=conflict.id,
            verdict=conflict.verdict,
            reason=conflict.reason or "",
            confidence=CERTAIN if conflict.confidence is None else conflict.confidence,
            evidence=conflict.evidence,
        )
        try:
            yield from self._pipeline.resolve(verification, conflict.decided_by, None)
        except AgentError as error:  # recorded; it is not tried again in this run
            message = (
                f"The verdict on {conflict.id} is recorded, but its nodes could not be made one ({error.reason}); "
                "they stay apart. Decide it again to try once more."
            )
            yield self._recorder.record(Notice(message=message))


def _undone(conflict: Conflict) -> bool:
    """Whether a verdict was given and its nodes are still apart."""
    return conflict.status == "open" and conflict.verdict is not None


def _changes_nothing(bank: Bank, conflict: Conflict, verdict: Verdict | None) -> bool:
    """Whether the conflict stands as wanted already; one that is open may be waiting for a verification in vain."""
    if verdict is None:
        waits = conflict.verdict is None and conflict in bank.plannable_conflicts()
        return waits and bank.status != "finished"
    return conflict.status != "open" and (conflict.verdict, conflict.decided_by) == (verdict, "person")
