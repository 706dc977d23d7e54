"""Whether two claims are told of one thing: "the mill", "Beacon Mill", "it" (specification section 7)."""

from __future__ import annotations

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.identity import Kinship, additions_clash, same_topic
from memory_bank.engines.offline.claims.pointing import THINGS
from memory_bank.engines.offline.language.attributes import is_trigger
from memory_bank.engines.offline.language.subjects import Subject, SubjectKind, is_topic, only_points, same_words
from memory_bank.engines.offline.language.tokens import stem


def same_subject(a: ClaimFeatures, b: ClaimFeatures, left: Subject, right: Subject, kin: Kinship) -> bool:
    """Whether a subject of one claim and a subject of another can be one thing.

    `kin` is what is known of the texts they stand in.
    """
    if SubjectKind.COUNTED in (left.kind, right.kind):
        return _counted_of_one(a, b, left, right)
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
    first, second = _without_titles(_resolved(a, left), _resolved(b, right))
    return same_words(first, second) and not (_part(left, right) or _part(right, left))


def _without_titles(left: frozenset[str], right: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Two names without what one has before its name and the other has not: "King Olaf III", "Olaf III of Arden"."""
    if len(left & right) < _ENOUGH:
        return left, right
    return left - _TITLES, right - _TITLES


_ENOUGH = 2
_TITLES = frozenset(stem(w) for w in "king queen prince princess emperor pope bishop saint general dr sir".split())


def _part(whole: Subject, other: Subject) -> bool:
    """Whether a subject is only part of another's: "the ape house of the zoo", "the zoo"."""
    head = frozenset(word for word in whole.head - THINGS if not is_trigger(word))
    return bool(head and other.words) and not head & other.words


def _counted_of_one(a: ClaimFeatures, b: ClaimFeatures, left: Subject, right: Subject) -> bool:
    """Whether figures are told of one thing: "31 people were killed in the fire", "The fire killed 14 people"."""
    if left.kind is right.kind:
        first, second = _circumstances(a, left), _circumstances(b, right)
        return bool(first & second) and (first <= second or second <= first)
    counting, named = (a, right) if left.kind is SubjectKind.COUNTED else (b, left)
    return bool(named.words) and named.words <= counting.words


def _circumstances(claim: ClaimFeatures, subject: Subject) -> frozenset[str]:
    """The words of a claim that neither name an attribute nor what is counted."""
    return frozenset(word for word in claim.words - subject.words if not is_trigger(word))


def _share_more(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims of unknown subject share a word besides those that name attributes."""
    return any(not is_trigger(word) for word in a.words & b.words)


def _resolved(claim: ClaimFeatures, subject: Subject) -> frozenset[str]:
    points = is_topic(subject, claim.topic, claim.claim.kinds)
    return claim.topic | subject.words if points else subject.words
