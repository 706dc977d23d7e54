"""What a question describes instead of naming it, and the sentence that tells the name."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.answering.link import linked
from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.modules.span import Span
from tests.builders import make_entry

POOL = (
    "Crane Mill was built in 1821 by Knut Orre.",
    "Alder Mill stands in Kirkby beside the ford.",
    "Alder Mill was built at Kirkby in 1707, by Bertil\nAskvold.",
    "Oda Brekke wrote The Tin Lantern for the stage guild.",
    "Oda Brekke was born in Vardness in 1850.",
    "石门磨坊由沈怀远于1869年在青溪谷建成。",
)


def passages(*texts: str) -> list[Passage]:
    entries = [make_entry(f"e{number}", text) for number, text in enumerate(texts, start=1)]
    return [Passage(entry, Span(0, len(entry.text)), "") for entry in entries]


@pytest.mark.parametrize(
    ("question", "expected", "told"),
    [
        ("Where was the builder of Alder Mill born?", "Where was Bertil Askvold born?", POOL[2]),
        ("When was the author of The Tin Lantern born?", "When was Oda Brekke born?", POOL[3]),
        ("How many people does the birthplace of Oda Brekke have?", "How many people does Vardness have?", POOL[4]),
        ("石门磨坊的建造者出生在哪里？", "沈怀远出生在哪里？", POOL[5]),
    ],
)
def test_the_name_takes_the_place_of_the_description(question: str, expected: str, told: str) -> None:
    link = linked(question, passages(*POOL))
    assert link is not None
    assert (link.question, link.passage.text) == (expected, told)


@pytest.mark.parametrize(
    "question",
    [
        "Who was the builder of Alder Mill?",  # the name is what is asked
        "What is the name of the builder of Alder Mill?",
        "Where was the builder of Dune Mill born?",  # of which nothing is said
        "Where was the owner of Alder Mill born?",  # of whom nothing is said
        "When was Alder Mill built?",
        "What was the number of Alder Mill in the list of 1707?",
        "石门磨坊的建造者是谁？",
    ],
)
def test_a_question_stays_where_nothing_is_described_or_nothing_tells_the_name(question: str) -> None:
    assert linked(question, passages(*POOL)) is None
