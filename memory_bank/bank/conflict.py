"""Conflicts between claims, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from memory_bank.bank.query_graph import Claim
from memory_bank.bank.value import Id, Value, Worded, WordedText
from memory_bank.text.wording import Wording

Verdict = Literal["first", "second", "both", "neither", "inconclusive"]
Side = Literal["first", "second", "both", "neither"]
"""What a passage speaks for: one side, both, or neither, which it refutes."""
OneSide = Literal["first", "second"]
SIDES: tuple[OneSide, OneSide] = ("first", "second")
FoundBy = Literal["agent", "pair_model"]
"""Who found a contradiction: the analysis, or the pair model alone, of which a language model did not say anything."""
NOT_ALL_FOUND = Wording(
    "There may be contradictions that were not found: the embedded engine misses most of those in ordinary prose."
)
"""Said wherever the embedded engine's contradictions are listed, or that it found none."""
DecidedBy = Literal["agent", "person"]
Status = Literal["open", "resolved", "disputed"]


class Evidence(Value):
    """A passage considered in a verification: its source and position, and what it speaks for.

    `title` is that of its document, where it has one besides `source`, the name.
    """

    source: str
    passage: str
    supports: Side
    page: int | None = None
    entry_id: Id | None = None
    title: str = ""


class Verification(Worded):
    """The result of a cross-validation. `confidence` is the engine's probability that the verdict is right."""

    conflict_id: Id
    verdict: Verdict
    reason: WordedText
    confidence: float
    evidence: tuple[Evidence, ...] = ()


class Conflict(Worded):
    """A contradiction. `open` until decided; then `resolved` (nodes merged) or `disputed` (inconclusive).

    `claims` are the two contradicting claims; `supporters` are further claims that say the same as the first, and as
    the second. `node_ids` are the nodes that hold all these claims: only one if the contradiction lies inside a node.
    `probability` is how sure its finder was that it is one; sessions of earlier versions do not have it. `bears` says
    whether the session's goal asks about it, where a model judged that.
    """

    id: Id
    node_ids: Annotated[tuple[Id, ...], Field(min_length=1)]
    claims: tuple[Claim, Claim]
    supporters: tuple[tuple[Claim, ...], tuple[Claim, ...]] = ((), ())
    description: WordedText
    found_by: FoundBy = "agent"
    probability: float | None = None
    bears: bool | None = None
    status: Status = "open"
    verdict: Verdict | None = None
    decided_by: DecidedBy | None = None
    reason: WordedText | None = None
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    merged_into: Id | None = None

    @property
    def sides(self) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
        """The first side and the second: each claim, followed by its supporters."""
        (first, second), (with_first, with_second) = self.claims, self.supporters
        return (first, *with_first), (second, *with_second)

    @property
    def parties(self) -> tuple[Claim, ...]:
        """The claims of both sides."""
        first, second = self.sides
        return (*first, *second)

    @property
    def undecided(self) -> bool:
        """Whether there is no verdict yet, or it was inconclusive."""
        return self.verdict in (None, "inconclusive")

    @property
    def awaits_merge(self) -> bool:
        """Whether there is a verdict and the nodes are not merged yet."""
        return self.status == "open" and self.verdict is not None

    @property
    def refuted(self) -> tuple[Claim, ...]:
        """The claims that the verdict found wrong."""
        first, second = self.sides
        return {"first": second, "second": first, "neither": self.parties}.get(self.verdict or "", ())

    @property
    def barred(self) -> tuple[Claim, ...]:
        """The claims that no answer may affirm: both sides while it is undecided, then the refuted ones."""
        return self.parties if self.undecided else self.refuted


def sides_quoted(conflict: Conflict, places: Iterable[tuple[Id | None, int, int]]) -> Iterator[OneSide]:
    """The sides of a conflict that places (entry, start, end) overlap, as often as they do."""
    for place in places:
        for side, claims in zip(SIDES, conflict.sides, strict=True):
            if any(claim.overlaps(*place) for claim in claims):
                yield side
