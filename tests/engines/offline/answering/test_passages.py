"""How passages are read for an answer: what somebody said or wrote of themselves, with their name."""

from __future__ import annotations

import pytest

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import SpokenTurn
from memory_bank.engines.offline.answering.passages import CandidatePassage, passages_of
from memory_bank.text.span import Span
from tests.builders import at
from tests.engines.offline.fake_tools import FakeTools


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("I lost my blue scarf.", "Bob lost my blue scarf."),
        ("I'm moving to Leeds.", "Bob is moving to Leeds."),
        ("我丢了围巾。", "Bob丢了围巾。"),
        ("我们丢了围巾。", "Bob: 我们丢了围巾。"),
        ("The ferry was late.", "Bob: The ferry was late."),
    ],
)
def test_what_is_said_in_a_chat_is_read_with_its_speaker(said: str, read: str) -> None:
    entry = Entry(id="e1", text=f"Bob: {said}", created_at=at(1), metadata={"source": "chat.txt"})
    words = Span(len("Bob: "), len(entry.text))
    turn = SpokenTurn(start=0, said=words.start, end=words.end, speaker="Bob")
    assert CandidatePassage(entry, words, turn=turn).as_read.text == read


def test_what_a_mail_says_is_read_with_its_sender_and_its_header_is_no_passage() -> None:
    text = (
        "From: Ann Hale\nDate: 1 May 2024\n\nI have painted the old fence.\n\n"
        "From: Ben Cole <ben@example.org>\nDate: 3 May 2024\n\nI have mended the old gate."
    )
    memory = FakeTools({"mails.txt": text})
    assert [passage.as_read.text for passage in passages_of(["n1"], memory)] == [
        "Ann Hale have painted the old fence.",
        "Ben Cole have mended the old gate.",
    ]


def test_a_list_that_goes_on_in_another_entry_is_one_section_and_a_later_one_of_the_same_name_another() -> None:
    memory = FakeTools({})
    parts = {
        "e2": (0, "## Bring\n- a torch\n- two towels", {}),
        "e10": (40, "- warm socks", {"heading": "Bring", "lead": "Bring"}),
        "e11": (60, "## Leave\n- your phone\n## Bring", {}),
        "e12": (90, "- a packed lunch", {"heading": "Bring", "lead": "Bring"}),
    }
    for entry_id, (start, text, above) in parts.items():
        metadata = {"source": "camp.md", "start": start, "above": above}
        memory.entries[entry_id] = Entry(id=entry_id, text=text, created_at=at(1), metadata=metadata)
    passages = passages_of(["e12", "e10", "e2", "e11"], memory)
    in_order = sorted(passages, key=lambda passage: passage.position)
    assert [passage.text for passage in in_order] == [
        "a torch", "two towels", "warm socks", "your phone", "a packed lunch",
    ]  # fmt: skip
    first, second, third, _other, later = (passage.section for passage in in_order)
    assert first == second == third != later
    assert third[1] == later[1] == "Bring"
    assert {passage.context for passage in in_order[:3]} == {"camp.md · Bring", "camp.md · Bring · a torch"}
