"""Definite descriptions that point to what a text is about: "Harlan Foods … The company was founded in 1911."."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.language.subjects import SubjectKind
from memory_bank.engines.offline.language.tokens import stem
from memory_bank.values.names import name_words
from memory_bank.values.values import ValueKind

THINGS = frozenset(
    stem(word)
    for word in (
        "company firm business corporation organisation organization group manufacturer bank airline brewery "
        "club team band orchestra party union society charity school college university museum library hospital "
        "city town village district region island river lake mountain hill building house tower bridge church castle "
        "mill station hotel film movie book novel album song game series play newspaper magazine journal ship"
    ).split()
)
"""Nouns that stand for a name given before: a fire or a storm is told of for its own sake, a company is one by name."""

_WHERE = frozenset("in at from near to of across with for by and".split())


def pointing_kinds(claims: Sequence[ClaimFeatures], topic: frozenset[str], *, titled: bool) -> frozenset[str]:
    """The nouns by which a text's definite subjects point to its topic; none once another name could be meant.

    `titled` when the topic is the text's title; else some sentence has to be about it first.
    """
    found: set[str] = set()
    introduced = titled
    for claim in claims:
        introduced = introduced or (claim.subject.kind is SubjectKind.NAME and bool(claim.subject.words & topic))
        if not introduced:
            continue
        if _names_another(claim, topic):
            break
        if claim.subject.kind is SubjectKind.DEFINITE and claim.subject.words <= THINGS:
            found |= claim.subject.words
    return frozenset(found)


def _names_another(claim: ClaimFeatures, topic: frozenset[str]) -> bool:
    """Whether a claim names something besides the topic, places and the like left out."""
    before = {after.start: t.key for t, after in pairwise(claim.tokens)}
    return any(
        not {stem(word) for word in name_words(value.text)} <= topic
        for value in claim.values
        if value.kind is ValueKind.NAME and before.get(value.start) not in _WHERE
    )
