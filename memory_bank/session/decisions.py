"""Carries out what a person decided on a conflict: a verdict, another verdict, or a new verification.

A decision waits until the loop is between two steps. Then merges are reverted, newest first, until the conflict is
open. It loses its old verdict and gets the person's, which is carried out like any other. Other conflicts of the same
dispute follow, but those that a person decided by themselves. The next event is derived from the bank each time, so a
run that was killed in between goes on with the same events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator

from memory_bank.agents.react import REACT
from memory_bank.bank import events as ev
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.errors import AgentError, UsageError
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.same_dispute import Order, same_dispute, verdict_in_order
from memory_bank.session.merging import integration_key
from memory_bank.session.pipeline import Pipeline
from memory_bank.session.recorder import Events, Recorder
from memory_bank.text.wording import Wording

CERTAIN = 1.0
WITHOUT_REASON = Wording("A person decided so.")


class Decisions:
    """Takes what a person decides or corrects from any thread, records it in the log, and applies it to the layers."""

    def __init__(self, recorder: Recorder, pipeline: Pipeline) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._pipeline = pipeline
        self._queue: deque[ev.PersonDecided | ev.TaskUnderstood] = deque()
        self._orders: dict[tuple[str, str], Order | None] = {}

    # -- into the log ----------------------------------------------------------------------------------------

    def ask(self, conflict_id: str, verdict: Verdict | None, reason: str) -> None:
        """Queue a decision, one at a time. `UsageError` when it would change nothing.

        A decision that is queued already may be sent again: the person cannot see yet that it arrived.
        """
        reason = reason.strip().encode("utf-8", "replace").decode()
        conflict = self._bank.conflicts.get(conflict_id)
        if conflict is None:
            raise UsageError(Wording("there is no conflict {name} in this session", name=f"{conflict_id:.40}"))
        decision = ev.PersonDecided(conflict_id=conflict_id, verdict=verdict, reason=reason)
        earlier = (each for each in reversed(self._queue) if isinstance(each, ev.PersonDecided))
        queued = next((each for each in earlier if each.conflict_id == conflict_id), None)
        if queued == decision:
            return
        waiting = queued or self._bank.decisions.get(conflict_id)
        if waiting is None:
            unchanged = _changes_nothing(self._bank, conflict, verdict)
        else:
            unchanged = (waiting.verdict, waiting.reason) == (verdict, reason)
        if unchanged:
            raise UsageError(
                Wording("{conflict} is to be verified again already; nothing was changed", conflict=conflict_id)
                if verdict is None
                else Wording(
                    "{conflict} is decided by a person: {verdict} already; nothing was changed",
                    conflict=conflict_id,
                    verdict=Wording(verdict),
                )
            )
        self._queue.append(decision)

    def correct_kind(self, kind: TaskKind) -> None:
        """Queue what a person takes the task for, from any thread. `UsageError` where a model answers."""
        if self._bank.engine[REACT].provider != "offline":
            raise UsageError("a language model answers this session; only the embedded engine goes by the kind of task")
        self._queue.append(ev.TaskUnderstood(kind=kind, by="person"))

    @property
    def asked(self) -> bool:
        """Whether a decision or correction is queued that is not in the log yet."""
        return bool(self._queue)

    def hear(self) -> Events:
        """Record the queued decisions and corrections in the log."""
        while self._queue:
            event = self._recorder.record(self._queue[0])
            self._queue.popleft()
            yield event

    # -- into the layers -------------------------------------------------------------------------------------

    def advance(self) -> Generator[ev.Event, None, bool]:
        """Do the next thing that decisions require; False when there is nothing to do.

        First a merge that has begun is finished, also after a crash. Then decisions take effect. Then verdicts are
        carried out, also those whose merge was reverted for another decision.
        """
        unfinished = self._unfinished_merge()
        if unfinished is None and self._bank.decisions:
            yield from self.take_effect()
            return True
        bank = self._bank
        pending = (conflict for conflict in bank.conflicts.values() if conflict.awaits_merge)
        untried = (each for each in pending if integration_key(bank, each.id) not in bank.given_up)  # in this run
        conflict = unfinished or next(untried, None)
        if conflict is None:
            return False
        yield from self._carry_out(conflict)
        return True

    def take_effect(self) -> Events:
        """Apply all decisions up to the verdicts, which are not carried out yet. This asks no agent."""
        while self._bank.decisions:
            decision = next(iter(self._bank.decisions.values()))
            yield self._recorder.record(self._next_event(decision))

    def _next_event(self, decision: ev.PersonDecided) -> ev.Event:
        """The next event for a decision: revert a merge, reopen, record an entry, and at last the verdict.

        The other conflicts of the same dispute get theirs before it, for the decision waits until it has its own.
        """
        given = decision.reason or WITHOUT_REASON
        for other, verdict in self._following(decision):
            reason = Wording("The same dispute as {conflict}: {reason}", conflict=decision.conflict_id, reason=given)
            return _settling(other, verdict, reason, decision)
        conflict = self._bank.conflicts[decision.conflict_id]
        event = _settling(conflict, decision.verdict, given, decision)
        if isinstance(event, ev.ConflictDecided):
            node_id = conflict.node_ids[-1]
            entries = self._bank.trees.entries(node_id)
            if all(entry.metadata.get("decision") != decision.seq for entry in entries):
                return ev.EntryRecorded(node_id=node_id, entry=self._decision_entry(decision, conflict))
        return event

    def _following(self, decision: ev.PersonDecided) -> Iterator[tuple[Conflict, Verdict | None]]:
        """The other conflicts of the same dispute that do not follow a decision yet, each with its verdict there.

        One that a person decided by itself stays. Where the dispute is to be verified again, an agent's verdict stays.
        """
        conflict = self._bank.conflicts[decision.conflict_id]
        for other in self._bank.conflicts.values():
            if other.id in self._bank.decisions or self._decided_itself(other):
                continue
            if (order := self._order(conflict, other)) is None:
                continue
            verdict = decision.verdict and verdict_in_order(decision.verdict, order)
            if other.verdict != verdict and (verdict is not None or other.decided_by == "person"):
                yield other, verdict

    def _order(self, conflict: Conflict, other: Conflict) -> Order | None:
        """Whether two conflicts are the same dispute, which is judged once."""
        key = conflict.id, other.id
        if key not in self._orders:
            recall = self._pipeline.recall
            self._orders[key] = same_dispute(conflict, other, recall.judge, recall.embedder)
        return self._orders[key]

    def _decided_itself(self, conflict: Conflict) -> bool:
        """Whether a person decided on this conflict, and not on another of the same dispute, which leaves no entry."""
        named = (entry.metadata for entry in self._bank.trees if entry.metadata.get("conflict_id") == conflict.id)
        return conflict.decided_by == "person" and any("decision" in metadata for metadata in named)

    def _decision_entry(self, decision: ev.PersonDecided, conflict: Conflict) -> Entry:
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

    def _unfinished_merge(self) -> Conflict | None:
        """A conflict whose merge is judged and not recorded, or whose merged node is not analysed yet."""
        bank = self._bank
        for conflict in bank.conflicts.values():
            judged = conflict.awaits_merge and integration_key(bank, conflict.id) in bank.judgements
            merged = conflict.merged_into
            if judged or (merged is not None and merged not in bank.analysed):
                return conflict
        return None

    def _carry_out(self, conflict: Conflict) -> Events:
        try:
            yield from self._pipeline.carry_out(conflict.id)
        except AgentError as error:  # recorded; not tried again in this run
            message = Wording(
                "The verdict on {conflict} is recorded, but its nodes could not be made one ({reason}); "
                "they stay apart. Decide it again to try once more.",
                conflict=conflict.id,
                reason=error.reason,
            )
            yield self._recorder.record(ev.Notice(message=message))


def _settling(conflict: Conflict, verdict: Verdict | None, reason: str, decision: ev.PersonDecided) -> ev.Event:
    """The next event by which a conflict gets a person's verdict, or none; the evidence found before stays."""
    if conflict.merged_into is not None:
        because = Wording("a person decided on {conflict}", conflict=decision.conflict_id)
        return ev.MergeReverted(node_id=conflict.merged_into, reason=because)
    if conflict.verdict is not None or verdict is None:
        return ev.ConflictReopened(conflict_id=conflict.id, reason=decision.reason, by="person")
    verification = Verification(
        conflict_id=conflict.id, verdict=verdict, reason=reason, confidence=CERTAIN, evidence=conflict.evidence
    )
    return ev.ConflictDecided(verification=verification, decided_by="person")


def _changes_nothing(bank: Bank, conflict: Conflict, verdict: Verdict | None) -> bool:
    """Whether the conflict is already as decided; with verdict None, whether it will be verified anyway."""
    if verdict is None:
        waits = conflict.verdict is None and conflict in bank.plannable_conflicts()
        return waits and bank.status != "finished"
    return conflict.status != "open" and (conflict.verdict, conflict.decided_by) == (verdict, "person")
