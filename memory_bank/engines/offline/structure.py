"""Structure without a model: central sentences as the summary, checkable sentences as the claims."""

from __future__ import annotations

from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.engines.offline.claims.claims import extract_claims
from memory_bank.engines.offline.claims.spoken import holds_for_all, said_sentences
from memory_bank.engines.offline.summary import is_heading, summarise
from memory_bank.modules.sentences import sentences

SUMMARY_CHARACTERS = 400


def structure(given: StructureInput) -> StructureOutput:
    """Summary and claims of one cluster, both in its own words."""
    said = [(turn.said, turn.end) for turn in given.turns]
    spans = said_sentences(given.content, said) if said else sentences(given.content)
    found = extract_claims(given.content, [span for span in spans if not is_heading(span.of(given.content))])
    if said:
        found = tuple(claim for claim in found if holds_for_all(claim.text))
    claims = tuple(FoundClaim(text=claim.text, start=claim.start, end=claim.end) for claim in found)
    favoured = {claim.start for claim in claims}
    return StructureOutput(summary=summarise(given.content, SUMMARY_CHARACTERS, favoured), claims=claims)
