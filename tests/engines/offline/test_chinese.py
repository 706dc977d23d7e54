"""Chinese and mixed text with the embedded engine: figures, dates, conflicts, answers."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.settings import Settings
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from memory_bank.text.keywords import keywords_of
from memory_bank.text.values.dates import find_dates, slot
from memory_bank.text.values.quantities import chinese_value
from memory_bank.text.values.values import extract_values

GUIDE = """# 青石大桥导游手册

青石大桥横跨清水河，连接老城与新区。青石大桥于1968年建成通车，全长1,240米，桥面宽18米。

每天约有４万辆汽车经过大桥。桥头的青石博物馆于1985年开放，馆藏文物约３万件。
"""
RIVER = """# 清水河上的桥梁

清水河全长六百二十公里，流域面积约1.5万平方公里。青石大桥是河上最长的公路桥，建于一九六四年，一九七一年十月一日竣工通车。该桥全长1.24公里。

青石博物馆（Qingshi Museum）位于桥北侧，1985年对外开放，收藏文物三万余件。
"""
REGISTER = """清水市志（节选）

青石大桥，1964年3月动工，1971年10月1日建成通车。桥长1240米，主跨160米，高45米。
"""


@pytest.mark.parametrize(
    ("text", "value", "unit", "low"),
    [
        ("全长六百二十公里", "六百二十公里", "length", 619_500),
        ("全长１．２４公里", "１．２４公里", "length", 1_235),
        ("宽１８米", "１８米", "length", 17.5),
        ("面积为1.5万平方公里", "1.5万平方公里", "area", 1.45e10),
        ("人口为一百二十万人", "一百二十万", "", 1_200_000),
        ("投资二点三亿元", "二点三亿元", "CNY", 2.25e8),
        ("收藏三万余件", "三万余", "", 30_000),
        ("有一百多公里长", "一百多公里", "length", 99_500),
        ("共有十二座", "十二", "", 12),
        ("高三米", "三米", "length", 2.5),
        ("覆盖率为百分之四十五", "百分之四十五", "percent", 44.5),
        ("速度为120公里/小时", "120公里/小时", "speed", 119.5),
    ],
)
def test_a_figure_is_read(text: str, value: str, unit: str, low: float) -> None:
    (found,) = extract_values(text)
    assert (found.text, found.unit) == (value, unit)
    assert found.low == pytest.approx(low)


@pytest.mark.parametrize(
    "text", ["十分美丽", "百货大楼", "千万不要", "万一下雨", "一座桥", "四川", "第三座", "三四百", "五台山"]
)
def test_a_numeral_inside_a_word_is_no_figure(text: str) -> None:
    assert extract_values(text) == ()


@given(st.integers(1, 99_999_999))
def test_a_number_in_chinese_has_its_value(number: int) -> None:
    assert chinese_value(in_chinese(number)) == number


def in_chinese(number: int) -> str:
    """A number below a hundred million in Chinese characters."""
    above, below = divmod(number, 10_000)
    if above:
        return f"{in_chinese(above)}万{'零' if 0 < below < 1000 else ''}{in_chinese(below) if below else ''}"
    signs = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            signs += "零一二三四五六七八九"[digit] + name
        elif signs and number and not signs.endswith("零"):
            signs += "零"
    return signs


@pytest.mark.parametrize(
    ("text", "low"),
    [("公元前221年统一", slot(-221)), ("公元79年爆发", slot(79)), ("1971 年 10 月 1 日通车", slot(1971, 9, 0))],
)
def test_a_date_is_read(text: str, low: int) -> None:
    assert [found.low for found in find_dates(text)] == [low]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1968年以前", -math.inf, slot(1969) - 1),
        ("1968年以后", slot(1968), math.inf),
        ("1968年左右", slot(1963), slot(1974) - 1),
    ],
)
def test_a_word_after_a_date_makes_it_open_ended_or_approximate(text: str, low: float, high: float) -> None:
    (found,) = find_dates(text)
    assert (found.loose_low, found.loose_high) == (low, high)
    assert found.approximate == math.isfinite(high - low)


def test_figures_are_not_keywords() -> None:
    (found,) = keywords_of(["大桥于一九七一年十月一日竣工，共有三万人参加。大桥横跨清水河。"])
    assert not any(re.search("[一二三四五六七八九十]", keyword) for keyword in found)


@pytest.mark.slow
@pytest.mark.xfail(
    reason="alone in Chinese, the small network takes bridge and river for one, and misses 1968 against 1971",
    strict=True,
)
def test_a_session_finds_and_settles_a_conflict_and_answers(tmp_path: Path) -> None:
    documents = [Upload("手册.md", GUIDE.encode()), Upload("河流.md", RIVER.encode())]
    session = Session.create(
        "青石大桥是哪一年建成的？有多长？",
        documents,
        [Upload("市志.txt", REGISTER.encode())],
        settings=Settings(),
        sessions=tmp_path,
        session_id="s",
    )
    list(session.run())
    (conflict,) = (one for one in session.bank.conflicts.values() if "1968年" in one.claims[0].text)
    assert (conflict.status, conflict.verdict, conflict.decided_by) == ("resolved", "second", "agent")
    assert session.answer is not None
    assert "一九七一年十月一日" in session.answer.affirmed
    assert "1968" not in session.answer.text
    assert {citation.source for citation in session.answer.citations} >= {"河流.md"}
    (node,) = (node for node in session.bank.query_graph if "竣工通车" in node.summary)
    assert "清水河" in node.keywords
