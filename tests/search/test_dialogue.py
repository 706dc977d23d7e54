"""Turns are found by their words, the turns around them, their speaker, and their date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from memory_bank.search.dialogue import DialogueIndex, IndexedTurn
from memory_bank.search.hash_embedder import HashEmbedder

MAY, JUNE = date(2023, 5, 10), date(2023, 6, 20)
FILLER = [IndexedTurn(f"f{number}", "Ann", f"Nothing much, number {number}.", "0", MAY) for number in range(12)]


def found(question: str, turns: Sequence[IndexedTurn], k: int = 1) -> list[str]:
    return [hit.id for hit in DialogueIndex(turns, HashEmbedder()).retrieve(question, k)]


def test_a_turn_is_found_by_its_own_words_before_its_neighbours() -> None:
    turns = [
        *FILLER,
        IndexedTurn("t1", "Ann", "I bought a kayak.", "1", MAY),
        IndexedTurn("t2", "Bob", "Lovely!", "1", MAY),
    ]
    assert found("Who bought a kayak?", turns, k=2) == ["t1", "t2"]


def test_an_answer_is_found_by_the_question_before_it() -> None:
    turns = [
        *FILLER,
        IndexedTurn("t1", "Bob", "What is your dog called?", "1", MAY),
        IndexedTurn("t2", "Ann", "Rex.", "1", MAY),
        IndexedTurn("t3", "Bob", "Rex.", "2", JUNE),  # said at another time: nobody asked
    ]
    assert found("Name of the dog", turns, k=2) == ["t1", "t2"]


def test_a_turn_is_found_by_its_speaker() -> None:
    turns = [
        IndexedTurn("t1", "Ann", "I like tea.", "1", MAY),
        *FILLER,
        IndexedTurn("t2", "Bob", "I like tea.", "2", MAY),
        *FILLER[:0],
    ]
    assert found("What does Bob like, tea?", turns) == ["t2"]
    assert found("What does Ann like, tea?", turns) == ["t1"]


def test_days_asked_about_are_compared_with_the_day_of_a_turn_and_with_the_days_it_names() -> None:
    trip = "We went on a trip to the hills"
    turns = [
        IndexedTurn("april", "Ann", f"{trip}.", "1", date(2023, 4, 2)),
        *FILLER,
        IndexedTurn("may", "Ann", f"{trip}.", "2", MAY),
        IndexedTurn("june", "Ann", f"{trip} last month.", "3", JUNE),
        IndexedTurn("july", "Ann", f"{trip}.", "4", date(2023, 7, 9)),
    ]
    assert set(found("Where did the trip in May go?", turns, k=2)) == {"may", "june"}
    assert found("Where did the trip on 2 April 2023 go?", turns) == ["april"]
    later = IndexedTurn("august", "Bob", "Good morning.", "5", date(2023, 8, 1))
    assert found("trip last month", [*turns, later]) == ["july"]


def test_turns_whose_day_is_not_known_are_found_by_their_words() -> None:
    turns = [
        IndexedTurn("t1", "王", "我们在五月去了里斯本。"),
        IndexedTurn("t2", "李", "好。"),
        IndexedTurn("t3", "李", "狗叫什么？"),
    ]
    assert found("五月去了哪里", turns) == ["t1"]


def test_no_turns_no_hits() -> None:
    assert found("anything", []) == []
