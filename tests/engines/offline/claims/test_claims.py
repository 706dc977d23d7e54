"""Claims are the checkable statements of a text, with exact spans and terms to be found by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.engines.offline.claims.claims import ClaimText, claim_features, extract_claims, unasserted


@dataclass(frozen=True)
class Piece:
    start: int
    end: int


def pieces(text: str) -> list[Piece]:
    """A splitter of our own: after a full stop, question or exclamation mark and white space."""
    cuts = [0, *(m.end() for m in re.finditer(r"[.?!。]\s+", text)), len(text)]
    return [Piece(a, b) for a, b in pairwise(cuts) if a < b]


def claims_of(text: str) -> list[str]:
    return [claim.text for claim in extract_claims(text, pieces(text))]


@pytest.mark.parametrize(
    "text",
    [
        "Beacon Mill was built in 1869.",
        "The mill has eleven floors.",
        "The hall was designed by John Lang.",
        "The mill is not open to visitors.",
        "Born : March 3, 1920",
        "Founded 7 September 1971",
        "According to the 2010 census, the town had 1,294 inhabitants.",
        "大桥于1968年建成。",
    ],
)
def test_checkable_statements_are_claims(text: str) -> None:
    assert claims_of(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Was the mill built in 1869?",
        "If the dam had been finished in 1968, the valley would have stayed dry.",
        "According to a legend, the mill was built in 1200.",
        "It was reportedly sold in 1911.",
        "“The mill was never built in 1869,” said the old man.",
        "What links here Related changes Upload file Permanent link Page information",
        "Privacy policy Terms of use Cookie statement 2024",
        "Hello there.",
    ],
)
def test_what_states_nothing_is_no_claim(text: str) -> None:
    assert claims_of(text) == []


def test_a_hedge_in_a_later_clause_covers_that_clause_only() -> None:
    text = "The film was directed by Ann Ray, reportedly for $5 million, and opened in 1971."
    ((start, end),) = unasserted(text)
    assert text[start:end].strip() == "reportedly for $5 million"
    assert claims_of(text) == [text]


@given(st.text(alphabet=st.sampled_from("Mill was 1869 . ? \n\"'(),Ein年"), max_size=80))
def test_a_claim_is_exactly_its_span(text: str) -> None:
    for claim in extract_claims(text, pieces(text)):
        assert claim.text == text[claim.start : claim.end]
        assert claim.text == claim.text.strip()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ida Brandt (3 March 1920 – 7 May 1990) was a painter.", {("birth", "3 March 1920"), ("death", "7 May 1990")}),
        ("In 1970 the dam was completed.", {("construction", "1970")}),
        ("The tower is 60 m tall.", {("height", "60 m")}),
        ("The hall was designed by John Lang in 1911.", {("architect", "John Lang")}),
        ("She was born in Bergen.", {("birthplace", "Bergen")}),
        ("At the 2010 census 1,294 people lived there.", {("population", "1,294")}),
    ],
)
def test_facts(text: str, facts: set[tuple[str, str]]) -> None:
    assert {(f.attribute, f.value.text) for f in claim_features(ClaimText(text)).facts} == facts


def test_amounts_know_their_year() -> None:
    text = "The population was 1,294 at the 2010 census, down from 1,418 at the 2000 census."
    facts = claim_features(ClaimText(text)).facts
    years = {f.value.text: {d.text for d in f.dates} for f in facts if f.attribute == "population"}
    assert years == {"1,294": {"2010"}, "1,418": {"2000"}}
