"""Days as anybody can read them later. All is said on Wednesday, 14 June 2023."""

from __future__ import annotations

from datetime import date

import pytest

from memory_bank.judgement.utterances.relative_dates import with_absolute_dates

SAID = date(2023, 6, 14)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I left yesterday.", "I left yesterday (13 June 2023)."),
        ("I leave next week", "I leave next week (week of 19 June 2023)"),
        ("We meet this weekend", "We meet this weekend (weekend of 17 June 2023)"),
        ("I moved last month", "I moved last month (May 2023)"),
        ("I moved last year", "I moved last year (2022)"),
        ("Last winter I skied", "Last winter (December 2022 to February 2023) I skied"),
        ("Two years ago I quit", "Two years ago (2021) I quit"),
        ("I started in March", "I started in March (2023)"),
        ("I start in March", "I start in March"),  # which, is not known
        ("I started in March 2021", "I started in March 2021"),
        ("last week's game", "last week's game"),
        ("I paint now", "I paint now (as of 14 June 2023)"),
        ("I paint", "I paint"),
        ("我昨天走了", "我昨天（2023年6月13日）走了"),
        ("我去年搬家了", "我去年（2022年）搬家了"),
        ("我上个月搬家了", "我上个月（2023年5月）搬家了"),
        ("我现在画画", "我现在画画（2023年6月14日）"),
    ],
)
def test_the_day_stands_behind_what_is_told_from_the_day_of_speaking(text: str, told: str) -> None:
    assert with_absolute_dates(text, SAID) == told
