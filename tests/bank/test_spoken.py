"""What an entry keeps of a chat, and what an import may claim of it."""

from __future__ import annotations

from typing import Any

import pytest

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import SpokenTurn, said_by, turns_of
from tests.builders import make_entry

TEXT = "Ada: Did you sleep?\nBob: Yes."
ADA = SpokenTurn(start=0, said=5, end=19, speaker="Ada", at="2023-05-08T13:56:00")
BOB = SpokenTurn(start=20, said=25, end=29, speaker="Bob", at="2023-05-09")


def entry(*turns: object) -> Entry:
    return make_entry("e1", TEXT).model_copy(update={"metadata": {"source": "chat.txt", "turns": list(turns)}})


def test_turns_go_into_metadata_and_come_back() -> None:
    made = entry(ADA.model_dump(), BOB.model_dump())
    assert turns_of(made) == (ADA, BOB)
    assert [said_by(made, offset, offset) for offset in (0, 18, 19, 20, 99)] == [
        ADA.speaker_and_time,
        ADA.speaker_and_time,
        "",
        BOB.speaker_and_time,
        "",
    ]


def test_a_passage_is_said_by_whoever_ends_it() -> None:
    made = entry(ADA.model_dump(), BOB.model_dump())
    assert said_by(made, 5, 19) == "Ada, 2023-05-08 13:56"
    assert said_by(made, 5, 29) == "Bob, 2023-05-09"
    assert said_by(make_entry("e2", TEXT), 5, 19) == ""
    assert SpokenTurn(start=0, said=0, end=1, speaker="A\nB\x1b[0m", at=None).speaker_and_time == "A B [0m"


@pytest.mark.parametrize("at", [None, "", "yesterday", "2023-02-31T10:00"])
def test_a_time_that_is_none_has_no_day(at: str | None) -> None:
    assert ADA.model_copy(update={"at": at}).day is None


@pytest.mark.parametrize(
    "turns",
    [
        "Ada",
        [["Ada"]],
        [{"start": -1, "said": 0, "end": 1, "speaker": "Ada"}],
        [{"start": 0, "said": 5, "end": 999, "speaker": "Ada"}],
        [{"start": 9, "said": 5, "end": 19, "speaker": "Ada"}],
        [BOB.model_dump(), ADA.model_dump()],
        [{"start": 0, "said": 5, "end": 19, "speaker": ["Ada"]}],
    ],
)
def test_turns_that_cannot_be_are_none(turns: Any) -> None:
    made = entry().model_copy(update={"metadata": {"source": "x", "turns": turns}})
    assert turns_of(made) == ()
    assert said_by(made, 0, 5) == ""


def test_a_turn_is_cut_to_a_stretch_and_moved() -> None:
    assert ADA.within(7, 12) == ADA.model_copy(update={"start": 7, "said": 7, "end": 12})
    assert BOB.within(10, 25, -10) == BOB.model_copy(update={"start": 10, "said": 15, "end": 15})
