"""Whether two documents speak of one thing (specification section 7: like with like).

Two people, towns or albums of one name give every value differently, and none of it is a contradiction. What two
descriptions of one thing have in common is measured: words, values and names beyond the shared name itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.facts import Fact
from memory_bank.engines.offline.language.opposites import excluding, is_demonym
from memory_bank.engines.offline.language.subjects import SubjectKind, disambiguator, same_words, topic_words
from memory_bank.engines.offline.language.tokens import stem
from memory_bank.values.names import name_words
from memory_bank.values.values import Agreement, Value, ValueKind, agreement

# Short texts have little to share: from _SHORT to _LONG words, what is asked grows from nothing to _ENOUGH.
_SHORT, _LONG = 8, 28
_ENOUGH = 0.62
_VALUE_WEIGHT, _MOST_VALUES = 0.08, 5
_NAME_WEIGHT, _MOST_NAMES = 0.04, 4
_FACT_WEIGHT, _MOST_FACTS = 0.1, 3
_AGAINST_WEIGHT = 0.06
_SAME_TITLE = 0.12
_SMALL_NUMBER = 20
_RECOGNISED = 2
_MANY_DIFFERENT = 2
# Attributes that many things of one kind share the value of, or have many values of: they identify nothing.
_COMMON = frozenset({"listing", "victory", "last working"})


@dataclass(frozen=True, slots=True)
class Profile:
    """What a document can be recognised by: content stems, distinctive figures, names, all without its topic.

    `kinds` are stems of what it says its topic is ("Canadian", "cellist").
    """

    words: frozenset[str]
    figures: frozenset[tuple[str, float]]
    names: frozenset[str]
    facts: tuple[Fact, ...]
    kinds: frozenset[str]


def profile(claims: Sequence[ClaimFeatures], topic: frozenset[str]) -> Profile:
    """The profile of a document given by its claims."""
    words: set[str] = set()
    figures: set[tuple[str, float]] = set()
    names: set[str] = set()
    facts: list[Fact] = []
    for claim in claims:
        words |= claim.words
        facts += [f for f in claim.facts if f.attribute not in _COMMON and not f.attribute.startswith("count:")]
        for value in claim.values:
            if value.kind is ValueKind.NAME:
                names.add(" ".join(name_words(value.text)))
            elif value.kind is not ValueKind.ORDINAL:
                words.add(f"{value.kind}:{value.low}")
                if value.kind is not ValueKind.NUMBER or value.low >= _SMALL_NUMBER:
                    figures.add((value.unit, value.low))
    names = {n for n in names if len(n) > 3 and not {stem(w) for w in n.split()} <= topic}
    kinds = frozenset(t.key for c in claims if topic and c.subject.words == topic for t in c.predicate)
    return Profile(frozenset(words), frozenset(figures), frozenset(names), tuple(facts), kinds)


def titles_clash(first: str, second: str) -> bool:
    """Whether two titles name different things: no common word, or additions in brackets that share nothing."""
    a, b = topic_words(first), topic_words(second)
    if a and b and not a & b:
        return True
    return additions_clash(first, second)


def additions_clash(first: str, second: str) -> bool:
    """Whether two titles have additions in brackets that share nothing: "(film)" and "(album)"."""
    left, right = disambiguator(first), disambiguator(second)
    return not (left <= right or right <= left)


def same_topic(first: str, second: str) -> bool:
    """Whether two titles can name one thing: shared words, and no conflicting addition in brackets."""
    a, b = topic_words(first), topic_words(second)
    if not a or not b:
        return True
    if additions_clash(first, second):
        return False
    return same_words(a, b)


def profile_overlap(a: Profile, b: Profile) -> float:
    """The share of the smaller profile's words and values that the larger one has too (0…1)."""
    smaller = min(len(a.words), len(b.words))
    return len(a.words & b.words) / smaller if smaller else 0.0


class Kinship(IntEnum):
    """How surely two documents speak of one thing."""

    APART = 0
    POSSIBLE = 1
    SURE = 2


def kinship(a: Profile, b: Profile, *, same_title: bool) -> Kinship:
    """Whether two documents share enough for their differing values to be about one thing.

    POSSIBLE is enough for claims that name their subject, SURE for claims that only point to it.
    """
    agreeing, differing = _fact_verdicts(a, b)
    shared = profile_overlap(a, b)
    if differing >= _MANY_DIFFERENT and not agreeing and shared < _ENOUGH:
        return Kinship.APART
    evidence = shared + (_SAME_TITLE if same_title else 0.0)
    evidence += _VALUE_WEIGHT * min(_MOST_VALUES, len(a.figures & b.figures))
    evidence += _NAME_WEIGHT * min(_MOST_NAMES, len(a.names & b.names))
    evidence += _FACT_WEIGHT * min(_MOST_FACTS, agreeing) - _AGAINST_WEIGHT * max(0, differing - 1)
    size = min(_size(a.words), _size(b.words))
    asked = _ENOUGH * min(1.0, max(0.0, (size - _SHORT) / (_LONG - _SHORT)))
    if evidence < asked:
        return Kinship.APART
    recognised = size >= _SHORT or len(a.figures & b.figures) >= _RECOGNISED
    return Kinship.SURE if evidence >= _ENOUGH and recognised else Kinship.POSSIBLE


def _size(words: frozenset[str]) -> float:
    """How many words; of Chinese, where each sign is a token, two signs are one."""
    if "".join(words).isascii():
        return len(words)
    return len(words) - sum(len(word) == 1 and not word.isascii() for word in words) / 2


def _fact_verdicts(a: Profile, b: Profile) -> tuple[int, int]:
    """Of how many attributes two documents give the same value, and of how many only different ones.

    What they say their topics are counts as one: "a Canadian cellist", "an Australian rower".
    """
    verdicts: dict[str, set[Agreement]] = {}
    for left in a.facts:
        for right in b.facts:
            if left.attribute == right.attribute:
                verdicts.setdefault(left.attribute, set()).add(agreement(left.value, right.value))
    agreeing = sum(Agreement.SAME in v for v in verdicts.values())
    differing = sum(Agreement.DIFFERENT in v and Agreement.SAME not in v for v in verdicts.values())
    differing += excluding(a.kinds, b.kinds) is not None
    return agreeing, differing


def guess_topic(claims: Sequence[ClaimFeatures]) -> str:
    """The name a text is about where nobody said; "" if no name stands out.

    Of the names in the first two claims, the one that most claims use; the first subject and longer names first.
    """
    scores: dict[str, float] = {}
    for index, claim in enumerate(claims[:2]):
        opening = claim.tokens[claim.subject.start : claim.subject.verb]
        for value in claim.values:
            name = " ".join(_once(value.text.split()))
            if value.kind is not ValueKind.NAME or not _title_like(name) or name in scores:
                continue
            words = topic_words(name)
            subject = bool(opening) and opening[0].start <= value.start < opening[-1].end
            scores[name] = (
                sum(words <= other.words for other in claims) / len(claims)
                + (1.0 if subject and claim.subject.kind is SubjectKind.NAME and not index else 0.0)
                + (0.5 if len(words) > 1 else 0.0)
                - (0.5 if _inside(claim, value) else 0.0)
                - (0.5 if value.initial and len(words) == 1 and len(opening) > 1 else 0.0)
            )
    best = max(scores, key=lambda name: scores[name], default="")
    return best if best and scores[best] >= _STANDS_OUT else ""


def _inside(claim: ClaimFeatures, name: Value) -> bool:
    """Whether a name only says where: "in Europe"."""
    before = [t for t in claim.tokens if t.end <= name.start]
    return bool(before) and before[-1].key in _WHERE


_WHERE = frozenset("in at from near to across by on with".split())


def _title_like(name: str) -> bool:
    return 0 < len(name.split()) <= _LONGEST_NAME and bool(topic_words(name)) and not is_demonym(stem(name))


def _once(words: list[str]) -> list[str]:
    """A title that runs into the sentence it heads ("Holt Mill Holt Mill is …"), once and without "The"."""
    bare = [w for w in words if w != "The"]
    half = len(bare) // 2
    return bare[:half] if half and bare[:half] == bare[half:] else bare


_LONGEST_NAME = 6
_STANDS_OUT = 1.0
