"""Words that exclude each other, words that go together, and the sorts of thing that words name."""

from __future__ import annotations

from itertools import combinations

import pytest

from memory_bank.engines.offline.claims.claims import extract_claims
from memory_bank.engines.offline.language.opposites import compatible, exclusive, is_relative, nation
from memory_bank.engines.offline.language.sorts import sorts_of
from memory_bank.engines.offline.language.tokens import stem
from memory_bank.modules.sentences import sentences


@pytest.mark.parametrize(
    ("a", "b"), [("Danish", "Peru"), ("best", "worst"), ("greatest", "worst"), ("real", "fictional")]
)
def test_opposites_exclude_each_other_either_way(a: str, b: str) -> None:
    assert exclusive(stem(a), stem(b))
    assert exclusive(stem(b), stem(a))
    assert not compatible(stem(a), stem(b))


@pytest.mark.parametrize(("a", "b"), [("Danish", "Denmark"), ("singer", "musician"), ("best", "greatest")])
def test_words_of_one_group_go_together(a: str, b: str) -> None:
    assert compatible(stem(a), stem(b))
    assert not exclusive(stem(a), stem(b))


def test_a_nation_is_one_as_country_and_as_adjective() -> None:
    assert nation(stem("Jamaican")) == nation(stem("Jamaica")) is not None
    assert nation(stem("Danish")) != nation(stem("Norwegian"))
    assert nation(stem("painter")) is None


def test_a_comparison_says_nothing_without_what_it_refers_to() -> None:
    assert is_relative(stem("largest"))
    assert is_relative(stem("earlier"))
    assert not is_relative(stem("fictional"))


@pytest.mark.parametrize(
    ("a", "b"), list(combinations(["film", "song", "painter", "town", "county", "dog", "company"], 2))
)
def test_a_thing_is_of_one_sort(a: str, b: str) -> None:
    assert sorts_of(stem(a))
    assert not sorts_of(stem(a)) & sorts_of(stem(b))


def test_a_place_may_be_a_town_or_a_county_and_an_unknown_word_anything() -> None:
    assert sorts_of(stem("place")) > sorts_of(stem("town"))
    assert sorts_of(stem("place")) > sorts_of(stem("county"))
    assert not sorts_of(stem("settlement"))


@pytest.mark.parametrize("text", ["Orvik is a town.", "Orvik is in Norway.", "Orvik has a harbour."])
def test_what_a_named_thing_is_where_it_is_and_what_it_has_are_claims(text: str) -> None:
    assert [claim.text for claim in extract_claims(text, sentences(text))] == [text]


@pytest.mark.parametrize("text", ["How charming it is!", "It is nice.", "Orvik is."])
def test_a_sentence_without_a_named_thing_or_anything_said_of_it_is_no_claim(text: str) -> None:
    assert extract_claims(text, sentences(text)) == ()
