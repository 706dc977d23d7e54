"""Which conflicts bear on a question: those whose sides answer it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.answering.selection import OF_SEVERAL, Candidate, as_likely_as


def answering_conflicts(conflicts: Sequence[Conflict], ranked: Sequence[Candidate]) -> list[Conflict]:
    """The conflicts of which a side answers best, or about as likely as what does, while the other may answer too.

    `ranked` are the candidates for the question, likeliest first.
    """
    best = ranked[0].probability if ranked else 0.0
    found = []
    for conflict in conflicts:
        less, more = sorted(_likelihood(side, ranked) for side in conflict.sides)
        if more >= as_likely_as(best) and (more == best or less >= OF_SEVERAL):
            found.append(conflict)
    return found


def _likelihood(side: Iterable[Claim], ranked: Sequence[Candidate]) -> float:
    """How likely a side answers: as likely as the likeliest passage that states a claim of it."""
    claims = list(side)
    stating = (
        one.probability
        for one in ranked
        if any(claim.overlaps(one.passage.entry.id, *one.passage.span) for claim in claims)
    )
    return next(stating, 0.0)
