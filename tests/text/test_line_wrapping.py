"""Where a line of Chinese goes on in the next."""

from __future__ import annotations

import pytest

from memory_bank.text.line_wrapping import continues_on_next_line

FULL = "水库的大坝于一九七零年建成"


@pytest.mark.parametrize(
    ("above", "below", "joined"),
    [
        (FULL, "坝高一百米。", True),
        (FULL + "，", "坝高一百米。", True),
        (FULL, "，坝高一百米。", True),
        (FULL, "1990年重修。", True),
        ("水库的大坝高大约为一百11", "米。", True),
        ("ダムは大きな川の上に建てられ", "ました。", True),
        (FULL, "2. 坝高", False),
        (FULL, "2 坝高", False),
        (FULL, "The dam", False),
        (FULL, "", False),
        ("The dam was built", "坝高", False),
        ("水库的大坝", "坝高一百米。", False),
        ("댐은 큰 강 위에 지어졌습니다", "높이는", False),
    ],
)
def test_a_full_line_of_chinese_goes_on_in_chinese(above: str, below: str, joined: bool) -> None:  # noqa: FBT001
    edges = (0.0, 10.0 * len(above))
    assert continues_on_next_line(above, below, (edges, (0.0, 10.0 * len(below))), edges) is joined


@pytest.mark.parametrize(
    ("end", "begin", "joined"), [(130, 0, True), (120, 0, True), (110, 0, False), (130, 20, False)]
)
def test_a_short_line_and_an_indented_one_end_and_begin_a_paragraph(end: float, begin: float, joined: bool) -> None:  # noqa: FBT001
    assert continues_on_next_line(FULL, "坝高一百米。", ((0.0, end), (begin, begin + 60)), (0.0, 130.0)) is joined
