"""The three research judgements without a model: plan, findings, reflection."""

from __future__ import annotations

import pytest

from memory_bank.agents.research import (
    MOST_FOLLOW_UPS,
    MOST_PAGE_IDS,
    Finding,
    FindingsInput,
    MemoryPage,
    PlanInput,
    ReflectionInput,
)
from memory_bank.engines.offline.research import MOST_FINDINGS, plan_research, reflect, select_findings

PLAY = MemoryPage(
    id="e1",
    title="The Tin Lantern",
    text="It was written by Oda Brekke. It opened in a barn near Hillcot. It had seats of straw.",
)
WRITER = MemoryPage(id="e2", title="Oda Brekke", text="She was born in Vardness. She kept bees.")
WHERE = "Where was the writer of The Tin Lantern born?"


def sentences(question: str, *pages: MemoryPage, findings: tuple[Finding, ...] = ()) -> list[str]:
    selected = select_findings(FindingsInput(question=question, findings=findings, pages=pages)).findings
    return [finding.text for finding in selected]


def reflected(question: str, *pages: MemoryPage, requests: tuple[str, ...] = ()) -> tuple[bool, tuple[str, ...]]:
    findings = select_findings(FindingsInput(question=question, findings=(), pages=pages)).findings
    agent_input = ReflectionInput(question=question, findings=findings, pages=pages, requests=(question, *requests))
    reflection = reflect(agent_input)
    return reflection.enough, reflection.follow_ups


# -- plan ----------------------------------------------------------------------------------------------------


def test_every_request_is_searched_by_words_and_by_meaning() -> None:
    plan = plan_research(PlanInput(question=WHERE, requests=("a dam", "a mill"), known=()))
    assert [(need.fact, need.keywords, need.sentence) for need in plan.needs] == [("a dam",) * 3, ("a mill",) * 3]


def test_pages_whose_titles_a_request_names_are_opened_five_at_most() -> None:
    known = tuple(MemoryPage(id=f"e{n}", title="Old Mill" if n % 2 else "Dam", text="") for n in range(1, 20))
    plan = plan_research(PlanInput(question="?", requests=("Who built the old mill?",), known=known))
    assert plan.page_ids == tuple(f"e{n}" for n in range(1, 2 * MOST_PAGE_IDS, 2))


# -- findings ------------------------------------------------------------------------------------------------


def test_a_sentence_is_selected_for_the_words_of_the_question_that_it_adds() -> None:
    assert sentences("Where was Oda Brekke born?", PLAY, WRITER) == ["She was born in Vardness."]
    assert sentences("Which barn did Oda Brekke open?", PLAY) == [
        "It was written by Oda Brekke.",
        "It opened in a barn near Hillcot.",
    ]


def test_the_words_of_a_title_count_for_every_sentence_of_its_page() -> None:
    assert sentences("Bees of Oda Brekke?", WRITER, PLAY) == ["She kept bees."]


def test_an_earlier_finding_is_kept_where_it_adds_words_and_dropped_where_it_does_not() -> None:
    before = tuple(Finding(text=text, page_ids=("e9",)) for text in ("She was born by the sea.", "Goats are shy."))
    assert sentences("Who was born by the sea?", WRITER, findings=before) == ["She was born by the sea."]


def test_a_sentence_without_words_of_the_question_is_not_selected() -> None:
    assert sentences("Who composed the opera Turandot?", PLAY, WRITER) == []


def test_a_heading_is_no_finding() -> None:
    page = MemoryPage(id="e1", title="Bees", text="# Bees of the island\n\nThey are kept on an island.")
    assert sentences("Which bees live on the island?", page) == ["They are kept on an island."]


def test_findings_are_bounded() -> None:
    words = "amber birch cedar dahlia elder fern gorse hazel iris".split()
    page = MemoryPage(id="e1", title="", text=" ".join(f"Here is {word}." for word in words))
    assert len(sentences(" ".join(words), page)) == MOST_FINDINGS


# -- reflection ----------------------------------------------------------------------------------------------


def test_a_name_beside_words_of_the_question_is_followed_up_first() -> None:
    enough, asked = reflected("By whom was The Tin Lantern written, and where was she born?", PLAY)
    assert not enough
    assert asked[0] == "Oda Brekke: By whom was written, and where was she born?"
    assert any(request.startswith("Hillcot: ") for request in asked)


def test_a_name_is_followed_up_once() -> None:
    _, asked = reflected(WHERE, PLAY, requests=("Oda Brekke: Where was the writer born?",))
    assert [request.partition(":")[0] for request in asked] == ["Hillcot"]


@pytest.mark.parametrize(
    ("question", "pages", "enough"),
    [
        ("Did she keep bees?", [WRITER], False),  # "keep" is not "kept": a word is left
        ("Who kept bees?", [WRITER], True),
        ("Who was born, and kept bees?", [WRITER], False),  # Vardness stands beside "born", and was not asked yet
        ("Who composed an opera?", [WRITER], False),
        ("Who kept bees?", [], False),
    ],
)
def test_it_is_enough_when_all_words_are_found_and_no_name_beside_them_is_left(
    question: str, pages: list[MemoryPage], *, enough: bool
) -> None:
    assert reflected(question, *pages)[0] is enough


def test_five_follow_ups_at_most() -> None:
    names = "Ashford Benenden Cranbrook Dover Eltham Faversham Goudhurst".split()
    page = MemoryPage(id="e1", title="Towns", text=" ".join(f"The road leads on to {name}." for name in names))
    assert len(reflected("Where does the railway lead?", page)[1]) == MOST_FOLLOW_UPS
