"""Documents of one series are told by their names."""

from __future__ import annotations

import pytest

from memory_bank.judgement.contradictions import of_one_series


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("2022-august-minutes.md", "2022-july-minutes.md", True),
        ("minutes-2013-07.md", "minutes-2013-08.md", True),
        ("2022-02-27 Mitgliederversammlung.md", "2023-02-25 Mitgliederversammlung.md", True),
        ("annual_report_2023.pdf", "annual_report_2024.pdf", True),
        ("minutes 2019-02-27.md", "minutes 2021-02-27 (online).md", True),
        ("minutes-2013-07.md", "minutes-2013-07.md", False),
        ("minutes-2013-07.md", "budget-2013-08.md", False),
        ("report 2021.md", "report on the fire at the old mill 2022.md", False),
        ("plan-v1.md", "plan-v2.md", False),
        ("part 1.txt", "part 2.txt", False),
        ("2023.txt", "2024.txt", False),
        ("", "", False),
    ],
)
def test_names_that_differ_only_in_their_date_are_of_one_series(first: str, second: str, expected: bool) -> None:  # noqa: FBT001
    assert of_one_series(first, second) is expected
    assert of_one_series(second, first) is expected
