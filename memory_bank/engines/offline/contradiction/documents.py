"""A document as the comparison sees it: its claims, what it is about, and what it says besides one claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from memory_bank.engines.offline.claims.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.claims.identity import (
    Kinship,
    Profile,
    guess_topic,
    kinship,
    profile,
    profile_overlap,
    same_topic,
    titles_clash,
)
from memory_bank.engines.offline.claims.periods import periods_apart
from memory_bank.engines.offline.claims.pointing import THINGS, pointing_kinds
from memory_bank.engines.offline.contradiction.findings import Span
from memory_bank.engines.offline.language.opposites import has_opposite
from memory_bank.engines.offline.language.subjects import SubjectKind, is_topic, topic_words
from memory_bank.engines.offline.language.tokens import tokenise
from memory_bank.values.values import Agreement, ValueKind, agreement, extract_values


@dataclass(frozen=True, slots=True)
class DocumentClaims:
    """The claims of one text, or of one node, with what the document can be recognised by.

    `topic` is the given or guessed name of what it is about; `titled` says that it was given.
    """

    topic: str
    titled: bool
    claims: tuple[ClaimFeatures, ...]
    profile: Profile


def document_claims(texts: Sequence[str], topic: str = "") -> DocumentClaims:
    """The claims of a document, ready for comparing; keep the object to save the work.

    `topic` is the title or name of what the document is about ("Beacon Mill, Benenden"), not a file name. A topic
    whose words the text does not use is ignored, unless it is a name and the text begins by pointing to it ("The
    company was founded …"); without one it is guessed from the first sentences.
    """
    plain_claims = [claim_features(ClaimText(text)) for text in texts]
    words = frozenset[str]().union(*(c.words for c in plain_claims))
    wanted = topic_words(topic)
    guess = guess_topic(plain_claims)
    titled = bool(wanted) and (len(wanted & words) * 2 >= len(wanted) or (not guess and _heads(topic, plain_claims)))
    name = topic if titled else guess
    named = topic_words(name)
    kinds = frozenset(t.key for c in plain_claims if is_topic(c.subject, named, frozenset()) for t in c.predicate)
    kinds |= pointing_kinds(plain_claims, named, titled=titled)
    claims = tuple(claim_features(ClaimText(text, name, kinds)) for text in texts)
    return DocumentClaims(name, titled, claims, profile(claims, named))


def _heads(topic: str, claims: Sequence[ClaimFeatures]) -> bool:
    """Whether a title is a name that the first claim points to."""
    if not claims or not _NAME.fullmatch(topic.partition("(")[0].strip()):
        return False
    subject = claims[0].subject
    return subject.kind in _POINTING or bool(subject.words & THINGS)


_POINTING = frozenset({SubjectKind.NONE, SubjectKind.PRONOUN, SubjectKind.POSSESSIVE})
_NAME = re.compile(r"[^\W\d_a-z]\w*(?:[ '’-]+(?:of|the|and|\w*[^\W\d_a-z]\w*))+")


def overlap(a: DocumentClaims, b: DocumentClaims) -> float:
    """The share of the smaller document's content words and figures that the larger one has too (0…1)."""
    return profile_overlap(a.profile, b.profile)


def document_kinship(a: DocumentClaims, b: DocumentClaims) -> Kinship:
    """Whether two documents are about one thing, by title and by how much they share."""
    titled = a.titled and b.titled
    if titled and titles_clash(a.topic, b.topic):
        return Kinship.APART
    return kinship(a.profile, b.profile, same_title=titled and same_topic(a.topic, b.topic))


def said_too(a: DocumentClaims, b: DocumentClaims) -> frozenset[int]:
    """The claims of `a` that `b` has word for word, or cropped at an end."""
    own, others = ([(_terms(claim), _whole_terms(claim)) for claim in document.claims] for document in (a, b))
    return frozenset(i for i, claim in enumerate(own) if any(_restates(*claim, *other) for other in others))


def _terms(claim: ClaimFeatures, last: int | None = None) -> frozenset[str]:
    compared = next((t.start for t in claim.tokens if t.text == "than"), len(claim.text))
    terms = {
        f"{t.value.low}:{t.value.high}" if t.value else f"than {t.key}" if t.start > compared else t.key
        for t in claim.tokens[:last]
        if t.content or has_opposite(t.key)
    }
    return frozenset(terms | {"not"} if claim.negated else terms)


def _whole_terms(claim: ClaimFeatures) -> frozenset[str]:
    """The terms without a last word that may be cut: the text breaks off there, and it is no value."""
    broken = not claim.text.endswith((".", "!", "。", "！", ")", '"', "”"))
    cut = broken and bool(claim.tokens) and claim.tokens[-1].value is None
    return _terms(claim, -1 if cut and len(claim.tokens) > _CROPPED else None)


_CROPPED = 8


def _restates(
    terms: frozenset[str], whole_terms: frozenset[str], other: frozenset[str], other_whole: frozenset[str]
) -> bool:
    """Whether one of two claims, given by their terms, is the other or part of it."""
    for part, whole in ((whole_terms, other), (other_whole, terms)):
        if len(part) >= 2 and len(part) >= 0.4 * len(whole) and part <= whole and ("not" in part) == ("not" in whole):
            return True
    return False


_PHRASE = 4


def stated(document: DocumentClaims, span: Span) -> bool:
    """Whether a document gives exactly a value, or says exactly a phrase, somewhere."""
    values = [v for v in extract_values(span.text) if v.kind is not ValueKind.NAME]
    if values and values[0].text == span.text:
        wanted = (values[0].low, values[0].high, values[0].unit)
        return any((v.low, v.high, v.unit) == wanted for c in document.claims for v in c.values)
    tokens = tokenise(span.text)[0]
    if any(t.value for t in tokens) or len(tokens) > _PHRASE:
        return any(span.text in c.text for c in document.claims)
    words = {t.key for t in tokens}
    return any(words <= {t.key for t in c.tokens} for c in document.claims)


def several(document: DocumentClaims, attribute: str) -> bool:
    """Whether a document gives an attribute several values for one period: of its parts, or of other things."""
    facts = [f for c in document.claims for f in c.facts if f.attribute == attribute]
    return any(
        agreement(left.value, right.value) is Agreement.DIFFERENT and not periods_apart(left.dates, right.dates)
        for left, right in combinations(facts, 2)
    )
