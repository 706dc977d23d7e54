"""Structure without a model: central sentences as the summary, statements as the claims."""

from __future__ import annotations

from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.judgement.statement import statements_of
from memory_bank.text.summary import summarise

SUMMARY_CHARACTERS = 400


def structure(agent_input: StructureInput) -> StructureOutput:
    """Summary and claims of one cluster, both in its own words."""
    content = agent_input.content
    spans = [(turn.said, turn.end) for turn in agent_input.turns] or [(0, len(content))]
    claims = tuple(
        FoundClaim(text=placed.statement.text, start=start + placed.start, end=start + placed.end)
        for start, end in spans
        for placed in statements_of(content[start:end], short_joined=True)
    )
    claim_starts = {claim.start for claim in claims}
    return StructureOutput(summary=summarise(content, SUMMARY_CHARACTERS, claim_starts), claims=claims)
