"""Clauses lie in their sentence in order, and a short one is not cut off."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.judgement.parts import MOST_CLAUSES, clauses, runs_of_clauses


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The hall opens on 1 October and seats 120 guests.", ["The hall opens on 1 October", "seats 120 guests."]),
        ("The hall, which seats 120 guests, opens in May.", ["The hall, which seats 120 guests", "opens in May."]),
        ("Breakfast is served from 7:00 to 9:30.", ["Breakfast is served from 7:00 to 9:30."]),
        ("It is used only by clubs for which somebody pays.", ["It is used only by clubs for which somebody pays."]),
        ("Die Halle öffnet im Mai und fasst 120 Gäste.", ["Die Halle öffnet im Mai", "fasst 120 Gäste."]),
        ("大坝于1968年建成，坝高为111米。", ["大坝于1968年建成", "坝高为111米。"]),
    ],
)
def test_a_sentence_falls_into_its_clauses(sentence: str, expected: list[str]) -> None:
    assert [span.of(sentence) for span in clauses(sentence)] == expected


@given(st.text(st.sampled_from("ab ,;and()")))
def test_clauses_are_in_order_and_the_runs_hold_the_whole_sentence(sentence: str) -> None:
    found = clauses(sentence)
    assert 1 <= len(found) <= MOST_CLAUSES
    assert (found[0].start, found[-1].end) == (0, len(sentence))
    assert all(left.end <= right.start for left, right in itertools.pairwise(found))
    assert runs_of_clauses(sentence).count((0, len(sentence))) == 1
