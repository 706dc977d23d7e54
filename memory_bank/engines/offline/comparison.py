"""Whether two claims, or two documents, contradict each other (specification sections 3 and 7).

Like is compared with like: one subject, one attribute, one period and scope. Precision comes before recall: what
cannot be told is no contradiction, and two things of one name are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memory_bank.engines.offline.alignment import Alignment
from memory_bank.engines.offline.attributes import is_trigger, strength_of
from memory_bank.engines.offline.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.differences import denial_finding, fact_findings, kind_finding
from memory_bank.engines.offline.documents import (
    DocumentClaims,
    document_claims,
    document_kinship,
    overlap,
    said_too,
    several,
    stated,
)
from memory_bank.engines.offline.findings import DifferenceKind, Finding, Span
from memory_bank.engines.offline.identity import Kinship, additions_clash, same_topic
from memory_bank.engines.offline.parallel import parallel_findings
from memory_bank.engines.offline.subjects import Subject, SubjectKind, is_topic, only_points, same_words
from memory_bank.engines.offline.values import Agreement, agreement, extract_values, plain

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

CONTRADICTION_FLOOR = 0.5
# From this share of common words two texts are taken for copies of each other.
_NEAR_COPY = 0.75
# From this share of the shorter claim's words a claim restates the other; from the lower one if a value agrees.
_RESTATED = 0.85
_STRONG = 0.75
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


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claim `first` of one document against claim `second` of the other (indexes), with the comparison."""

    first: int
    second: int
    comparison: Comparison


_UNRELATED = Comparison(Relation.UNRELATED, 0.0)


def _subjects_fit(a: ClaimFeatures, b: ClaimFeatures, left: Subject, right: Subject, kin: Kinship) -> bool:
    """Whether a subject of one claim and a subject of another can be one thing."""
    if SubjectKind.POSSESSIVE in (left.kind, right.kind):
        return left.words == right.words
    sure = kin is Kinship.SURE
    one_topic = sure or same_topic(a.claim.topic, b.claim.topic)
    kinds = a.claim.kinds | b.claim.kinds if one_topic else frozenset[str]()
    if only_points(left, kinds) or only_points(right, kinds):
        if (right.words and right.words <= a.words) or (left.words and left.words <= b.words):
            return True  # "There are 86 rooms in the hotel", "The hotel has 120 rooms"
        if left.kind is right.kind is SubjectKind.NONE and (a.words <= b.words or b.words <= a.words):
            return True  # lines of two infoboxes: "Founded 1971", "Founded 1968"
        points = is_topic(left, a.topic, kinds) and is_topic(right, b.topic, kinds)
        return points and one_topic and (sure or bool(a.topic and b.topic) or _share_more(a, b))
    if not sure and SubjectKind.DEFINITE in (left.kind, right.kind) and left.kind is not right.kind:
        return (
            is_topic(left, a.topic, kinds)
            and is_topic(right, b.topic, kinds)
            and bool(a.topic and b.topic)
            and one_topic
        )
    if left.kind is right.kind is SubjectKind.NAME and left.words == right.words:
        return not additions_clash(a.claim.topic, b.claim.topic)  # both name it: their titles may say other things
    return same_words(_resolved(a, left), _resolved(b, right))


def _share_more(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims of unknown subject share a word besides those that name attributes."""
    return any(not is_trigger(word) for word in a.words & b.words)


def _resolved(claim: ClaimFeatures, subject: Subject) -> frozenset[str]:
    points = is_topic(subject, claim.topic, claim.claim.kinds)
    return claim.topic | subject.words if points else subject.words


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
    alignment, findings = _findings(left, right, near_copy=near_copy)
    against = _against(left, right, findings)
    if against and against[0].confidence >= CONTRADICTION_FLOOR:
        return _contradiction(left, right, against[0])
    if against:
        return _UNRELATED
    agreeing = [f for f in findings if f.agrees]
    covered = _covered(left, right, alignment)
    told = any(f.attribute for f in agreeing) or (agreeing and covered >= _MOSTLY_SAME)
    if told or covered >= _RESTATED:
        return Comparison(Relation.AGREE, 0.9 if told else covered)
    return _UNRELATED


def contradictions(
    a: ClaimFeatures, b: ClaimFeatures, *, near_copy: bool = False, kin: Kinship = Kinship.POSSIBLE
) -> list[Comparison]:
    """Every pair of values in which two claims contradict each other, most confident first.

    `kin` is what is known of the documents they stand in.
    """
    if not a.asserted or not b.asserted:
        return []
    _, findings = _findings(a, b, near_copy=near_copy, kin=kin)
    against = _against(a, b, findings)
    return [_contradiction(a, b, f) for f in against if f.confidence >= CONTRADICTION_FLOOR]


def _findings(
    a: ClaimFeatures, b: ClaimFeatures, *, near_copy: bool, kin: Kinship = Kinship.POSSIBLE
) -> tuple[Alignment | None, list[Finding]]:
    """Where two claims agree and differ, what they only report or suppose left out."""
    alignment, parallel = parallel_findings(a, b, near_copy=near_copy)

    def fits(left: Subject, right: Subject) -> bool:
        return _subjects_fit(a, b, left, right, kin)

    findings = list(parallel)
    pointing = {a.subject.kind, b.subject.kind} <= {SubjectKind.NONE, SubjectKind.PRONOUN}
    short = not near_copy and alignment is not None and alignment.shared < _LONG_WORDING
    if short and not pointing and not fits(a.subject, b.subject):
        findings = [replace(f, confidence=_OTHERS * f.confidence) for f in findings]
    findings += fact_findings(a, b, fits)
    if fits(a.subject, b.subject):
        findings += [f for f in (kind_finding(a, b), denial_finding(a, b)) if f]
    return alignment, [f for f in findings if not (_hedged(a, f.first) or _hedged(b, f.second))]


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


def _outweighed(a: ClaimFeatures, b: ClaimFeatures, finding: Finding, agreeing: Sequence[Finding]) -> bool:
    """Whether the claims agree after all: one gives several values, the other one of them."""
    spots = {(f.first.start, f.second.start) for f in agreeing}
    if (finding.first.start, finding.second.start) in spots:
        return True
    if finding.kind is DifferenceKind.NUMBER and (_has(a, finding.second) or _has(b, finding.first)):
        return True
    return not finding.parallel and any(f.attribute and f.attribute == finding.attribute for f in agreeing)


def _has(claim: ClaimFeatures, span: Span) -> bool:
    """Whether a claim gives the figure of another claim's span."""
    values = extract_values(span.text)
    return any(v.kind is t.kind and agreement(v, t) is Agreement.SAME for v in values[:1] for t in claim.values)


def _pairs(a: DocumentClaims, b: DocumentClaims, fewest: int) -> Iterator[tuple[int, int]]:
    """The claim pairs that share an attribute or `fewest` words, each once: the ones worth comparing."""
    for i, left in enumerate(a.claims):
        attributes = {f.attribute for f in left.facts}
        for j, right in enumerate(b.claims):
            if a is b and j <= i:
                continue
            if len(left.words & right.words) >= fewest or any(f.attribute in attributes for f in right.facts):
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
        if i in said[0] and j in said[1]:
            continue  # each text says both
        if a is b and SubjectKind.NONE in (a.claims[i].subject.kind, b.claims[j].subject.kind):
            continue  # fragments of one text may be of any of its things
        repeated = i in said[0] or j in said[1]
        for comparison in contradictions(a.claims[i], b.claims[j], near_copy=near_copy, kin=kin):
            difference = comparison.difference
            if difference is None or (repeated and not difference.attribute) or not _holds(a, b, difference):
                continue
            if _add(found, Contradiction(i, j, comparison), difference):
                break
    return sorted(found.values(), key=lambda c: (-c.comparison.confidence, c.first, c.second))


def _add(found: dict[tuple[str, str], Contradiction], new: Contradiction, difference: Difference) -> bool:
    """Keep a contradiction, the most confident of each pair of values; true if the pair of values is new."""
    key = (plain(difference.first.text).lower(), plain(difference.second.text).lower())
    known = found.get(key)
    if known is None or known.comparison.confidence < new.comparison.confidence:
        found[key] = new
    return known is None


def _holds(a: DocumentClaims, b: DocumentClaims, difference: Difference) -> bool:
    """Whether a difference between two claims stands in the light of the whole texts.

    Within one text, parallel wording is mostly a list or a table, so that only a strong attribute with no more
    than the two values counts.
    """
    if a is not b:
        return not _both_say(a, b, difference)
    if strength_of(difference.attribute) < _STRONG:
        return False
    values = [f.value for c in a.claims for f in c.facts if f.attribute == difference.attribute]
    return all(
        Agreement.SAME in (agreement(v, first), agreement(v, second))
        for v in values
        for first in extract_values(difference.first.text)[:1]
        for second in extract_values(difference.second.text)[:1]
    )


def _both_say(a: DocumentClaims, b: DocumentClaims, difference: Difference) -> bool:
    """Whether both values are in both texts, or the attribute has several values: then they are of two things."""
    if stated(b, difference.first) and stated(a, difference.second):
        return True
    if difference.parallel:
        return False
    return several(a, difference.attribute) or several(b, difference.attribute)
