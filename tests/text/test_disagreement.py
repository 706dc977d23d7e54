"""What two statements are about, and in what they differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.disagreement import MOST_SIDE, MOST_TOPIC, disagreement


@pytest.mark.parametrize(
    ("first", "second", "topic", "sides"),
    [
        (
            "The new dining hall opens on 1 October 2024.",
            "Good news: the new dining hall of the hostel opens on 3 November 2024.",
            "The new dining hall opens",
            ("1 October 2024", "3 November 2024"),
        ),
        ("The kitchen is open on Mondays.", "The kitchen is closed on Mondays.", "The kitchen", ("open", "closed")),
        ("Dogs are allowed in all rooms.", "Dogs are not allowed in any room.", "Dogs are allowed", None),
        ("大坝于1970年建成。", "大坝于1968年建成。", "大坝", ("1970年", "1968年")),
        ("la Lène a atteint 4,85 mètres", "la Lène a atteint 5,20 mètres", "la Lène a atteint", ("4,85", "5,20")),
        ("Photography is allowed, with a permit.", "No permit allows photography.", "Photography, allowed", None),
        ("Quorum is seven ringers.", "The quorum, which is four, was met by five ringers.", "Quorum, ringers", None),
        ("尼罗河长6650公里，约合4132英里。", "尼罗河长6853公里。", "尼罗河", ("6650公里", "6853公里")),
        ("It is long.", "Das stimmt nicht.", "", None),
        ("It was finished in 1970.", "1968年建成。", "", ("1970", "1968年")),
        ("", "", "", None),
    ],
)
def test_what_two_statements_differ_in(first: str, second: str, topic: str, sides: tuple[str, str] | None) -> None:
    found = disagreement(first, second)
    assert (found.topic, found.sides) == (topic, sides)


@given(st.text(max_size=2_000), st.text(max_size=2_000))
def test_it_is_short_and_on_one_line_whatever_is_said(first: str, second: str) -> None:
    found = disagreement(first, second)
    assert len(found.topic) <= MOST_TOPIC
    assert all(len(side) <= 20 * MOST_SIDE for side in found.sides or ())
    assert "".join((found.topic, *(found.sides or ()))).isprintable()
