"""What people say to each other: its sentences, and which of them are claims."""

from __future__ import annotations

import pytest

from memory_bank.agents.structure import StructureInput
from memory_bank.bank.spoken import Spoken
from memory_bank.engines.offline.claims.spoken import holds_for_all, said_sentences
from memory_bank.engines.offline.structure import structure
from memory_bank.modules.documents.chat import find_turns
from tests.chats import CHAT


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The pump costs 340 euros.", 1),
        ("Ruth Keller works in Bonn.", 1),
        ("The boiler was made in 1994.", 1),
        ("I have two cats.", 0),
        ("The boiler in your flat is from 1994.", 0),
        ("The pump is far too expensive, I think.", 0),
        ("The soup was lovely.", 0),
        ("The shop is closed today.", 0),
        ("The shop closed two weeks ago.", 0),
        ("She comes on Thursday.", 0),
        ("Yes, Ruth Keller has 12 pumps.", 0),
        ("我有两只猫。", 0),
    ],
)
def test_a_claim_holds_whoever_says_it_and_whenever(text: str, claims: int) -> None:
    assert holds_for_all(text) == bool(claims)


def test_no_sentence_reaches_over_two_turns_or_has_a_name_and_a_time_in_front() -> None:
    turns = find_turns(CHAT)
    spans = said_sentences(CHAT, [(turn.said, turn.end) for turn in turns])
    assert all(any(turn.said <= span.start and span.end <= turn.end for turn in turns) for span in spans)
    assert "".join(span.of(CHAT) for span in spans).replace(" ", "") == "".join(
        CHAT[turn.said : turn.end] for turn in turns
    ).replace(" ", "")


def test_claims_of_a_chat_are_quotations_of_what_was_said() -> None:
    content = "[2023-05-08 13:56] Ada: The pump costs 340 euros. I like it.\n[2023-05-08 13:57] Bob: Does it cost 34?"
    turns = tuple(
        Spoken(start=turn.start, said=turn.said, end=turn.end, speaker=turn.speaker) for turn in find_turns(content)
    )
    found = structure(StructureInput(content=content, context="", keywords=(), turns=turns)).claims
    assert [claim.text for claim in found] == ["The pump costs 340 euros."]
    assert all(content[claim.start : claim.end] == claim.text for claim in found)
