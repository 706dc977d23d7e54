"""Contradictions between a short statement and a fuller claim on the same thing (specification 3 and 7).

The comparison of claims needs parallel wording or an attribute that both give. A statement of a few words ("Ada Holt
was a Danish painter") has neither beside a long sentence; here its words are looked up in the sentence one by one.
"""

from __future__ import annotations

from dataclasses import replace

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.identity import Kinship
from memory_bank.engines.offline.claims.scope import subjects_apart
from memory_bank.engines.offline.claims.statements import MOST_WORDS, Bearing, Held, hold
from memory_bank.engines.offline.contradiction.comparison import Comparison, Contradiction, Difference, Relation
from memory_bank.engines.offline.contradiction.documents import DocumentClaims, document_kinship, said_too, stated
from memory_bank.engines.offline.contradiction.findings import DifferenceKind, Finding, Span
from memory_bank.engines.offline.contradiction.rivals import rival_finding
from memory_bank.values.values import plain


def statement_contradictions(a: DocumentClaims, b: DocumentClaims) -> list[Contradiction]:
    """Every claim of one document that a claim of the other excludes, most confident first.

    A statement that the other document makes too is left out, and so are documents on two things of one name.
    """
    if a is b or document_kinship(a, b) is Kinship.APART:
        return []
    found = [
        Contradiction(i, j, comparison)
        for i, left in enumerate(a.claims)
        for j, right in enumerate(b.claims)
        if _comparable(left, right) and (comparison := _compared(a, b, left, right))
    ]
    return sorted(found, key=lambda one: (-one.comparison.confidence, one.first, one.second))


def _comparable(left: ClaimFeatures, right: ClaimFeatures) -> bool:
    """Whether one claim is short, and both share a word: a cheap look before the words are held side by side."""
    return min(len(left.words), len(right.words)) <= MOST_WORDS and bool(left.words & right.words)


def _compared(a: DocumentClaims, b: DocumentClaims, left: ClaimFeatures, right: ClaimFeatures) -> Comparison | None:
    """The contradiction of two claims, the shorter one held against the other, or None."""
    if not left.asserted or not right.asserted or subjects_apart(left, right):
        return None
    turned = len(right.tokens) <= len(left.tokens)
    own, other = (b, a) if turned else (a, b)
    held = hold(right, left) if turned else hold(left, right)
    finding = rival_finding(held) if held and not _of_another(held, other) else None
    if held is None or finding is None or _hedged(held, finding):
        return None
    if _says(other, held.full, held.short, finding.first) or _says(own, held.short, held.full, finding.second):
        return None
    first, second = (finding.second, finding.first) if turned else (finding.first, finding.second)
    difference = Difference(first, second, "", parallel=False)
    return Comparison(Relation.CONTRADICT, finding.confidence, difference, _describe(held, difference, finding.kind))


def _of_another(held: Held, other: DocumentClaims) -> bool:
    """Whether a claim that only points ("it") stands in a text on something that the statement does not name.

    What a text of one untitled claim is about is anybody's guess.
    """
    if held.bearing is not Bearing.POINTS or not (other.titled or len(other.claims) > 1):
        return False
    return not held.full.topic & {token.key for token in held.short.tokens[: held.verb]}


def _hedged(held: Held, finding: Finding) -> bool:
    spots = ((held.short, finding.first.start), (held.full, finding.second.start))
    return any(start <= spot < end for claim, spot in spots for start, end in claim.hedged)


def _says(document: DocumentClaims, but: ClaimFeatures, claim: ClaimFeatures, value: Span) -> bool:
    """Whether a document says, besides one of its claims, what a claim of the other document says, or its value."""
    rest = replace(document, claims=tuple(one for one in document.claims if one is not but))
    return stated(rest, value) or bool(said_too(replace(document, claims=(claim,)), rest))


def _describe(held: Held, difference: Difference, kind: DifferenceKind) -> str:
    """One line for a person: both values, and what they are said of."""
    first, second = plain(difference.first.text), plain(difference.second.text)
    if kind is DifferenceKind.NEGATION:
        return f"“{first}” against “{second}”"
    opening = held.short.tokens[held.short.subject.start : held.verb]
    about = plain(held.short.text[opening[0].start : opening[-1].end]) if opening else ""
    return f"{first} against {second} ({about})" if about else f"{first} against {second}"
