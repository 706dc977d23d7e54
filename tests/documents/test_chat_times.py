"""Times as chats write them."""

from __future__ import annotations

import time as clock
from datetime import date, datetime, time

import pytest

from memory_bank.documents.chat_times import (
    MAX_TIMESTAMP_SEARCH,
    combine,
    detect_date_order,
    match_day_line,
    parse_clock,
    parse_day,
    parse_time,
)

NOON = datetime.fromisoformat("2023-05-08 13:56:00")


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2023-05-08T13:56:00Z", NOON),
        ("2023-05-08 13:56", NOON),
        (" 2023-05-08T13:56:00.123+02:00 ", NOON),
        ("1683554160", NOON),
        ("1683554160.5", NOON),
        ("1683554160999", NOON),
        ("2023-05-08", date(2023, 5, 8)),
        ("2023-02-31", None),
        ("99999999999999999999", None),
        ("8 May", None),
        ("", None),
    ],
)
def test_a_time_in_data_is_read_as_it_is_written(written: str, moment: date | None) -> None:
    assert parse_time(written) == moment


@pytest.mark.parametrize(
    ("written", "clock"),
    [
        ("13:56", time(13, 56)),
        ("1:56 PM", time(13, 56)),
        ("12:00 a.m.", time(0, 0)),
        ("12:30pm", time(12, 30)),
        ("13:56:10.5", time(13, 56, 10)),
        ("13:56:10+02:00", time(13, 56, 10)),
        ("13:56Z", time(13, 56)),
        ("25:00", None),
    ],
)
def test_a_time_of_day_is_read(written: str, clock: time | None) -> None:
    assert parse_clock(written) == clock


def test_months_are_known_by_name_and_years_may_have_two_digits() -> None:
    assert {parse_day(text) for text in ("8 May 2023", "May 8th, 2023", "08-May-23", "8.5.23")} == {date(2023, 5, 8)}


def test_a_clock_of_twelve_hours_decides_what_no_date_does() -> None:
    assert detect_date_order(["5/8/23"], twelve_hours=True) == "month first"
    assert detect_date_order(["5/8/23"], twelve_hours=False) == "day first"
    assert detect_date_order(["5/18/23", "18/5/23"], twelve_hours=True) == "month first"


def test_a_time_of_day_without_a_day_is_no_time() -> None:
    assert combine(None, time(1)) is None
    assert combine(date(2023, 5, 8), None) == date(2023, 5, 8)


@pytest.mark.parametrize(
    "line", ["mon" + "jan" * 8_000, "jan" * 130, "mon" * 130, "-" * 1_000_000, "8 May" + " " * 390]
)
def test_no_line_keeps_the_search_for_a_day_busy(line: str) -> None:
    began = clock.monotonic()
    assert (match_day_line(line) is not None) is (line.startswith("8") and len(line) <= MAX_TIMESTAMP_SEARCH)
    assert clock.monotonic() - began < 5


def test_a_line_of_a_day_tells_its_date() -> None:
    found = match_day_line("--- Monday, 8 May 2023 ---")
    assert found is not None
    assert found["date"] == "8 May 2023"
