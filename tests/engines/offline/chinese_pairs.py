"""Pairs of short Chinese and mixed texts of our own: some contradict each other, some only look as if they did."""

from __future__ import annotations

from tests.engines.offline.pairs import Pair

AT_ODDS = (
    Pair("year, digits and signs", "青石大桥于1968年建成通车。", "青石大桥一九七一年建成通车。"),
    Pair("day", "青石大桥于1971年10月1日通车。", "青石大桥于1971年5月1日通车。"),
    Pair("length in km and m", "青石大桥全长1.24公里。", "青石大桥全长1460米。"),
    Pair("full-width figures", "青石大桥全长１２４０米。", "青石大桥全长１４６０米。"),
    Pair("full-width point", "青石大桥全长１．２４公里。", "青石大桥全长1.46公里。"),
    Pair("figures in signs", "清水河全长六百二十公里。", "清水河全长八百四十公里。"),
    Pair("wan and yi", "大桥总投资为2.3亿元。", "大桥总投资为9000万元。"),
    Pair("wan in signs", "该市人口为一百二十万人。", "该市人口为200万人。"),
    Pair("height", "该塔高六十米。", "该塔高90米。"),
    Pair("collection", "青石博物馆收藏文物３万件。", "青石博物馆收藏文物8万件。"),
    Pair("museum opened", "青石博物馆于1985年开馆。", "青石博物馆于1992年开馆。"),
    Pair("founded", "清水大学创建于1952年。", "清水大学创建于1958年。"),
    Pair("designer", "大桥由李文清设计。", "大桥由王国栋设计。"),
    Pair("mixed names", "Golden Gate Bridge于1937年建成。", "Golden Gate Bridge于1933年建成。"),
    Pair("mixed unit", "青石大桥全长2 km。", "青石大桥全长3500米。"),
    Pair("area", "清水湖面积为1.5万平方公里。", "清水湖面积为8000平方公里。"),
    Pair("width", "桥面宽18米。", "桥面宽24米。"),
    Pair("not", "该桥允许货车通行。", "该桥不允许货车通行。"),
    Pair("storeys", "该楼共有三十八层。", "该楼共有42层。"),
    Pair("begun", "青石大桥于1964年3月动工。", "青石大桥于1966年9月动工。"),
)
AT_PEACE = (
    Pair("one day, digits and signs", "青石大桥于1971年10月1日通车。", "青石大桥于一九七一年十月一日通车。"),
    Pair("one length, km and m", "青石大桥全长1.24公里。", "青石大桥全长1,240米。"),
    Pair("one length, full-width", "青石大桥全长１２４０米。", "青石大桥全长1240米。"),
    Pair("one length, full-width point", "青石大桥全长１．２４公里。", "青石大桥全长1240米。"),
    Pair("one length in signs", "清水河全长六百二十公里。", "清水河全长620公里。"),
    Pair("one sum, wan and yi", "大桥总投资为2.3亿元。", "大桥总投资为23000万元。"),
    Pair("one population in signs", "该市人口为一百二十万人。", "该市人口为120万人。"),
    Pair("one population, full-width", "该市人口为１２０万人。", "该市人口为1,200,000人。"),
    Pair("about", "青石博物馆收藏文物约３万件。", "青石博物馆收藏文物三万余件。"),
    Pair("begun and opened", "青石大桥于1964年3月动工。", "青石大桥于1971年10月1日建成通车。"),
    Pair("bridge and museum", "青石大桥于1971年建成。", "青石博物馆于1985年建成。"),
    Pair("length and width", "青石大桥全长1240米。", "青石大桥宽18米。"),
    Pair("two years", "1990年该市人口为75万人。", "2020年该市人口为120万人。"),
    Pair("two rivers", "清水河全长620公里。", "白水河全长840公里。"),
    Pair("mixed, one unit", "青石大桥全长2 km。", "青石大桥全长2公里。"),
    Pair("one storey count", "该楼共有三十八层。", "该楼共有38层。"),
    Pair("a thousand", "水库容量为一千二百吨。", "水库容量为1200吨。"),
    Pair("ten thousand and some", "该校有学生一万二千人。", "该校有学生12000人。"),
    Pair("main span", "大桥全长1240米。", "大桥主跨160米。"),
    Pair("miles", "该河长一百英里。", "该河长161公里。"),
)
