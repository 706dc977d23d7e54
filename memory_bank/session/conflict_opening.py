"""Opens conflicts for contradictions, or adds a claim to a conflict that is already open."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from memory_bank.agents.analysis import Contradiction
from memory_bank.bank.conflict import Conflict, OneSide
from memory_bank.bank.events import ConflictOpened, ConflictReopened, ConflictSupported, Event, Notice
from memory_bank.bank.query_graph import Claim
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.recorder import Events, Recorder
from memory_bank.text.wording import Wording, mark_for_translation

MOST_CONFLICTS = 100
"""Most undecided conflicts at a time; nobody reads more."""
_LIMIT_REACHED = Wording(
    "{number} contradictions are undecided: no more are opened until some are decided.", number=MOST_CONFLICTS
)
_SAYS_THE_SAME = {
    "first": mark_for_translation("{source} says the same as the first statement."),
    "second": mark_for_translation("{source} says the same as the second statement."),
}


class ConflictOpener:
    """Opens the conflicts of a session, up to the limit."""

    def __init__(self, recorder: Recorder, recall: NodeIndex) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._recall = recall
        self._limit_noted = False

    def open(self, node_id: str, existing_id: str, contradictions: Iterable[Contradiction]) -> Events:
        """Open a conflict for each contradiction; if the same dispute is known, its conflict gets a supporter."""
        existing, node_id = self._bank.living(existing_id), self._bank.living(node_id)
        claims = self._claims(node_id) | self._claims(existing)
        for contradiction in contradictions:
            old, new = claims.get(contradiction.existing_claim), claims.get(contradiction.new_claim)
            if old is None or new is None or old.id == new.id:
                continue
            old_sides, new_sides = self._bank.stands(old.id), self._bank.stands(new.id)
            if any(old_sides[known] != new_sides[known] for known in old_sides.keys() & new_sides.keys()):
                continue  # they stand against each other already
            support = self._support_for(old, new, node_id) or self._support_for(new, old, existing)
            if support is not None:
                yield from self._record_support(support)
                continue
            if (yield from self.limit_reached()):
                return
            conflict = Conflict(
                id=self._bank.next_id("x"),
                node_ids=tuple(dict.fromkeys((existing, node_id))),
                claims=(old, new),
                description=contradiction.description,
                found_by=contradiction.found_by,
                probability=contradiction.confidence,
                bears=contradiction.bears,
            )
            yield self._recorder.record(ConflictOpened(conflict=conflict))

    def limit_reached(self) -> Generator[Event, None, bool]:
        """Whether no more conflicts may be opened; a notice says so, once in a run."""
        if sum(conflict.undecided for conflict in self._bank.conflicts.values()) < MOST_CONFLICTS:
            return False
        if not self._limit_noted:
            self._limit_noted = True
            yield self._recorder.record(Notice(message=_LIMIT_REACHED))
        return True

    def _support_for(self, opponent: Claim, claim: Claim, node_id: str) -> ConflictSupported | None:
        """The support that `claim` gives in an undecided conflict of `opponent`, by saying what the other side says."""
        for conflict_id, opponent_side in self._bank.stands(opponent.id).items():
            conflict = self._bank.conflicts[conflict_id]
            if not conflict.undecided or conflict_id in self._bank.stands(claim.id):
                continue
            own, others = conflict.sides if opponent_side == "second" else conflict.sides[::-1]
            agrees = any(self._recall.alike_against(opponent, claim, other) for other in own)
            if agrees and not any(self._recall.alike(claim, other) for other in others):
                side: OneSide = "first" if opponent_side == "second" else "second"
                return ConflictSupported(conflict_id=conflict_id, side=side, claim=claim, node_id=node_id)
        return None

    def _record_support(self, support: ConflictSupported) -> Events:
        """Record the support. It is new evidence: a dispute that no person decided is verified again."""
        conflict = self._bank.conflicts[support.conflict_id]
        if conflict.status == "disputed" and conflict.decided_by == "agent":
            # Reopened first: if the run is killed in between, the next one still finds the claim without a side.
            reason = Wording(_SAYS_THE_SAME[support.side], source=support.claim.source)
            yield self._recorder.record(ConflictReopened(conflict_id=conflict.id, reason=reason, by="agent"))
        yield self._recorder.record(support)

    def _claims(self, node_id: str) -> dict[str, Claim]:
        node = self._bank.query_graph.get(node_id)
        return {} if node is None else {claim.id: claim for claim in node.claims}
