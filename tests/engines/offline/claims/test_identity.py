"""Two documents on one thing, or on two things of one name."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.claims.claims import ClaimText, claim_features
from memory_bank.engines.offline.claims.identity import (
    Kinship,
    guess_topic,
    kinship,
    profile,
    profile_overlap,
    same_topic,
    titles_clash,
)

BERGEN = [
    "Ida Brandt (3 March 1920 – 7 May 1990) was a Norwegian painter of harbours and ships.",
    "She studied in Bergen under Olaf Lie and taught at the Bergen Academy from 1951.",
    "Her best known work, Winter Quay, hangs in the town hall.",
]
OSLO = [
    "Ida Brandt (9 June 1961 – 2 May 2019) was a judge who sat on the Supreme Court.",
    "She read law in Oslo, was called to the bar in 1987 and led the Frostating bench.",
    "Her reports on prisons changed the penal code.",
]


def test_copies_are_surely_of_one_thing() -> None:
    claims = [claim_features(ClaimText(t)) for t in BERGEN]
    here = profile(claims, frozenset())
    changed = profile([claim_features(ClaimText(t.replace("1951", "1957"))) for t in BERGEN], frozenset())
    assert kinship(here, changed, same_title=False) is Kinship.SURE
    assert profile_overlap(here, here) == 1.0


def test_namesakes_are_apart() -> None:
    a = profile([claim_features(ClaimText(t)) for t in BERGEN], frozenset({"ida", "brandt"}))
    b = profile([claim_features(ClaimText(t)) for t in OSLO], frozenset({"ida", "brandt"}))
    assert kinship(a, b, same_title=False) is Kinship.APART


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        ("Night Train (film)", "Night Train (album)", True),
        ("Night Train (1979 film)", "Night Train (film)", False),
        ("Night Train", "Night Train (film)", False),
        ("Night Train", "Blue Coast", True),
        ("", "Blue Coast", False),
    ],
)
def test_titles(first: str, second: str, *, clash: bool) -> None:
    assert titles_clash(first, second) is clash
    if clash:
        assert not same_topic(first, second)


@pytest.mark.parametrize(
    ("texts", "topic"),
    [
        (["Beacon Mill is a smock mill in Kent."], "Beacon Mill"),
        (["Beacon Mill Beacon Mill is a smock mill in Kent."], "Beacon Mill"),
        (["In 1998, Norvik Systems was founded.", "It makes sonar."], "Norvik Systems"),
        (["It was built in 1869."], ""),
    ],
)
def test_guessing_the_topic(texts: list[str], topic: str) -> None:
    assert guess_topic([claim_features(ClaimText(t)) for t in texts]) == topic
