"""Values are found with exact spans, and agree as a careful reader would say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.values.dates import Precision, slot
from memory_bank.text.values.values import (
    TextValue,
    ValueKind,
    differ_only_in_notation,
    extract_values,
    same,
    values_agree,
    with_differences_marked,
    with_matching_notation,
)


def only(text: str, kind: ValueKind | None = None) -> TextValue:
    values = [v for v in extract_values(text) if (v.kind is kind if kind else v.kind is not ValueKind.NAME)]
    assert len(values) == 1, values
    return values[0]


@pytest.mark.parametrize(
    ("text", "found", "precision", "low", "high"),
    [
        ("on 24 February 1919 in Tallinn", "24 February 1919", Precision.DAY, slot(1919, 1, 23), slot(1919, 1, 23)),
        ("on 1919-02-24 at noon", "1919-02-24", Precision.DAY, slot(1919, 1, 23), slot(1919, 1, 23)),
        ("on October 4, 2016.", "October 4, 2016", Precision.DAY, slot(2016, 9, 3), slot(2016, 9, 3)),
        ("in July 1967 again", "July 1967", Precision.MONTH, slot(1967, 6), slot(1967, 7) - 1),
        ("in 1908 it closed", "1908", Precision.YEAR, slot(1908), slot(1909) - 1),
        ("during the 1860s", "1860s", Precision.DECADE, slot(1860), slot(1870) - 1),
        ("built 1861–1862 in oak", "1861–1862", Precision.RANGE, slot(1861), slot(1863) - 1),
        ("built 1861–62 in oak", "1861–62", Precision.RANGE, slot(1861), slot(1863) - 1),
        ("of the 19th century", "19th century", Precision.CENTURY, slot(1800), slot(1901) - 1),
        ("of the nineteenth century", "nineteenth century", Precision.CENTURY, slot(1800), slot(1901) - 1),
        ("her feast is 7 October", "7 October", Precision.MONTH_DAY, slot(0, 9, 6), slot(0, 9, 6)),
        ("in 272 BC", "272 BC", Precision.YEAR, slot(-272), slot(-271) - 1),
        ("他出生于1919年2月24日。", "1919年2月24日", Precision.DAY, slot(1919, 1, 23), slot(1919, 1, 23)),
        ("建于一九六八年", "一九六八年", Precision.YEAR, slot(1968), slot(1969) - 1),
        ("20世纪90年代", "20世纪90年代", Precision.DECADE, slot(1990), slot(2000) - 1),
    ],
)
def test_dates(text: str, found: str, precision: Precision, low: int, high: int) -> None:
    value = only(text, ValueKind.DATE)
    assert (value.text, value.precision, value.low, value.high) == (found, precision, low, high)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("on 5 ſeptember 2020", "on 5 september 2020"),
        ("in the mıd 1990s", "in the mid 1990s"),
        ("of the ſixteenth century", "of the sixteenth century"),
        ("the fıfth and the sİxth", "the fifth and the sixth"),
        ("fıfty people", "fifty people"),
        ("one fıfth of the members", "one fifth of the members"),
        ("half a fortnıght", "half a fortnight"),
        ("a ſecond and a half", "a second and a half"),
        ("at half past ſix", "at half past six"),
        ("at fıve past ten", "at five past ten"),
    ],
)
def test_long_s_and_the_turkish_i_are_read_as_plain_letters(text: str, plain: str) -> None:
    """A pattern without case matches them, but a table of words has only the plain ones."""
    found, expected = (extract_values(each) for each in (text, plain))
    assert [replace(value, text="") for value in found] == [replace(value, text="") for value in expected]


@pytest.mark.parametrize(
    ("text", "found", "unit", "low"),
    [
        ("1,294 people", "1,294", "", 1294),
        ("a total of 1418 votes", "1418", "", 1418),
        ("eleven arches", "eleven", "", 11),
        ("one hundred and twenty rooms", "one hundred and twenty", "", 120),
        ("8,849 m", "8,849 m", "length", 8848.5),
        ("8 849 m", "8 849 m", "length", 8848.5),
        ("8\u00a0849 m", "8\u00a0849 m", "length", 8848.5),
        ("8\u202f849 m", "8\u202f849 m", "length", 8848.5),
        ("6 ft 1,000 in", "6 ft 1,000 in", "length", 27.2161),
        ("eine Geldbuße von 50 €", "50 €", "EUR", 50),
        ("13 Euro je Stunde", "13 Euro", "EUR", 13),
        ("6 ft 1 in", "6 ft 1 in", "length", 1.8415),
        ("12 km²", "12 km²", "area", 11.5e6),
        ("$2.5 million", "$2.5 million", "USD", 2.45e6),
        ("104 °F", "104 °F", "temperature", 39.7222),
        ("60 %", "60 %", "percent", 59.5),
        ("1.2亿元", "1.2亿元", "CNY", 1.15e8),
        ("6300公里", "6300公里", "length", 6299500),
        ("7-12", "7-12", "", 7),
        ("the four-arch bridge", "four", "", 4),
        ("a two-and-a-half-hour walk", "two-and-a-half-hour", "duration", 8820),
        ("half an hour", "half an hour", "duration", 1620),
        ("half a mile", "half a mile", "length", 724.2),
        ("a quarter of an hour", "a quarter of an hour", "duration", 720),
        ("three quarters of an hour", "three quarters of an hour", "duration", 2520),
        ("an hour and a half", "an hour and a half", "duration", 5220),
        ("a fortnight", "a fortnight", "duration", 1_166_400),
        ("half a million people", "half a million", "", 500_000),
        ("half a dozen eggs", "half a dozen", "", 6),
    ],
)
def test_numbers_and_quantities(text: str, found: str, unit: str, low: float) -> None:
    value = only(text)
    assert (value.text, value.unit) == (found, unit)
    assert value.low == pytest.approx(low, rel=1e-4)


def test_two_numbers_joined_by_and_are_two() -> None:
    assert [value.low for value in extract_values("between six and eight of the hundred and two")] == [6, 8, 102]


def test_ordinals_are_their_own_kind() -> None:
    assert only("the third bridge").kind is ValueKind.ORDINAL


def test_a_four_digit_count_is_not_a_year() -> None:
    assert only("there were 1500 people").kind is ValueKind.NUMBER


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The mill was sold to John A. Smith of Holt Hall.", ["John A. Smith of Holt Hall"]),
        ("It is in Verona, Italy.", ["Verona", "Italy"]),
        ("In May the Isle of Wight voted.", ["Isle of Wight"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert [v.text for v in extract_values(text) if v.kind is ValueKind.NAME] == names


def test_a_name_at_the_start_is_marked() -> None:
    first, second = (v for v in extract_values("Verona lies near Padua.") if v.kind is ValueKind.NAME)
    assert (first.initial, second.initial) == (True, False)


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("8.8 km", "8,849 m", True),
        ("10 miles", "16 km", True),
        ("10 miles", "20 km", False),
        ("5 kg", "5 km", None),
        ("about 300 people", "291 people", None),
        ("over 300 people", "450 people", None),
        ("over 300 people", "120 people", False),
        ("12,000 people", "11,874 people", None),
        ("1,294 people", "1,418 people", False),
        ("eleven", "11", True),
        ("in 1919", "on 24 February 1919", True),
        ("in 1920", "on 24 February 1919", False),
        ("in the 1840s", "in 1846", True),
        ("c. 1715", "in 1717", None),
        ("c. 1715", "in 1760", False),
        ("1879-1880", "in 1880", True),
        ("on 7 October", "on 7 October 1990", True),
        ("in December", "on 26 May 1970", False),
        ("in 1919", "1,919", True),
        ("in 1919", "1,200", None),
        ("$5 million", "€5 million", None),
        ("the third", "the fifth", False),
    ],
)
def test_agreement(a: str, b: str, *, verdict: bool | None) -> None:
    left, right = only(a), only(b)
    assert same(left, right) is verdict


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("George Washington Short", "Short", True),
        ("J. Lang", "John Lang", None),
        ("New York", "New Jersey", False),
        ("British Broadcasting Corporation", "BBC", True),
        ("Kiev", "Kyiv", None),
        ("Bergen", "Oslo", False),
        ("Sir John Lang", "John Lang", True),
    ],
)
def test_agreement_of_names(a: str, b: str, *, verdict: bool | None) -> None:
    left, right = (TextValue(ValueKind.NAME, name, 0, len(name)) for name in (a, b))
    assert same(left, right) is verdict


TEXTS = st.lists(
    st.sampled_from(
        "1919 1,294 8.8 km miles 3 March c. about 5 % $ million the 1860s – - ( ) 19th century Holt John A. Smith "
        "年 月 日 一九 6 ft in 7 . , of two hundred and half BC October 24th ½ “Night Train”".split(" ")
    ),
    max_size=14,
).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_spans_are_exact_and_never_overlap(text: str) -> None:
    values = extract_values(text)
    end = 0
    for value in values:
        assert value.text == text[value.start : value.end]
        assert value.text.strip() == value.text != ""
        assert value.start >= end
        assert value.low <= value.high
        end = value.end


@given(TEXTS, TEXTS)
def test_agreement_does_not_depend_on_the_order(first: str, second: str) -> None:
    for a in extract_values(first):
        assert same(a, a) is True
        for b in extract_values(second):
            assert same(a, b) is same(b, a)


def first(text: str) -> TextValue:
    return next(v for v in extract_values(text) if v.kind is not ValueKind.NAME)


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("worth $50k", "worth $50,000", True),
        ("£40 per household", "£3 million", None),
        ("€12 each", "€12 per piece", True),
        ("at −40 °C", "at −40 °F", True),
        ("at minus 5 °C", "at 5 °C", False),
        ("at 600 K", "at 327 °C", True),
        ("two dozen workers", "24 workers", True),
        ("a quarter of the members", "25 % of the members", True),
        ("half of the voters", "a third of the voters", False),
        ("between 60 and 80 players", "72 players", True),
        ("8 to 12 people", "30 people", False),
        ("grew from 300 to 500", "450", False),
        ("won 3–1", "lost 1–3", True),
        ("won 3–1", "won 2–0", False),
        ("no fewer than 300 guests", "340 guests", None),
        ("no fewer than 300 guests", "120 guests", False),
        ("no more than 300 guests", "120 guests", None),
        ("in the late 1920s", "in 1928", True),
        ("in the late 1920s", "in 1922", False),
        ("in the mid-18th century", "in 1795", False),
        ("before 1700", "in 1685", None),
        ("before 1700", "in 1764", False),
        ("after 1700", "in 1764", None),
        ("half an hour", "30 minutes", True),
        ("half an hour", "40 minutes", False),
        ("three quarters of an hour", "45 minutes", True),
        ("an hour and a half", "90 minutes", True),
        ("a fortnight", "two weeks", True),
        ("a fortnight", "three weeks", False),
        ("a four-arch bridge", "three arches", False),
        ("two hundred pounds", "£200", True),
        ("two hundred and ten pounds a week", "£280 a week", False),
        ("two hundred pounds", "200 lb", True),
        ("half a million pounds", "£500,000", True),
        ("two hundred pounds", "$200", None),
        ("two pounds", "£2.40", False),
        ("€2 million", "€2,040,000", True),
        ("half past six in the evening", "18.30 h", None),
        ("at half past six in the evening", "at 18:30", True),
        ("at half past six", "at 18:45", False),
    ],
)
def test_values_in_words_of_many_kinds_compare(left: str, right: str, *, verdict: bool | None) -> None:
    assert same(first(left), first(right)) is verdict
    assert same(first(right), first(left)) is verdict


@pytest.mark.parametrize(
    ("first", "second", "written"),
    [
        ("flows through 11 countries", "flows north through eleven countries", "flows north through 11 countries"),
        ("1.24 km long", "1,240 m long", "1.24 km long"),
        ("opened on 3 May 2001", "It shut on May 3, 2001.", "It shut on 3 May 2001."),
        ("全长1.24公里", "桥长1,240米", "桥长1.24公里"),
        ("opened in 2019", "opened on 3 May 2019", "opened on 3 May 2019"),
        ("6,650 km long", "6,853 km long", "6,853 km long"),
        ("no figure at all", "six of them", "six of them"),
    ],
)
def test_an_equal_value_is_written_as_in_the_other_text(first: str, second: str, written: str) -> None:
    assert with_matching_notation(first, second) == written


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("The bridge is 1.24 km long.", "The bridge is 1,240 m long.", True),
        ("The bridge is 1.24 km long.", "The bridge is 1.3 km long.", False),
        ("Half of them left.", "50 % of them left.", True),
        ("It had 1294 people in 2010.", "It had 1,294 people in 2010.", True),
        ("It opened on 3 May 2001.", "It shut on May 3, 2001.", False),
        ("It opened.", "It opened.", False),
    ],
)
def test_two_texts_may_differ_in_how_values_are_written_alone(first: str, second: str, equal: bool) -> None:  # noqa: FBT001
    assert differ_only_in_notation(first, second) is equal


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_written_as_itself_and_none_is_too_odd_to_compare(first: str, second: str) -> None:
    assert with_matching_notation(first, first) == first
    assert isinstance(with_matching_notation(first, second), str)


@pytest.mark.parametrize(
    ("first", "second"),
    [("12 km", "13 km"), ("12公里", "13公里"), ("5 hours", "6 hours"), ("$12", "$13"), ("in May 1990", "in June 1990")],
)
def test_neighbouring_figures_are_two(first: str, second: str) -> None:
    assert same(only(first), only(second)) is False


@pytest.mark.parametrize(
    ("first", "second", "written"),
    [
        ("It is 6,650 km, or 4,130 miles, long.", "It is 6,853 km long.", "It is 6,853 km (not 6,650 km) long."),
        (
            "It was completed in 1968.",
            "It was completed in 1970, in May.",
            "It was completed in 1970 (not 1968), in May.",
        ),
        ("It is 1,240 m long.", "It is 1.24 km long.", "It is 1,240 m long."),
        ("It has 12 rooms.", "It is 40 m high.", "It is 40 m high."),
        ("About 300 came.", "291 came.", "291 came."),
        ("Completed on 21 July 1970, opened in January 1971.", "Completed in 1970.", "Completed in 1970."),
    ],
)
def test_a_figure_that_differs_names_the_other(first: str, second: str, written: str) -> None:
    assert with_differences_marked(first, second) == written


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ("It was completed in 1970.", "It was completed on 21 July 1970 and opened in January 1971.", True),
        ("It cost £3.1 million.", "About £3.1m went into it, over two years.", True),
        ("It was completed in 1968.", "It was completed in 1970.", False),
        ("Built in 1968, it has 12 rooms.", "Built in 1968, it has 14 rooms.", False),
        ("It was completed.", "It was completed in 1970.", False),
    ],
)
def test_values_agree_where_one_is_shared_and_one_side_has_no_other(first: str, second: str, agree: bool) -> None:  # noqa: FBT001
    assert values_agree(first, second) is values_agree(second, first) is agree
