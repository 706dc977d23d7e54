"""Whether two claims, or two documents, contradict each other (specification sections 3 and 7).

Like is compared with like: one subject, one attribute, one period and scope. Precision comes before recall: what
cannot be told is no contradiction, and two things of one name are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from memory_bank.engines.offline.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.differences import fact_findings
from memory_bank.engines.offline.findings import Finding, Span
from memory_bank.engines.offline.identity import Profile, guess_topic, profile, profile_overlap, same_thing, titles_clash
from memory_bank.engines.offline.parallel import parallel_findings
from memory_bank.engines.offline.subjects import SubjectKind, disambiguator, is_topic, topic_words
from memory_bank.engines.offline.tokens import tokenise
from memory_bank.engines.offline.values import Agreement, ValueKind, agreement, extract_values, plain

CONTRADICTION_FLOOR = 0.5
# From this share of common words two texts are taken for copies of each other.
_NEAR_COPY = 0.75


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
class DocumentClaims:
    """The claims of one text, or of one node, with what the document can be recognised by.

    `topic` is the given or guessed name of what it is about; `titled` says that it was given.
    """

    topic: str
    titled: bool
    claims: tuple[ClaimFeatures, ...]
    profile: Profile


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claim `first` of one document against claim `second` of the other (indexes), with the comparison."""

    first: int
    second: int
    comparison: Comparison


def document_claims(texts: Sequence[str], topic: str = "") -> DocumentClaims:
    """The claims of a document, ready for comparing; keep the object to save the work.

    `topic` is the title or name of what the document is about ("Beacon Mill, Benenden"), not a file name. A topic
    whose words the text does not use is ignored, and without one it is guessed from the first sentences.
    """
    plain_claims = [claim_features(ClaimText(text)) for text in texts]
    words = frozenset[str]().union(*(c.words for c in plain_claims))
    wanted = topic_words(topic)
    titled = bool(wanted) and len(wanted & words) * 2 >= len(wanted)
    name = topic if titled else guess_topic(plain_claims)
    claims = tuple(claim_features(ClaimText(text, name)) for text in texts)
    return DocumentClaims(name, titled, claims, profile(claims, topic_words(name)))


_UNRELATED = Comparison(Relation.UNRELATED, 0.0)


def same_topic(first: str, second: str) -> bool:
    """Whether two titles can name one thing: shared words, and no conflicting addition in brackets."""
    a, b = topic_words(first), topic_words(second)
    if not a or not b:
        return True
    left, right = disambiguator(first), disambiguator(second)
    if left and right and not left & right:
        return False
    return a <= b or b <= a


def _subjects_fit(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims can be about one subject."""
    points_a, points_b = is_topic(a.subject, a.topic), is_topic(b.subject, b.topic)
    if points_a and points_b:
        left, right = a.subject.words, b.subject.words
        if left and right:
            return left <= right or right <= left
        return same_topic(a.claim.topic, b.claim.topic)
    if SubjectKind.POSSESSIVE in (a.subject.kind, b.subject.kind):
        return a.subject.words == b.subject.words
    left, right = _resolved(a), _resolved(b)
    return not left or not right or left <= right or right <= left


def _resolved(claim: ClaimFeatures) -> frozenset[str]:
    if is_topic(claim.subject, claim.topic):
        return claim.topic | claim.subject.words
    return claim.subject.words


def _describe(finding: Finding, topic: str) -> str:
    first, second = plain(finding.first.text), plain(finding.second.text)
    attribute = re.sub(r"^count:", "number of ", finding.attribute)
    about = f" for the {attribute}" if attribute else ""
    of = f" of {topic}" if topic and about else f" ({topic})" if topic else ""
    return f"{first} against {second}{about}{of}"


def compare(
    a: ClaimText | ClaimFeatures, b: ClaimText | ClaimFeatures, *, near_copy: bool = False
) -> Comparison:
    """The relation of two claims, judged on their words and topics alone.

    `near_copy` says that the texts they stand in are mostly copies of each other.
    """
    left = claim_features(a) if isinstance(a, ClaimText) else a
    right = claim_features(b) if isinstance(b, ClaimText) else b
    if not left.asserted or not right.asserted:
        return _UNRELATED
    alignment, findings = parallel_findings(left, right, near_copy=near_copy)
    everything = list(findings)
    if _subjects_fit(left, right):
        everything += fact_findings(left, right)
    stated = [f for f in everything if not (_hedged(left, f.first) or _hedged(right, f.second))]
    return _verdict(left, right, stated, alignment.parallel if alignment else 0.0)


def _hedged(claim: ClaimFeatures, span: Span) -> bool:
    return any(start <= span.start < end for start, end in claim.hedged)


def _verdict(a: ClaimFeatures, b: ClaimFeatures, findings: Sequence[Finding], parallel: float) -> Comparison:
    agreeing = [f for f in findings if f.agrees]
    against = [f for f in findings if not f.agrees and not _outweighed(f, agreeing)]
    if against:
        best = max(against, key=lambda f: f.confidence)
        if best.confidence < CONTRADICTION_FLOOR:
            return _UNRELATED
        difference = Difference(best.first, best.second, best.attribute, best.parallel)
        topic = a.claim.topic or b.claim.topic
        return Comparison(Relation.CONTRADICT, best.confidence, difference, _describe(best, topic))
    if agreeing or parallel >= 0.8:
        return Comparison(Relation.AGREE, 0.9 if agreeing else parallel)
    return _UNRELATED


def _outweighed(finding: Finding, agreeing: Sequence[Finding]) -> bool:
    """Whether the claims agree on the attribute after all: one gives several values, the other one of them."""
    spots = {(f.first.start, f.second.start) for f in agreeing}
    if (finding.first.start, finding.second.start) in spots:
        return True
    return not finding.parallel and any(f.attribute == finding.attribute for f in agreeing)


def _pairs(a: DocumentClaims, b: DocumentClaims, fewest: int) -> Iterator[tuple[int, int]]:
    """The claim pairs that share an attribute or `fewest` words, each once: the ones worth comparing."""
    for i, left in enumerate(a.claims):
        attributes = {f.attribute for f in left.facts}
        for j, right in enumerate(b.claims):
            if a is b and j <= i:
                continue
            if len(left.words & right.words) >= fewest or any(f.attribute in attributes for f in right.facts):
                yield i, j


def _stated(document: DocumentClaims, span: Span) -> bool:
    """Whether a document gives exactly a value somewhere."""
    values = [v for v in extract_values(span.text) if v.kind is not ValueKind.NAME]
    if values:
        wanted = (values[0].low, values[0].high, values[0].unit)
        return any((v.low, v.high, v.unit) == wanted for c in document.claims for v in c.values)
    words = {t.key for t in tokenise(span.text)[0]}
    return any(words <= {t.key for t in c.tokens} for c in document.claims)


def overlap(a: DocumentClaims, b: DocumentClaims) -> float:
    """The share of the smaller document's content words and figures that the larger one has too (0…1)."""
    return profile_overlap(a.profile, b.profile)


def compare_documents(a: DocumentClaims, b: DocumentClaims) -> list[Contradiction]:
    """Every contradiction between two documents, one for each pair of values, most confident first.

    Give one document twice to compare its claims with each other. Documents on two things of one name have none.
    """
    if a is not b and _apart(a, b):
        return []
    near_copy = a is not b and min(len(a.claims), len(b.claims)) >= 2 and overlap(a, b) >= _NEAR_COPY
    said = (_said_too(a, b), _said_too(b, a)) if a is not b else (frozenset(), frozenset())
    found: dict[tuple[str, str], Contradiction] = {}
    for i, j in _pairs(a, b, 1 if near_copy else 2):
        if i in said[0] and j in said[1]:
            continue  # each text says both
        comparison = compare(a.claims[i], b.claims[j], near_copy=near_copy)
        difference = comparison.difference
        if difference is None or (a is not b and _both_say(a, b, difference)):
            continue
        if not difference.attribute and (i in said[0] or j in said[1]):
            continue
        key = (plain(difference.first.text).lower(), plain(difference.second.text).lower())
        known = found.get(key)
        if known is None or known.comparison.confidence < comparison.confidence:
            found[key] = Contradiction(i, j, comparison)
    return sorted(found.values(), key=lambda c: (-c.comparison.confidence, c.first, c.second))


def _said_too(a: DocumentClaims, b: DocumentClaims) -> frozenset[int]:
    """The claims of `a` that `b` has word for word, or cropped by a few words."""
    others = [_terms(claim) for claim in b.claims]
    return frozenset(i for i, claim in enumerate(a.claims) if any(_restates(_terms(claim), o) for o in others))


def _terms(claim: ClaimFeatures) -> frozenset[str]:
    terms = claim.words | {f"{t.value.low}:{t.value.high}" for t in claim.tokens if t.value}
    return terms | {"not"} if claim.negated else terms


def _restates(a: frozenset[str], b: frozenset[str]) -> bool:
    smaller, larger = sorted((a, b), key=len)
    if ("not" in a) != ("not" in b):
        return False
    return len(smaller) >= 2 and smaller <= larger and len(smaller) >= 0.4 * len(larger)


def _both_say(a: DocumentClaims, b: DocumentClaims, difference: Difference) -> bool:
    """Whether both values are in both texts, or the attribute has several values: then they are of two things."""
    if _stated(b, difference.first) and _stated(a, difference.second):
        return True
    if difference.parallel:
        return False
    return _several(a, difference.attribute) or _several(b, difference.attribute)


def _several(document: DocumentClaims, attribute: str) -> bool:
    """Whether a document gives an attribute several values for one period: of its parts, or of other things."""
    facts = [f for c in document.claims for f in c.facts if f.attribute == attribute]
    return any(
        agreement(left.value, right.value) is Agreement.DIFFERENT and left.years == right.years
        for left, right in combinations(facts, 2)
    )


def _apart(a: DocumentClaims, b: DocumentClaims) -> bool:
    """Whether two documents are about different things, by title or by how little they share."""
    titled = a.titled and b.titled
    if titled and titles_clash(a.topic, b.topic):
        return True
    return not same_thing(a.profile, b.profile, same_title=titled and same_topic(a.topic, b.topic))
