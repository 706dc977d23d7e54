"""Times of day are found in the usual ways of writing them, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from memory_bank.text.values.clock import OF_DAY, OF_TWELVE
from memory_bank.text.values.values import extract_values


@pytest.mark.parametrize(
    ("text", "found", "unit", "minutes"),
    [
        ("It leaves at 14:35.", "14:35", OF_DAY, 14 * 60 + 35),
        ("It leaves at 09:05 sharp", "09:05", OF_DAY, 9 * 60 + 5),
        ("It leaves at 2:35 pm.", "2:35 pm", OF_DAY, 14 * 60 + 35),
        ("It leaves at 2.35 p.m. today", "2.35 p.m.", OF_DAY, 14 * 60 + 35),
        ("Doors open at 7PM", "7PM", OF_DAY, 19 * 60),
        ("It ends at 12 am.", "12 am", OF_DAY, 0),
        ("It ends at 12:15 pm.", "12:15 pm", OF_DAY, 12 * 60 + 15),
        ("It ends at midnight.", "midnight", OF_DAY, 0),
        ("We meet at noon", "noon", OF_DAY, 12 * 60),
        ("It leaves at 3:10.", "3:10", OF_TWELVE, 3 * 60 + 10),
        ("The 12:40 h train", "12:40", OF_TWELVE, 40),
        ("Noon is early.", "Noon", OF_DAY, 12 * 60),
        ("Doors close at half past six.", "half past six", OF_TWELVE, 6 * 60 + 30),
        ("a quarter to nine", "a quarter to nine", OF_TWELVE, 8 * 60 + 45),
        ("twenty minutes to one", "twenty minutes to one", OF_TWELVE, 40),
        ("ten past 4 in the afternoon", "ten past 4 in the afternoon", OF_DAY, 16 * 60 + 10),
        ("at six o'clock", "six o'clock", OF_TWELVE, 6 * 60),
        ("until eleven at night", "eleven at night", OF_DAY, 23 * 60),
        ("at 8.30 in the morning", "8.30 in the morning", OF_DAY, 8 * 60 + 30),
        ("twelve at night", "twelve at night", OF_DAY, 0),
        ("two at night", "two at night", OF_DAY, 2 * 60),
        ("| 18:30 | Soup |", "18:30", OF_DAY, 18 * 60 + 30),
        ("会议在下午3点半开始", "下午3点半", OF_DAY, 15 * 60 + 30),
        ("会议在上午9点开始", "上午9点", OF_DAY, 9 * 60),
        ("会议在中午1点开始", "中午1点", OF_DAY, 13 * 60),
        ("会议在中午11点开始", "中午11点", OF_DAY, 11 * 60),
        ("营业到晚上12点", "晚上12点", OF_DAY, 0),
        ("中午12点见", "中午12点", OF_DAY, 12 * 60),
        ("晚上8:30开始", "晚上8:30", OF_DAY, 20 * 60 + 30),
        ("下午3：30开始", "下午3：30", OF_DAY, 15 * 60 + 30),
    ],
)
def test_a_time_of_day_is_one_value(text: str, found: str, unit: str, minutes: int) -> None:
    values = [value for value in extract_values(text) if value.unit]
    assert [(value.text, value.unit, value.low) for value in values] == [(found, unit, minutes)]


@pytest.mark.parametrize(
    "text",
    [
        "Luke 3:16 speaks of fire.",
        "They ran it in 1:23:45.",
        "The map is 1:25000.",
        "The odds were 20:10.",
        "I am here.",
        "Ten past winners came.",
        "We sold five to six people.",
        "Half to six of them.",
        "Ten of them swam in the morning.",
        "Room 7 amazed him.",
        "At 3:75 nothing happens.",
        "比分是9点。",
    ],
)
def test_what_is_no_time_of_day_is_none(text: str) -> None:
    assert not [value for value in extract_values(text) if value.unit.startswith("clock")]
