"""The noun phrases of questions, and which of them is somebody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.phrases import phrases


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How long is Harlow Bridge?", ["Harlow Bridge"]),
        ("When was Harlow Bridge built?", ["Harlow Bridge"]),
        ("And when was it built?", []),
        ("how much?", []),
        ("What did we decide?", []),
        ("Which is older?", []),
        (
            "What is the budget for the Hawaii trip?",
            ["the budget for the Hawaii trip", "the budget", "the Hawaii trip"],
        ),
        ("How much did the Hawaii trip cost?", ["the Hawaii trip"]),
        ("Did the parcel arrive?", ["the parcel"]),
        ("When did the man buy the car?", ["the man", "the car"]),
        ("What hotel did we book for the trip?", ["hotel", "the trip"]),
        ("What is my sister's birthday?", ["my sister's birthday"]),
        ("When is the staff meeting?", ["the staff meeting"]),
        ("When was the new stadium opened?", ["the new stadium"]),
        ("What is the phone number of Dana?", ["the phone number of Dana", "the phone number", "Dana"]),
        ("Is Anna coming?", ["Anna"]),
        ("Who told her about the plan?", ["the plan"]),
        ("I am flying to Hawaii on Friday.", ["Hawaii"]),
    ],
)
def test_a_phrase_ends_at_a_verb_and_goes_on_after_of(question: str, found: list[str]) -> None:
    assert [phrase.text for phrase in phrases(question)] == found


@pytest.mark.parametrize(
    "question", ["Where is Maria?", "Where is my sister?", "Who is the architect of Harlow Bridge?"]
)
def test_a_name_and_who_is_called_by_a_relation_or_a_profession_is_somebody(question: str) -> None:
    assert phrases(question)[0].person >= 0.5


@pytest.mark.parametrize(
    "question",
    [
        "Where is Harlow Bridge?",
        "Where is the Hawaii trip planned?",
        "What is in Lisbon?",
        "Where is Hotel Aurora?",
        "Where is the key?",
    ],
)
def test_a_thing_and_a_name_that_says_what_it_is_of_or_stands_after_in_is_nobody(question: str) -> None:
    assert phrases(question)[0].person < 0.5


@given(st.text(max_size=100))
def test_a_phrase_is_exactly_a_stretch_of_the_question(question: str) -> None:
    for phrase in phrases(question):
        assert question[phrase.start : phrase.end] == phrase.text
        assert phrase.text.strip() == phrase.text != ""
