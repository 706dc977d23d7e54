"""When two claims of one text contradict each other: parallel wording there is mostly a list or a table."""

from __future__ import annotations

import re

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.contradiction.claim_comparison import Difference
from memory_bank.engines.offline.contradiction.documents import DocumentClaims
from memory_bank.engines.offline.contradiction.findings import Span
from memory_bank.engines.offline.language.attributes import is_timed, strength_of
from memory_bank.engines.offline.language.subjects import SubjectKind, is_topic
from memory_bank.engines.offline.language.tokens import NEGATIONS
from memory_bank.values.values import Agreement, agreement, extract_values

# Attributes this strong have one value in a text that is about one thing.
_STRONG = 0.75
_LABEL = 2
_SAID_AGAIN = 2
_OF_OTHERS = frozenset({"whom", "whose"})
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def of_any_thing(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether nobody knows what two claims are of: both are fragments, or one is and does not join the topic's.

    A label with its value ("Height: 160 m") joins what is said of the topic.
    """
    fragments = [c for c in (a, b) if c.subject.kind is SubjectKind.NONE]
    others = [c for c in (a, b) if c.subject.kind is not SubjectKind.NONE]
    if not fragments or _CHINESE.search(a.text):
        return False  # of Chinese no subject is found
    labels = all(any(f.position <= _LABEL for f in c.facts) for c in fragments)
    return not (labels and others and is_topic(others[0].subject, others[0].topic, others[0].claim.kinds))


def differ_alone(a: ClaimFeatures, b: ClaimFeatures, difference: Difference) -> bool:
    """Whether two claims say the same but for the difference, so that they are no rows of a list."""
    if not difference.attribute and a.negated != b.negated:
        left, right = a.words - NEGATIONS, b.words - NEGATIONS
    else:
        left, right = _besides(a, difference.first), _besides(b, difference.second)
    return left == right and len(left) >= _SAID_AGAIN


def _besides(claim: ClaimFeatures, span: Span) -> frozenset[str]:
    outside = [t for t in claim.tokens if t.content and not (t.start < span.end and span.start < t.end)]
    return frozenset(f"{t.value.low}:{t.value.high}" if t.value else t.key for t in outside)


def gives_it(claim: ClaimFeatures, span: Span, difference: Difference) -> bool:
    """Whether a claim gives the value at a span for the attribute that differs, and not of "of whom three died"."""
    others = any(token.key in _OF_OTHERS for token in claim.tokens if token.start < span.start)
    return not others and any(
        fact.attribute == difference.attribute and span.start <= fact.value.start < span.end for fact in claim.facts
    )


def has_one_value(document: DocumentClaims, difference: Difference) -> bool:
    """Whether a strong attribute that does not change with time has no more than the two values in a text."""
    if strength_of(difference.attribute) < _STRONG or is_timed(difference.attribute):
        return False
    values = [f.value for c in document.claims for f in c.facts if f.attribute == difference.attribute]
    return all(
        Agreement.SAME in (agreement(v, first), agreement(v, second))
        for v in values
        for first in extract_values(difference.first.text)[:1]
        for second in extract_values(difference.second.text)[:1]
    )
