"""Chats in a memory are searched turn by turn."""

from __future__ import annotations

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import SpokenTurn
from memory_bank.search.research.library import TurnIndex
from tests.builders import make_entry
from tests.search.research.stories import EMBEDDER

Said = tuple[str, str, str]


def entry(entry_id: str, *said: Said) -> Entry:
    """A chat entry from the speaker, words and day of each turn."""
    text, turns = "", []
    for speaker, words, at in said:
        start = len(text)
        text += f"{speaker}: {words}\n"
        spoken = SpokenTurn(start=start, said=start + len(speaker) + 2, end=len(text) - 1, speaker=speaker, at=at)
        turns.append(spoken.model_dump())
    return make_entry(entry_id, text).model_copy(update={"metadata": {"source": "chat.txt", "turns": turns}})


MARCH, MAY = "2023-03-04T09:00", "2023-05-08T09:00"
PAGES = (
    entry("e1", ("Ada", "The boiler is old.", MARCH), ("Bob", "The heating rattled.", MARCH)),
    entry("e2", ("Bob", "I baked a cake.", MARCH), ("Ada", "With plums?", MARCH)),
    entry("e3", ("Ada", "The boiler is broken.", MAY), ("Cem", "Come to my place.", MAY)),
)


def told(*entries: Entry) -> TurnIndex:
    made = TurnIndex(EMBEDDER)
    for one in entries:
        made.add(one)
    return made


def test_a_turn_leads_to_its_page() -> None:
    assert told(*PAGES).search("Who baked a cake with plums?")[0] == "e2"


def test_speaker_and_days_asked_about_decide() -> None:
    assert told(*PAGES).search("What did Ada say about the boiler in May?")[0] == "e3"
    assert told(*PAGES).search("What did Ada say about the boiler on 4 March 2023?")[0] == "e1"


def test_what_comes_later_is_found_too() -> None:
    made = told(PAGES[1])
    assert made.search("the boiler") == ["e2"]
    made.add(PAGES[0])
    assert made.search("the boiler")[0] == "e1"


def test_in_a_memory_of_documents_too_only_turns_with_the_words_asked_count() -> None:
    mixed = told(*PAGES, make_entry("e4", "A dam of concrete."))
    assert mixed.search("How high is the concrete dam above the river?") == []
    assert mixed.search("Is the boiler broken?")[0] == "e3"


def test_without_a_chat_nothing_was_told() -> None:
    assert told(make_entry("e4", "A dam.")).search("the dam") == []
