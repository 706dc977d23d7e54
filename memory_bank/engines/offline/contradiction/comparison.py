"""Whether two documents, or the claims of one, contradict each other (specification sections 3 and 7).

What the whole texts are about and say besides decides whether a difference between two claims stands: two things of
one name are kept apart, and what each text says itself is no news to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory_bank.engines.offline.claims.identity import Kinship
from memory_bank.engines.offline.contradiction.claim_comparison import (
    CONTRADICTION_FLOOR,
    Comparison,
    Difference,
    Relation,
    compare,
    contradictions,
)
from memory_bank.engines.offline.contradiction.documents import (
    DocumentClaims,
    document_claims,
    document_kinship,
    overlap,
    said_too,
    several,
    stated,
)
from memory_bank.engines.offline.contradiction.one_text import differ_alone, gives_it, has_one_value, of_any_thing
from memory_bank.engines.offline.language.counts import count_key
from memory_bank.values.values import plain

__all__ = [
    "CONTRADICTION_FLOOR",
    "Comparison",
    "Contradiction",
    "Difference",
    "DocumentClaims",
    "Relation",
    "compare",
    "compare_documents",
    "contradictions",
    "document_claims",
    "overlap",
]

# From this share of common words two texts are taken for copies of each other.
_NEAR_COPY = 0.75


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claim `first` of one document against claim `second` of the other (indexes), with the comparison."""

    first: int
    second: int
    comparison: Comparison


def _pairs(a: DocumentClaims, b: DocumentClaims, fewest: int) -> Iterator[tuple[int, int]]:
    """The claim pairs worth comparing, each once: of one subject or attribute, or with `fewest` words in common."""
    for i, left in enumerate(a.claims):
        attributes = {count_key(f.attribute) for f in left.facts}
        for j, right in enumerate(b.claims):
            if a is b and j <= i:
                continue
            one_name = bool(left.subject.words) and left.subject.words == right.subject.words
            one_attribute = any(count_key(f.attribute) in attributes for f in right.facts)
            enough = 1 if left.negated != right.negated else fewest
            if one_name or one_attribute or len(left.words & right.words) >= enough:
                yield i, j


def compare_documents(a: DocumentClaims, b: DocumentClaims) -> list[Contradiction]:
    """Every contradiction between two documents, one for each pair of values, most confident first.

    Give one document twice to compare its claims with each other. Documents on two things of one name have none.
    """
    kin = Kinship.SURE if a is b else document_kinship(a, b)
    if kin is Kinship.APART:
        return []
    near_copy = a is not b and min(len(a.claims), len(b.claims)) >= 2 and overlap(a, b) >= _NEAR_COPY
    said = (said_too(a, b), said_too(b, a)) if a is not b else (frozenset(), frozenset())
    found: dict[tuple[str, str], Contradiction] = {}
    for i, j in _pairs(a, b, 1 if near_copy else 2):
        if (i in said[0] and j in said[1]) or (a is b and of_any_thing(a.claims[i], a.claims[j])):
            continue  # each text says both; or nobody knows of what
        repeated = i in said[0] or j in said[1]
        for comparison in contradictions(a.claims[i], b.claims[j], near_copy=near_copy, kin=kin):
            difference = comparison.difference
            if difference is None or (repeated and not difference.attribute):
                continue
            if _stands(a, b, (i, j), difference) and _add(found, Contradiction(i, j, comparison), difference):
                break
    return sorted(found.values(), key=lambda c: (-c.comparison.confidence, c.first, c.second))


def _add(found: dict[tuple[str, str], Contradiction], new: Contradiction, difference: Difference) -> bool:
    """Keep a contradiction, the most confident of each pair of values; true if the pair of values is new."""
    key = (plain(difference.first.text).lower(), plain(difference.second.text).lower())
    known = found.get(key)
    if known is None or known.comparison.confidence < new.comparison.confidence:
        found[key] = new
    return known is None


def _stands(a: DocumentClaims, b: DocumentClaims, at: tuple[int, int], difference: Difference) -> bool:
    """Whether a difference between the claims `at` stands in the light of the whole texts."""
    if a is not b:
        return not _both_say(a, b, difference)
    first, second = (a.claims[index] for index in at)
    if differ_alone(first, second, difference):
        return True
    given = gives_it(first, difference.first, difference) and gives_it(second, difference.second, difference)
    return given and has_one_value(a, difference)


def _both_say(a: DocumentClaims, b: DocumentClaims, difference: Difference) -> bool:
    """Whether both values are in both texts, or the attribute has several values: then they are of two things."""
    if stated(b, difference.first) and stated(a, difference.second):
        return True
    if difference.parallel:
        return False
    return several(a, difference.attribute) or several(b, difference.attribute)
