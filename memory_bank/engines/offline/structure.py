"""Structure without a model: central sentences as the summary, statements as the claims."""

from __future__ import annotations

from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.engines.offline.summary import summarise
from memory_bank.judgement.statement import statements_of

SUMMARY_CHARACTERS = 400


def structure(given: StructureInput) -> StructureOutput:
    """Summary and claims of one cluster, both in its own words."""
    stretches = [(turn.said, turn.end) for turn in given.turns] or [(0, len(given.content))]
    claims = tuple(
        FoundClaim(text=placed.statement.text, start=start + placed.start, end=start + placed.end)
        for start, end in stretches
        for placed in statements_of(given.content[start:end])
    )
    favoured = {claim.start for claim in claims}
    return StructureOutput(summary=summarise(given.content, SUMMARY_CHARACTERS, favoured), claims=claims)
