"""Extracts of earlier turns: which sentences of messages and tool results are kept."""

from __future__ import annotations

import re

import pytest

from memory_bank.bank.message import Message, StepTurn
from memory_bank.engines.llm.earlier_turns import EarlierTurns
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.llm.test_working_memory import result, shown_marks, turn

HASH = HashEmbedder()
ASKED = ("When was Beacon Mill last worked?",)
FILLER = " ".join(f"The farm of row {number} keeps its hay in a barn." for number in range(40))


def told(*turns: StepTurn, tokens: int = 120, asked: tuple[str, ...] = ASKED, known: int | None = None) -> str:
    extracts = EarlierTurns(asked, HASH)
    for one in turns:
        extracts.add(one)
    return extracts.shortened(0, len(turns) if known is None else known, len(turns), tokens)


def test_what_fits_is_told_whole_with_what_was_called() -> None:
    text = told(turn(1, result("It stands. It turns.", "a.txt"), said="I look it up."), tokens=400)
    assert text == (
        '<earlier>\n<turn number="1" called=\'search {"query": "mill 1"}\'>\n<said>\nI look it up.\n</said>\n'
        '<tool_response mark="r1" source="a.txt">\nIt stands. It turns.\n</tool_response>\n</turn>\n</earlier>'
    )


def test_the_sentence_that_bears_on_the_task_is_kept_and_the_rest_marked_as_left_out() -> None:
    text = told(turn(1, result(f"{FILLER} Beacon Mill was last worked in 1921. {FILLER}")), tokens=60)
    assert "… Beacon Mill was last worked in 1921. …" in text
    assert HASH.count_tokens(text) <= 60


def test_its_neighbours_come_with_it_before_those_of_others() -> None:
    near = "Its owner sold it. Beacon Mill was last worked in 1921. The sails were taken down."
    text = told(turn(1, result(FILLER, "a.txt")), turn(2, result(near, "b.txt")), tokens=150)
    assert shown_marks(text)["r2"] == near


def test_what_the_agent_went_on_with_is_kept_though_it_shares_no_word_with_the_task() -> None:
    """Among many names, the one that the agent asked for next is what the step depends on."""
    owners = [f"The deed of lot {number} names {name}." for number, name in enumerate(["Ames", "Birt", "Cole"] * 9)]
    owners[13] = "The deed of lot 13 names Whitlock."
    turns = [turn(1, result("\n".join(owners)), query="deeds"), turn(2, result(FILLER), query="Whitlock family")]
    assert "lot 13 names Whitlock" in told(*turns, tokens=70)
    assert "lot 13 names Whitlock" not in told(turns[0], turn(2, result(FILLER), query="families"), tokens=70)


def test_of_what_the_agent_said_the_last_sentence_stands_for_all() -> None:
    said = f"{FILLER} I take the second register."
    text = told(turn(1, result("Nothing was found for this query.", None, known=True), said=said), tokens=60)
    assert "… I take the second register." in text
    assert "Nothing was found for this query." in text


def test_what_it_thought_stands_where_it_said_nothing() -> None:
    call = '<tool_call>{"name": "search", "arguments": {}}</tool_call>'
    spoken = Message(role="assistant", content=call, reasoning="The guide is wrong.")
    text = told(StepTurn(messages=(spoken, result("Hm.", known=True))))
    assert "<said>\nThe guide is wrong.\n</said>" in text
    assert "tool_call" not in text


def test_each_thing_brought_has_a_sentence_before_one_has_two() -> None:
    turns = [turn(number, result(FILLER.replace("row", f"{number} row"), f"{number}.txt")) for number in range(1, 6)]
    assert list(shown_marks(told(*turns, tokens=170))) == ["r1", "r2", "r3", "r4", "r5"]


def test_with_room_for_few_it_is_the_newest_that_stand() -> None:
    turns = [turn(number, result(FILLER.replace("row", f"{number} row"), f"{number}.txt")) for number in range(1, 9)]
    assert list(shown_marks(told(*turns, tokens=70))) == ["r7", "r8"]


def test_what_a_source_says_again_is_told_once_and_under_its_first_mark() -> None:
    found = result("Beacon Mill was last worked in 1921.")
    text = told(turn(1, found), turn(2, found), turn(3, result(found.content, "other.txt")))
    assert set(shown_marks(text)) == {"r1", "r3"}


def test_marks_count_only_what_was_new_also_of_turns_that_are_not_told() -> None:
    extracts = EarlierTurns(ASKED, HASH)
    extracts.add(turn(1, result("A."), result("B.", known=True)))
    extracts.add(turn(2, result("C.", "c.txt")))
    assert shown_marks(extracts.shortened(1, 2, 2, 100)) == {"r2": "C."}


def test_a_very_long_sentence_is_cut() -> None:
    text = told(turn(1, result("mill " * 110)), tokens=100)
    assert HASH.count_tokens(text) <= 100
    assert "mill…" in text


def test_a_long_call_is_cut() -> None:
    text = told(turn(1, result("A."), query="tower " * 400))
    assert len(re.findall("tower", text)) < 40


@pytest.mark.parametrize("tokens", [1, 8, 20])
def test_without_room_there_is_an_empty_frame(tokens: int) -> None:
    assert told(turn(1, result(FILLER)), tokens=tokens) == "<earlier>\n</earlier>"


def test_in_chinese_the_sentence_that_bears_on_the_task_is_kept() -> None:
    rows = "".join(f"第{number}号农场有{number + 3}只羊。" for number in range(60))
    text = told(
        turn(1, result(f"{rows}灯塔磨坊最后一次运转是1921年。{rows}")),
        tokens=80,
        asked=("灯塔磨坊最后一次运转是哪一年？",),
    )
    assert "灯塔磨坊最后一次运转是1921年。" in text
