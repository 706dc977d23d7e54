"""What limits a claim besides its subject: which of several, where, when; and what denies it."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.claims.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.claims.scope import places_apart, subjects_apart, times_apart
from memory_bank.engines.offline.language.counts import count_key, counted
from memory_bank.engines.offline.language.tokens import negation, tokenise


def features(text: str) -> ClaimFeatures:
    return claim_features(ClaimText(text))


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("Highway 12 is 85 km long.", "Highway 21 is 140 km long.", True),
        ("Building A has 12 floors.", "Building B has 9 floors.", True),
        ("Building A has 12 floors.", "Building A has 9 floors.", False),
        ("The first bishop was Odo.", "The third bishop was Hugh.", True),
        ("The former director is Ruth Hale.", "The director is Iain Moore.", True),
        ("At low tide the channel is 2 m deep.", "At high tide the channel is 9 m deep.", True),
        ("The aircraft first flew in 1935.", "The aircraft flew in 1936.", False),
        ("The tower is 60 m tall.", "The tower is 72 m tall.", False),
    ],
)
def test_one_of_several_is_not_another(first: str, second: str, apart: bool) -> None:  # noqa: FBT001
    assert subjects_apart(features(first), features(second)) is apart


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("It had 300 people in 2010.", "It had 400 people in 2020.", True),
        ("It had 300 people in 2010.", "It had 400 people in 2010.", False),
        ("A room cost $90 in January.", "A room cost $160 in July.", True),
        ("In 1850 it had 300 people.", "Today it has 12,000 people.", True),
        ("It was once blue.", "It is red.", True),
        ("Sales were £3 million in the first quarter.", "Sales were £11 million.", True),
        ("The line will have 9 stations.", "The line has 12 stations.", True),
        ("It has 9 stations.", "It has 12 stations.", False),
    ],
)
def test_other_times_are_apart(first: str, second: str, apart: bool) -> None:  # noqa: FBT001
    assert times_apart(features(first), features(second)) is apart


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("It has 1,200 employees in Europe.", "It has 4,500 employees worldwide.", True),
        ("It grossed $20 million in Canada.", "It grossed $30 million in Japan.", True),
        ("It grossed $20 million in Canada.", "It grossed $30 million in Canada.", False),
        ("It has 1,200 employees.", "It has 4,500 employees.", False),
    ],
)
def test_other_places_are_apart(first: str, second: str, apart: bool) -> None:  # noqa: FBT001
    assert places_apart(features(first), features(second)) is apart


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The mill is not open.", True),
        ("There were no survivors.", True),
        ("He never married.", True),
        ("The hall is not only used for concerts.", False),
        ("The line was not opened until 1902.", False),
        ("No fewer than 300 guests came.", False),
        ("The road is not unsafe.", False),
        ("Not all of the houses are old.", False),
        ("It is no longer in use.", True),
        ("", False),
    ],
)
def test_what_denies_and_what_only_looks_like_it(text: str, denied: bool) -> None:  # noqa: FBT001
    assert (negation(tokenise(text)[0]) is not None) is denied


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("The fire killed 14 people.", "count:dead"),
        ("In all, 31 people were killed.", "count:dead"),
        ("The firm employs 340 people.", "count:employee"),
        ("In Tarn live 300 people.", "population"),
        ("It has 42 storeys.", "count:floor"),
        ("The 38-storey tower stands.", "count:floor"),
        ("About 5,000 students attend it.", "count:student"),
    ],
)
def test_what_a_number_counts(text: str, attribute: str) -> None:
    tokens, _ = tokenise(text)
    at = next(index for index, token in enumerate(tokens) if token.value)
    found = counted(tokens, at)
    assert found is not None
    assert count_key(found[0]) == attribute
