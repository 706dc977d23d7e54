"""Two claims that cannot both hold, and how that ended (section 3)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memory_bank.bank.query_graph import Claim
from memory_bank.bank.value import Id, Value

Verdict = Literal["first", "second", "both", "neither", "inconclusive"]
Side = Literal["first", "second", "neither"]
DecidedBy = Literal["agent", "person"]


class Evidence(Value):
    """A passage weighed in a verification, where it stands, and which side it supports."""

    source: str
    passage: str
    supports: Side
    page: int | None = None
    entry_id: Id | None = None


class Verification(Value):
    """What a cross-validation concluded. `confidence` is the engine's probability that the verdict is right."""

    conflict_id: Id
    verdict: Verdict
    reason: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()


class Conflict(Value):
    """A contradiction. `open` until decided; then `resolved` (nodes merged) or `disputed` (inconclusive).

    `claims` are the two that it was found with, `supporters` those that were found to say the same as the first, and as
    the second. `node_ids` names the nodes that hold them; it is one when the contradiction lies inside a node.
    """

    id: Id
    node_ids: Annotated[tuple[Id, ...], Field(min_length=1)]
    claims: tuple[Claim, Claim]
    supporters: tuple[tuple[Claim, ...], tuple[Claim, ...]] = ((), ())
    description: str
    status: Literal["open", "resolved", "disputed"] = "open"
    verdict: Verdict | None = None
    decided_by: DecidedBy | None = None
    reason: str | None = None
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    merged_into: Id | None = None

    @property
    def sides(self) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
        """The claims that stand against each other, each with its supporters after it."""
        (first, second), (with_first, with_second) = self.claims, self.supporters
        return (first, *with_first), (second, *with_second)

    @property
    def parties(self) -> tuple[Claim, ...]:
        """The claims of both sides."""
        first, second = self.sides
        return (*first, *second)

    @property
    def undecided(self) -> bool:
        """Whether neither side holds: there is no verdict yet, or it was inconclusive."""
        return self.verdict in (None, "inconclusive")

    @property
    def refuted(self) -> tuple[Claim, ...]:
        """The claims that the verdict found wrong."""
        first, second = self.sides
        refuted_by: dict[Verdict | None, tuple[Claim, ...]] = {
            "first": second,
            "second": first,
            "neither": (*first, *second),
        }
        return refuted_by.get(self.verdict, ())

    @property
    def barred(self) -> tuple[Claim, ...]:
        """The claims that no answer may affirm: those refuted, and both sides while it is undecided."""
        return self.parties if self.undecided else self.refuted
