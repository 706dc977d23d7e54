"""Research over Chinese pages: titles, names and links between pages, without spaces or capitals."""

from __future__ import annotations

import pytest

from memory_bank.agents.research import MemoryPage
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.search.research.researcher import research_question
from tests.search.research.stories import EMBEDDER, library_of, titles

STORY = {
    "石门磨坊": "石门磨坊是一座水磨，由沈怀远于1869年在青溪谷建成。磨坊有三层，屋顶用石板铺成。",
    "沈怀远": "沈怀远年轻时做过木匠，出生于白水镇。他晚年住在山上，养了许多蜜蜂。",
    "白水镇": "白水镇位于大河的北岸，有居民两千三百人。镇上每月有两次集市。",
    "云岭大桥": "云岭大桥全长412米，由顾明川设计。大桥有五个桥墩，桥面铺着木板。",
    "顾明川": "顾明川毕业于江城大学。他写过一本关于石拱的书。",
    "江城大学": "江城大学创办于1903年，最早只有土木和矿冶两个系。",
    "渔火集": "渔火集是一部诗集，作者是林若溪。诗里写的多是河上的夜晚。",
    "林若溪": "林若溪是船主的女儿，在渡口旁边长大。她终身没有离开大河。",
    "北山茶场": "北山茶场种着八百亩茶树，春天雇用二百名采茶工。",
    "旧渡口": "旧渡口在冬天停航，渡船用铁链锁在岸边。",
    "盐仓": "盐仓建在高处，以防洪水。守仓人每天记录水位。",
    "磨刀石": "磨刀石产自东边的矿坑，颜色发青。",
}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("石门磨坊的建造者出生在哪里？", ["石门磨坊", "沈怀远"]),
        ("石门磨坊的建造者出生的镇有多少居民？", ["石门磨坊", "沈怀远", "白水镇"]),
        ("设计云岭大桥的人毕业的大学是哪年创办的？", ["云岭大桥", "顾明川", "江城大学"]),
        ("《渔火集》的作者在哪里长大？", ["渔火集", "林若溪"]),
    ],
)
def test_pages_are_found_over_the_names_that_lead_to_them(question: str, expected: list[str]) -> None:
    research = research_question(library_of(STORY), OfflineEngine(EMBEDDER), question)
    assert set(expected) <= set(titles(research.pages)[:5])


def test_without_titles_the_names_alone_lead_on() -> None:
    pages = [MemoryPage(id=f"e{number}", title="", text=text) for number, text in enumerate(STORY.values(), start=1)]
    research = research_question(library_of(pages), OfflineEngine(EMBEDDER), "石门磨坊的建造者出生的镇有多少居民？")
    assert {"e1", "e2", "e3"} <= {page.id for page in research.pages[:5]}
    asked = " ".join(request for one in research.rounds[1:] for request in one.requests)
    assert "沈怀远" in asked
