"""Same attribute: two claims worded differently that each give a value of one attribute (specification 7)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_bank.engines.offline.attributes import Fact
from memory_bank.engines.offline.claims import ClaimFeatures
from memory_bank.engines.offline.findings import Finding, kind_of, span_of
from memory_bank.engines.offline.values import Agreement, ValueKind, agreement

# Differently worded claims give less certainty of one meaning than parallel ones do.
_CERTAINTY = 0.9


def fact_findings(a: ClaimFeatures, b: ClaimFeatures) -> Iterator[Finding]:
    """What two claims about one subject say of one attribute, however they are worded."""
    for left in a.facts:
        for right in b.facts:
            if left.attribute != right.attribute or not _same_scope(left, right):
                continue
            verdict = agreement(left.value, right.value)
            if verdict is Agreement.UNKNOWN:
                continue
            yield Finding(
                span_of(left.value),
                span_of(right.value),
                kind_of(left.value),
                _CERTAINTY * min(left.strength, right.strength),
                left.attribute,
                agrees=verdict is Agreement.SAME,
                parallel=False,
            )


def _same_scope(left: Fact, right: Fact) -> bool:
    """Whether two facts hold for one period and count the same things."""
    if left.years and right.years and not left.years & right.years:
        return False
    timed = left.value.kind is not ValueKind.DATE and left.attribute == "population"
    if timed and bool(left.years) != bool(right.years):
        return False
    return not left.attribute.startswith("count:") or left.qualifiers == right.qualifiers
