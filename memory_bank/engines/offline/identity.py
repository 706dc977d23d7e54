"""Whether two documents speak of one thing (specification section 7: like with like).

Two people, towns or albums of one name give every value differently, and none of it is a contradiction. What two
descriptions of one thing have in common is measured: words, values and names beyond the shared name itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.engines.offline.attributes import Fact
from memory_bank.engines.offline.claims import ClaimFeatures
from memory_bank.engines.offline.names import name_words
from memory_bank.engines.offline.subjects import SubjectKind, disambiguator, topic_words
from memory_bank.engines.offline.tokens import stem
from memory_bank.engines.offline.values import Agreement, ValueKind, agreement

# Short texts have little to share: from _SHORT to _LONG words, what is asked grows from nothing to _ENOUGH.
_SHORT, _LONG = 10, 40
_ENOUGH = 0.62
_VALUE_WEIGHT, _MOST_VALUES = 0.08, 5
_NAME_WEIGHT, _MOST_NAMES = 0.04, 4
_SAME_TITLE = 0.12
_SMALL_NUMBER = 20
_MANY_DIFFERENT = 2
# Facts that tell apart two things of one name.
_IDENTIFYING = frozenset(
    ("birth", "birthplace", "death", "place of death", "foundation", "construction", "location", "height", "area")
)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a document can be recognised by: content stems, distinctive figures, names, all without its topic."""

    words: frozenset[str]
    figures: frozenset[tuple[str, float]]
    names: frozenset[str]
    facts: tuple[Fact, ...]


def profile(claims: Sequence[ClaimFeatures], topic: frozenset[str]) -> Profile:
    """The profile of a document given by its claims."""
    words: set[str] = set()
    figures: set[tuple[str, float]] = set()
    names: set[str] = set()
    facts: list[Fact] = []
    for claim in claims:
        words |= claim.words
        facts += [f for f in claim.facts if f.attribute in _IDENTIFYING]
        for value in claim.values:
            if value.kind is ValueKind.NAME:
                names.add(" ".join(name_words(value.text)))
            elif value.kind is not ValueKind.ORDINAL:
                words.add(f"{value.kind}:{value.low}")
                if value.kind is not ValueKind.NUMBER or value.low >= _SMALL_NUMBER:
                    figures.add((value.unit, value.low))
    names = {n for n in names if len(n) > 3 and not {stem(w) for w in n.split()} <= topic}
    return Profile(frozenset(words), frozenset(figures), frozenset(names), tuple(facts))


def titles_clash(first: str, second: str) -> bool:
    """Whether two titles name different things: no common word, or additions in brackets that share nothing."""
    a, b = topic_words(first), topic_words(second)
    if a and b and not a & b:
        return True
    left, right = disambiguator(first), disambiguator(second)
    return bool(left and right and not left & right)


def profile_overlap(a: Profile, b: Profile) -> float:
    """The share of the smaller profile's words and values that the larger one has too (0…1)."""
    smaller = min(len(a.words), len(b.words))
    return len(a.words & b.words) / smaller if smaller else 0.0


def same_thing(a: Profile, b: Profile, *, same_title: bool) -> bool:
    """Whether two documents share enough for their differing values to be about one thing."""
    if _facts_exclude(a, b):
        return False
    evidence = profile_overlap(a, b)
    evidence += _VALUE_WEIGHT * min(_MOST_VALUES, len(a.figures & b.figures))
    evidence += _NAME_WEIGHT * min(_MOST_NAMES, len(a.names & b.names))
    evidence += _SAME_TITLE if same_title else 0.0
    size = min(len(a.words), len(b.words))
    asked = _ENOUGH * min(1.0, max(0.0, (size - _SHORT) / (_LONG - _SHORT)))
    return evidence >= asked


def _facts_exclude(a: Profile, b: Profile) -> bool:
    """Whether the identifying facts of two documents all differ, and there are several."""
    verdicts: dict[str, set[Agreement]] = {}
    for left in a.facts:
        for right in b.facts:
            if left.attribute == right.attribute:
                verdicts.setdefault(left.attribute, set()).add(agreement(left.value, right.value))
    differing = sum(Agreement.DIFFERENT in v and Agreement.SAME not in v for v in verdicts.values())
    agreeing = sum(Agreement.SAME in v for v in verdicts.values())
    return differing >= _MANY_DIFFERENT and not agreeing and profile_overlap(a, b) < _ENOUGH


def guess_topic(claims: Sequence[ClaimFeatures]) -> str:
    """The name a text is about where nobody said: the first sentence's subject, where that is a name; else ""."""
    for claim in claims[:3]:
        if claim.subject.kind is SubjectKind.NAME and claim.subject.verb:
            tokens = claim.tokens[: claim.subject.verb]
            phrase = claim.text[tokens[0].start : tokens[-1].end]
            named = re.split(r"[,(;:–]", phrase)[0].strip()
            if named[:1].isupper() and len(named.split()) <= 8:
                return named
    return ""
