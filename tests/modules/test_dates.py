"""Which days a text speaks of, told by examples. All is said on Wednesday, 14 June 2023."""

from __future__ import annotations

from datetime import date

import pytest

from memory_bank.modules.dates import Days, days_named

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
    ],
)
def test_the_days_a_text_names(text: str, first: str, last: str) -> None:
    assert days_named(text, TODAY) == [Days(date.fromisoformat(first), date.fromisoformat(last))]


@pytest.mark.parametrize(
    "text",
    ["May I ask?", "They march on.", "31 February 2023", "I fell in love in the fall of Rome", "12345", "3.2021"],
)
def test_what_names_no_days(text: str) -> None:
    assert days_named(text, TODAY) == []


def test_a_text_may_name_several() -> None:
    assert len(days_named("From 3 May 2022 to 5 June 2022, and again last week", TODAY)) == 3


def test_days_meet_where_they_share_one() -> None:
    may = Days(date(2023, 5, 1), date(2023, 5, 31))
    assert may.meets(Days(date(2023, 5, 31), date(2023, 6, 2)))
    assert not may.meets(Days(date(2023, 6, 1), date(2023, 6, 2)))
