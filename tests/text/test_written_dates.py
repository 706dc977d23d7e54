"""Which days a text speaks of, told by examples. All is said on Wednesday, 14 June 2023."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.written_dates import Days, days_named, find_days

TODAY = date(2023, 6, 14)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2023-05-08", "2023-05-08", "2023-05-08"),
        ("on 20 January, 2021", "2021-01-20", "2021-01-20"),
        ("the 8th of August 2022", "2022-08-08", "2022-08-08"),
        ("on May 7 we met", "2023-05-07", "2023-05-07"),
        ("Sept. 3, 2020", "2020-09-03", "2020-09-03"),
        ("on 20 December", "2022-12-20", "2022-12-20"),  # the last one
        ("in May", "2023-05-01", "2023-05-31"),
        ("in August", "2022-08-01", "2022-08-31"),
        ("February 2020", "2020-02-01", "2020-02-29"),
        ("in 2021", "2021-01-01", "2021-12-31"),
        ("in the winter of 2021", "2021-12-01", "2022-02-28"),
        ("this summer", "2023-06-01", "2023-08-31"),
        ("last summer", "2022-06-01", "2022-08-31"),
        ("last spring", "2023-03-01", "2023-05-31"),
        ("next summer", "2024-06-01", "2024-08-31"),
        ("yesterday", "2023-06-13", "2023-06-13"),
        ("last Friday", "2023-06-09", "2023-06-09"),
        ("last Wednesday", "2023-06-07", "2023-06-07"),
        ("next Monday", "2023-06-19", "2023-06-19"),
        ("this weekend", "2023-06-17", "2023-06-18"),
        ("last week", "2023-06-05", "2023-06-11"),
        ("next month", "2023-07-01", "2023-07-31"),
        ("last year", "2022-01-01", "2022-12-31"),
        ("two weeks ago", "2023-05-29", "2023-06-04"),
        ("7 months ago", "2022-11-01", "2022-11-30"),
        ("2021年8月18日", "2021-08-18", "2021-08-18"),
        ("2021年8月", "2021-08-01", "2021-08-31"),
        ("5月3号", "2023-05-03", "2023-05-03"),
        ("去年5月", "2022-05-01", "2022-05-31"),
        ("去年", "2022-01-01", "2022-12-31"),
        ("上个月", "2023-05-01", "2023-05-31"),
        ("三天前", "2023-06-11", "2023-06-11"),
        ("昨天", "2023-06-13", "2023-06-13"),
        ("2021年3月", "2021-03-01", "2021-03-31"),
        ("二〇二一年十二月三十一日", "2021-12-31", "2021-12-31"),
        ("二零一九年", "2019-01-01", "2019-12-31"),
        ("五月", "2023-05-01", "2023-05-31"),
        ("十一月份", "2022-11-01", "2022-11-30"),
        ("五月二十三号", "2023-05-23", "2023-05-23"),
        ("去年十月", "2022-10-01", "2022-10-31"),
        ("去年十月三日", "2022-10-03", "2022-10-03"),
        ("去年夏天", "2022-06-01", "2022-08-31"),
        ("去年的春季", "2022-03-01", "2022-05-31"),
        ("今年冬天", "2023-12-01", "2024-02-29"),
        ("2021年夏天", "2021-06-01", "2021-08-31"),
        ("前年", "2021-01-01", "2021-12-31"),
        ("后年三月", "2025-03-01", "2025-03-31"),
        ("上周五", "2023-06-09", "2023-06-09"),
        ("下星期天", "2023-06-25", "2023-06-25"),
        ("上周末", "2023-06-10", "2023-06-11"),
        ("十二天前", "2023-06-02", "2023-06-02"),
        ("三年以前年年如此", "2020-01-01", "2020-12-31"),
        ("两个星期之前", "2023-05-29", "2023-06-04"),
    ],
)
def test_the_days_a_text_names(text: str, first: str, last: str) -> None:
    assert days_named(text, TODAY) == [Days(date.fromisoformat(first), date.fromisoformat(last))]


@pytest.mark.parametrize(
    "text",
    [
        "May I ask?",
        "They march on.",
        "31 February 2023",
        "I fell in love in the fall of Rome",
        "12345",
        "3.2021",
        "十三月",
        "春天的花",
    ],
)
def test_what_names_no_days(text: str) -> None:
    assert days_named(text, TODAY) == []


def test_a_text_may_name_several() -> None:
    assert len(days_named("From 3 May 2022 to 5 June 2022, and again last week", TODAY)) == 3


def test_days_meet_where_they_share_one() -> None:
    may = Days(date(2023, 5, 1), date(2023, 5, 31))
    assert may.meets(Days(date(2023, 5, 31), date(2023, 6, 2)))
    assert not may.meets(Days(date(2023, 6, 1), date(2023, 6, 2)))


@pytest.mark.parametrize(("text", "plain"), [("laſt ſpring", "last spring"), ("Frıday, 3 Aprİl 2020", "3 April 2020"),
    ("lasT weeK and ſıx days ago", "last week and six days ago"), ("next sprıng", "next spring")])  # fmt: skip
def test_letters_that_match_without_case_are_read_as_those(text: str, plain: str) -> None:
    assert days_named(text, TODAY) == days_named(plain, TODAY) != []


SPOKEN = "last next this two ago days week spring winter yesterday friday april sept 3 2021 in of".split()


@given(st.lists(st.sampled_from(SPOKEN), max_size=6).map(" ".join), st.sampled_from("sSkKiI"), st.sampled_from("ſıİK"))
def test_no_text_breaks_the_search(text: str, letter: str, other: str) -> None:
    days_named(text.replace(letter, other), TODAY)


def test_days_are_found_with_the_words_that_name_them() -> None:
    text = "Sold on 3 May 2022, bought last week."
    assert sorted((text[one.start : one.end], one.days.first) for one in find_days(text, TODAY)) == [
        ("3 May 2022", date(2022, 5, 3)),
        ("last week", date(2023, 6, 5)),
    ]
