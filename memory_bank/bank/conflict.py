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

    `node_ids` names the nodes that hold the claims: two, or one when the contradiction lies inside a node.
    """

    id: Id
    node_ids: Annotated[tuple[Id, ...], Field(min_length=1)]
    claims: tuple[Claim, Claim]
    description: str
    status: Literal["open", "resolved", "disputed"] = "open"
    verdict: Verdict | None = None
    decided_by: DecidedBy | None = None
    reason: str | None = None
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    merged_into: Id | None = None

    @property
    def refuted(self) -> tuple[Claim, ...]:
        """The claims that the verdict found wrong."""
        first, second = self.claims
        refuted_by: dict[Verdict | None, tuple[Claim, ...]] = {
            "first": (second,),
            "second": (first,),
            "neither": (first, second),
        }
        return refuted_by.get(self.verdict, ())
