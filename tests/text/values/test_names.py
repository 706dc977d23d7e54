"""Names in running text."""

from __future__ import annotations

import pytest

from memory_bank.text.chinese_names import chinese_names
from memory_bank.text.values.names import find_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was built by Oda Brekke in Vardness.", ["Oda Brekke", "Vardness"]),
        ("It was built by Oda\nBrekke in Vardness.", ["Oda\nBrekke", "Vardness"]),  # a line of a PDF ends anywhere
        ("It was built by Oda\u00a0Brekke in Vardness.", ["Oda\u00a0Brekke", "Vardness"]),
        ("It was built by Oda Brekke.\n\nVardness is far.", ["Oda Brekke", "Vardness"]),
    ],
)
def test_a_name_is_found_whole(text: str, expected: list[str]) -> None:
    assert [text[name.start : name.end] for name in find_names(text, [])] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("石门磨坊由沈怀远于1869年在青溪谷建成。", ["沈怀远", "青溪谷"]),
        ("云岭大桥全长412米，由工程师顾明川设计。", ["云岭大桥", "顾明川"]),
        ("顾明川毕业于江城大学，后来在滨海铁路公司工作。", ["顾明川", "江城大学", "滨海铁路公司"]),
        ("《渔火集》的作者是林若溪，她嫁给了船主赵大同。", ["渔火集", "林若溪", "赵大同"]),
        ("天很冷，路上没有人。", []),
        ("The mill was built by Oda Brekke.", []),
        ("", []),
    ],
)
def test_names_in_chinese_are_titles_in_their_marks_people_places_and_institutions(
    text: str, expected: list[str]
) -> None:
    assert list(chinese_names(text)) == expected
