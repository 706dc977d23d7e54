"""What code searches for before a verification, and which further conflicts it shows."""

from __future__ import annotations

from memory_bank.bank.message import Message, StepTurn
from memory_bank.engines.llm.react import MOST_OTHERS, search_both, with_others
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools

MILL = {
    "guide.txt": "Beacon Mill was last worked in 1955. Beacon Mill has four sails & a fan.",
    "survey.txt": "Beacon Mill was last worked in 1921. Beacon Mill has six sails.",
}
REGISTER = {"register.txt": "Beacon Mill was last worked in 1921. Beacon Mill has four sails."}


def found(*texts: str) -> StepTurn:
    return StepTurn(messages=tuple(Message(role="tool", name="search", content=text) for text in texts))


def test_both_claims_are_searched_for_and_each_passage_comes_once() -> None:
    memory = FakeTools(MILL, REGISTER)
    turn = search_both(memory.disagree("1955", "1921"), memory, len)
    assert memory.searched == ["Beacon Mill was last worked in 1955.", "Beacon Mill was last worked in 1921."]
    asked, *passages = turn.messages
    assert [call.name for call in asked.tool_calls] == ["search"]
    assert [(each.source, each.tool_call_id) for each in passages] == [("register.txt", asked.tool_calls[0].id)]


def test_open_conflicts_on_which_a_passage_bears_are_shown_and_no_other() -> None:
    memory = FakeTools(MILL | {"zoo.txt": "The zoo opens at nine. The zoo opens at ten."}, REGISTER)
    asked = memory.disagree("1955", "1921")
    bearing = memory.disagree("four sails", "six sails")
    memory.disagree("at nine", "at ten")
    memory.disagree("four sails", "six sails", verdict="first")
    prompt = with_others(memory.prompt("Verify x1.", asked), found(*REGISTER.values()), memory, HashEmbedder())
    assert prompt.others == (bearing,)
    assert "<conflicts>\n[x2]\nfirst (guide.txt): Beacon Mill has four sails &amp; a fan." in prompt.text


def test_a_sentence_within_a_long_passage_tells_what_it_bears_on_and_the_nearest_comes_first() -> None:
    memory = FakeTools(MILL | {"hut.txt": "The hut near the mill has four doors. The hut near the mill has six doors."})
    asked = memory.disagree("1955", "1921")
    memory.disagree("four doors", "six doors")
    nearer = memory.disagree("four sails", "six sails")
    passage = found("A register of the county lists what was ever built there. Beacon Mill has four sails & a fan.")
    prompt = with_others(memory.prompt("Verify x1.", asked), passage, memory, HashEmbedder())
    assert prompt.others[0] == nearer


def test_all_claims_of_a_side_are_shown_since_a_verdict_holds_of_all() -> None:
    memory = FakeTools(MILL | {"leaflet.txt": "The mill, with its four sails, is open on Sundays."}, REGISTER)
    asked = memory.disagree("1955", "1921")
    bearing = memory.disagree("four sails &", "six sails")
    joined = bearing.model_copy(update={"supporters": ((memory.claim("open on Sundays"),), ())})
    memory.found[memory.found.index(bearing)] = joined
    prompt = with_others(memory.prompt("Verify x1.", asked), found(*REGISTER.values()), memory, HashEmbedder())
    assert "\nfirst (leaflet.txt): The mill, with its four sails, is open on Sundays.\nsecond (" in prompt.text


def test_only_a_few_further_conflicts_are_shown_and_none_where_nothing_was_found() -> None:
    memory = FakeTools(MILL, REGISTER)
    asked = memory.disagree("1955", "1921")
    for _ in range(MOST_OTHERS + 1):
        memory.disagree("four sails", "six sails")
    prompt = memory.prompt("Verify x1.", asked)
    assert len(with_others(prompt, found(*REGISTER.values()), memory, HashEmbedder()).others) == MOST_OTHERS
    assert with_others(prompt, found(), memory, HashEmbedder()) == prompt
