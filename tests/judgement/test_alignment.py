"""Quotations found where they stand, and those that stand nowhere."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.judgement.alignment import invented_numbers, locate_quotation, numbers

MILL = (
    "The mill (built in 1,848) cost $5.5 m. It isn’t open — the wind was\nat −5 °C. A party walked 15 km. "
    "“Smith & Sons” owned 3 of 4 mills, i.e. 75 % of <all> mills."
)
BRIDGE = "该桥长 １２.5 公里，\n2019年建成，100人参加。它不对外开放。"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("A party walked 15 km.", "A party walked 15 km."),
        ("  a PARTY walked  15 km. ", "A party walked 15 km."),
        ("It isn't open - the wind was at -5 °C.", "It isn’t open — the wind was\nat −5 °C."),
        ("built in 1848", "built in 1,848"),
        ('"Smith &amp; Sons" owned 3 of 4 mills', "“Smith & Sons” owned 3 of 4 mills"),
        ("75 % of &lt;all&gt; mills", "75 % of <all> mills"),
        ("“Smith & Sons” own 3 of 4 mills, i.e. 75%", "“Smith & Sons” owned 3 of 4 mills, i.e. 75 %"),
        ("Smith & Sons owned 3 of 4 mills, ie 75 %", "Smith & Sons” owned 3 of 4 mills, i.e. 75 %"),
        ("The mill (built in 1,848) cost us $5.5 m.", "The mill (built in 1,848) cost $5.5 m."),
        (
            "It isn't open — wind was at −5 °C. A party walked 15 km.",
            "It isn’t open — the wind was\nat −5 °C. A party walked 15 km.",
        ),
    ],
)
def test_a_quotation_is_found_in_spite_of_typography_and_slips(quote: str, found: str) -> None:
    span = locate_quotation(quote, MILL)
    assert span is not None
    assert span.of(MILL) == found


@pytest.mark.parametrize(
    ("quote", "found"),
    [("该桥长12.5公里,2019年建成", "该桥长 １２.5 公里，\n2019年建成"), ("它不对外开放。", "它不对外开放。")],
)
def test_a_chinese_quotation_is_found(quote: str, found: str) -> None:
    span = locate_quotation(quote, BRIDGE)
    assert span is not None
    assert span.of(BRIDGE) == found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("The mill (built in 1,849) cost $5.5 m.", MILL),
        ("The mill (built in 1,848) cost $55 m.", MILL),
        ("A party walked 5 km.", MILL),
        ("It is open — the wind was at −5 °C.", MILL),
        ("the wind was at 5 °C. A party walked 15 km.", MILL),
        ("5 °C. A party walked 15 km.", MILL),
        ("该桥长12.5公里，2018年建成", BRIDGE),
        ("它对外开放。它不对外开放。它对外开放", BRIDGE),
    ],
)
def test_a_quotation_with_another_number_or_without_its_not_is_not_found(quote: str, text: str) -> None:
    assert locate_quotation(quote, text) is None


@pytest.mark.parametrize("quote", ["", "  ", "—", "art", "5 km", "A windmill on the hill was pulled down."])
def test_what_does_not_stand_there_in_whole_words_is_not_found(quote: str) -> None:
    assert locate_quotation(quote, MILL) is None


def test_a_quotation_longer_than_the_text_is_not_found_in_it() -> None:
    assert (
        locate_quotation(
            "The mill was built by Smith, who died in a storm and left it to the town.", "The mill was built"
        )
        is None
    )
    assert locate_quotation("anything at all", "") is None


def test_a_short_quotation_must_be_exact() -> None:
    assert locate_quotation("Bil Hill", "Bill Hill.") is None
    assert locate_quotation("bill hill", "Bill Hill.") == (0, 9)


def test_of_two_places_the_one_in_whole_words_is_found() -> None:
    text = "It is 15 km off, then 5 km more."
    assert locate_quotation("5 km", text) == (text.index(" 5 km") + 1, text.index(" 5 km") + 5)


def test_a_slip_at_the_edge_is_widened_to_whole_words() -> None:
    span = locate_quotation(
        "he mill was built by the Smiths in Ken", "Long ago the mill was built by the Smiths in Kent, they say."
    )
    assert span is not None
    assert span.of("Long ago the mill was built by the Smiths in Kent, they say.") == (
        "the mill was built by the Smiths in Kent"
    )


@given(st.text(alphabet="ab 1.,-&<\n'“é桥，²", min_size=1, max_size=60), st.data())
def test_whatever_is_cut_from_a_text_at_white_space_is_found_there(text: str, data: st.DataObject) -> None:
    words = text.split()
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    quote = " ".join(words[first : last + 1])
    if not any(character.isalnum() for character in quote):
        return
    for written in (quote, escape(quote)):
        span = locate_quotation(written, " ".join(words))
        assert span is not None
        assert numbers(quote) <= numbers(span.of(" ".join(words)))


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_span_that_is_found_is_inside_the_text(quote: str, text: str) -> None:
    span = locate_quotation(quote, text)
    assert span is None or 0 <= span.start < span.end <= len(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,848 and 12 000 and 3.50", {"1848", "12", "0", "3.50"}),
        ("12\u202f000 m²", {"12000"}),
        ("10–15 km2 at −5 °C, in 03/2020", {"10", "15", "-5", "3", "2020"}),
        ("2019，100人，１２.5公里", {"2019", "100", "12.5"}),
        ("温度-5度", {"-5"}),
        ("no number", set()),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("said", "text", "invented"),
    [
        ("It has 3 sails and 4 floors.", "It has three sails and 4 floors.", set()),
        ("两座桥中的2座", "两座桥", set()),
        ("It cost 1,900.", "It cost 1,800.", {"1900"}),
        ("It cost 1900.", "It cost 1,900.", set()),
    ],
)
def test_a_number_that_is_said_must_occur(said: str, text: str, invented: set[str]) -> None:
    assert invented_numbers(said, text) == invented
