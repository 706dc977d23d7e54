"""Whether two claims contradict each other (specification sections 3 and 7).

Like is compared with like: one subject, one attribute, one period and scope. Precision comes before recall: what
cannot be told is no contradiction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memory_bank.engines.offline.claims.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.claims.identity import Kinship
from memory_bank.engines.offline.claims.scope import (
    dates_of,
    futures_apart,
    places_apart,
    subjects_apart,
    times_apart,
    weekdays_apart,
)
from memory_bank.engines.offline.contradiction.alignment import Alignment
from memory_bank.engines.offline.contradiction.differences import denial_finding, fact_findings, kind_finding, one_event
from memory_bank.engines.offline.contradiction.findings import DifferenceKind, Finding, Span
from memory_bank.engines.offline.contradiction.parallel import parallel_findings
from memory_bank.engines.offline.contradiction.predications import (
    holder_finding,
    identity_finding,
    measure_finding,
    opposite_finding,
    reversed_finding,
)
from memory_bank.engines.offline.contradiction.same_subject import same_subject
from memory_bank.engines.offline.language.attributes import is_repeatable
from memory_bank.engines.offline.language.subjects import Subject, SubjectKind
from memory_bank.values.values import Agreement, ValueKind, agreement, plain

CONTRADICTION_FLOOR = 0.5
# From this share of the shorter claim's words a claim restates the other; from the lower one if a value agrees.
_RESTATED = 0.85
# Few common words said of subjects that do not fit are doubted.
_LONG_WORDING = 4
_OTHERS = 0.5
_MOSTLY_SAME = 0.5


class Relation(StrEnum):
    """What two claims are to each other."""

    AGREE = "agree"
    CONTRADICT = "contradict"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Difference:
    """The two values that exclude each other, with their spans in the claims.

    `parallel` when the wording around is the same, else both are values of one `attribute`.
    """

    first: Span
    second: Span
    attribute: str
    parallel: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing two claims found: relation, confidence 0…1, the differing values, a line for a person."""

    relation: Relation
    confidence: float
    difference: Difference | None = None
    description: str = ""


_UNRELATED = Comparison(Relation.UNRELATED, 0.0)


def _subject_name(claim: ClaimFeatures) -> str:
    """The name by which a claim calls its subject, or "" where it only points to it."""
    opening = claim.tokens[claim.subject.start : claim.subject.verb]
    if claim.subject.kind is not SubjectKind.NAME or not opening:
        return ""
    name = claim.text[opening[0].start : opening[-1].end].partition("(")[0]
    return plain(name).removeprefix("The ").strip()


def _describe(finding: Finding, attribute: str, topic: str) -> str:
    """One line for a person: both values and what they are of."""
    first, second = plain(finding.first.text), plain(finding.second.text)
    if finding.kind is DifferenceKind.NEGATION:
        first, second = f"“{_clip(first)}”", f"“{_clip(second)}”"
    about = f" for the {attribute}" if attribute else ""
    of = f" of {topic}" if topic and about else f" ({topic})" if topic else ""
    return f"{first} against {second}{about}{of}"


def _attribute_name(claim: ClaimFeatures, finding: Finding) -> str:
    """What the values are of, in words: "height", "number of contributing buildings"."""
    if not finding.attribute.startswith("count:"):
        return finding.attribute
    fact = next(f for f in claim.facts if f.value.start == finding.first.start)
    counted = claim.tokens[fact.position + 1 : fact.position + 2 + len(fact.qualifiers)]
    return "number of " + " ".join(token.text for token in counted)


def _clip(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"


_LONGEST_QUOTE = 70


def compare(a: ClaimText | ClaimFeatures, b: ClaimText | ClaimFeatures, *, near_copy: bool = False) -> Comparison:
    """The relation of two claims, judged on their words and topics alone.

    `near_copy` says that the texts they stand in are mostly copies of each other.
    """
    left = claim_features(a) if isinstance(a, ClaimText) else a
    right = claim_features(b) if isinstance(b, ClaimText) else b
    if not left.asserted or not right.asserted:
        return _UNRELATED
    if left.text == right.text:
        return Comparison(Relation.AGREE, 1.0)
    alignment, findings = _findings(left, right, near_copy=near_copy)
    against = _against(left, right, findings)
    if against and against[0].confidence >= CONTRADICTION_FLOOR:
        return _contradiction(left, right, against[0])
    if against:
        return _UNRELATED
    agreeing = [f for f in findings if f.agrees]
    covered = _covered(left, right, alignment)
    told = any(f.attribute for f in agreeing) or (agreeing and covered >= _MOSTLY_SAME)
    if told or (covered >= _RESTATED and _same_figures(left, right)):
        return Comparison(Relation.AGREE, 0.9 if told else covered)
    return _UNRELATED


def contradictions(
    a: ClaimFeatures, b: ClaimFeatures, *, near_copy: bool = False, kin: Kinship = Kinship.POSSIBLE
) -> list[Comparison]:
    """Every pair of values in which two claims contradict each other, most confident first.

    `kin` is what is known of the documents they stand in.
    """
    if not a.asserted or not b.asserted or a.text == b.text:
        return []
    _, findings = _findings(a, b, near_copy=near_copy, kin=kin)
    against = _against(a, b, findings)
    return [_contradiction(a, b, f) for f in against if f.confidence >= CONTRADICTION_FLOOR]


def _findings(
    a: ClaimFeatures, b: ClaimFeatures, *, near_copy: bool, kin: Kinship = Kinship.POSSIBLE
) -> tuple[Alignment | None, list[Finding]]:
    """Where two claims agree and differ, what they only report or suppose left out."""
    if subjects_apart(a, b):
        return None, []
    alignment, parallel = parallel_findings(a, b, near_copy=near_copy)

    def fits(left: Subject, right: Subject) -> bool:
        return same_subject(a, b, left, right, kin)

    findings = list(parallel)
    pointing = {a.subject.kind, b.subject.kind} <= {SubjectKind.NONE, SubjectKind.PRONOUN}
    short = not near_copy and alignment is not None and alignment.shared < _LONG_WORDING
    if short and not pointing and not fits(a.subject, b.subject):
        findings = [replace(f, confidence=_OTHERS * f.confidence) for f in findings]
    findings += fact_findings(a, b, fits)
    if fits(a.subject, b.subject):
        findings += [f for find in _OF_ONE_SUBJECT if (f := find(a, b))]
        if _two_of_one_name(a, b, findings):
            return alignment, []
    if reverse := reversed_finding(a, b):
        findings.append(reverse)
    if holder := holder_finding(a, b):
        findings.append(holder)
    return alignment, [
        f for f in findings if not (_hedged(a, f.first) or _hedged(b, f.second)) and _comparable(a, b, f)
    ]


def _two_of_one_name(a: ClaimFeatures, b: ClaimFeatures, findings: Sequence[Finding]) -> bool:
    """Whether both the life and the kind of two things differ: "Hale (born 1891), a footballer", "… an engineer"."""
    lives = [f for f in findings if f.attribute in _LIFE]
    return bool(lives) and not any(f.agrees for f in lives) and kind_finding(a, b) is not None


_LIFE = frozenset({"birth", "death", "foundation", "construction"})
_OF_ONE_SUBJECT = (kind_finding, denial_finding, opposite_finding, identity_finding, measure_finding)


def _comparable(a: ClaimFeatures, b: ClaimFeatures, finding: Finding) -> bool:
    """Whether the values of a finding are told for one time and place."""
    if finding.agrees:
        return True
    if finding.kind is DifferenceKind.DATE:
        if is_repeatable(finding.attribute) and not one_event(a, b, finding):
            return False
        return not futures_apart(a, b) and (finding.attribute not in _BY_PLACE or not places_apart(a, b))
    if finding.kind is DifferenceKind.NAME and _other_event(a, b):
        return False
    if finding.kind is DifferenceKind.NUMBER and weekdays_apart(a, b):
        return False
    untimed = finding.attribute == "population" and bool(dates_of(a)) != bool(dates_of(b))
    return not (untimed or times_apart(a, b) or (finding.kind is DifferenceKind.NUMBER and places_apart(a, b)))


def _other_event(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims tell of two events of a kind that can happen to one thing: of two releases, two moves."""
    return any(
        left.attribute == right.attribute
        and (left.attribute in _BY_PLACE or is_repeatable(left.attribute))
        and agreement(left.value, right.value) is Agreement.DIFFERENT
        for left in a.facts
        for right in b.facts
        if left.value.kind is right.value.kind is ValueKind.DATE
    )


# What happens in each place on a date of its own.
_BY_PLACE = frozenset({"release", "opening"})


def _hedged(claim: ClaimFeatures, span: Span) -> bool:
    return any(start <= span.start < end for start, end in claim.hedged)


def _against(a: ClaimFeatures, b: ClaimFeatures, findings: Sequence[Finding]) -> list[Finding]:
    agreeing = [f for f in findings if f.agrees]
    against = [f for f in findings if not f.agrees and not _outweighed(a, b, f, agreeing)]
    return sorted(against, key=lambda f: -f.confidence)


def _contradiction(a: ClaimFeatures, b: ClaimFeatures, finding: Finding) -> Comparison:
    difference = Difference(finding.first, finding.second, finding.attribute, finding.parallel)
    about = _subject_name(a) or a.claim.topic or b.claim.topic
    description = _describe(finding, _attribute_name(a, finding), about)
    return Comparison(Relation.CONTRADICT, finding.confidence, difference, description)


def _covered(a: ClaimFeatures, b: ClaimFeatures, alignment: Alignment | None) -> float:
    """The share of the shorter claim's words that stand in the longer one in the same order (0…1)."""
    if alignment is None or any(gap.edge == "tail" and gap.i1 < gap.i2 and gap.j1 < gap.j2 for gap in alignment.gaps):
        return 0.0
    lengths = [sum(t.content and t.value is None for t in claim.tokens) for claim in (a, b)]
    return alignment.parallel * alignment.shared / max(1, min(lengths))


def _same_figures(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether every figure and date of the claim that gives fewer is one that the other gives."""
    figures = ([v for v in claim.values if v.kind is not ValueKind.NAME] for claim in (a, b))
    few, many = sorted(figures, key=len)
    return all(any(agreement(one, other) is Agreement.SAME for other in many) for one in few)


def _outweighed(a: ClaimFeatures, b: ClaimFeatures, finding: Finding, agreeing: Sequence[Finding]) -> bool:
    """Whether the claims agree after all: one gives several values, the other one of them."""
    spots = {(f.first.start, f.second.start) for f in agreeing}
    if (finding.first.start, finding.second.start) in spots:
        return True
    if finding.kind is DifferenceKind.NUMBER and (_has(a, b, finding.second) or _has(b, a, finding.first)):
        return True
    return not finding.parallel and any(f.attribute and f.attribute == finding.attribute for f in agreeing)


def _has(claim: ClaimFeatures, other: ClaimFeatures, span: Span) -> bool:
    """Whether a claim gives the figure that stands at a span of another."""
    values = (v for v in other.values if v.start == span.start)
    return any(v.kind is t.kind and agreement(v, t) is Agreement.SAME for v in values for t in claim.values)
