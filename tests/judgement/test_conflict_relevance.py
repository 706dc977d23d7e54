"""Which disputes a task is about."""

from __future__ import annotations

import pytest

from memory_bank.bank.conflict import Conflict
from memory_bank.judgement.conflict_relevance import asks_for_conflicts, conflicts_on_goal, relevant_conflicts
from memory_bank.search.embedding import load_embedder
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.test_planning import dam, dispute, wool

HEIGHT = dispute("x7", "The Aswan High Dam is 111 m tall.", "The Aswan High Dam is 116 m high.")
SHEEP = dispute("x8", "Ashford has 300 sheep.", "Ashford has 200 sheep.")


def bearing(task: str, *conflicts: Conflict) -> list[str]:
    """Ids, by the real model."""
    return [conflict.id for conflict in relevant_conflicts(task, conflicts, load_embedder())]


def test_without_conflicts_nothing_is_embedded() -> None:
    assert relevant_conflicts("When?", (), load_embedder()) == []


def test_a_dispute_over_what_is_asked_bears_on_it_and_one_over_something_else_does_not() -> None:
    assert bearing("When was the dam of Aswan completed?", wool("x1"), dam("x2"), SHEEP) == ["x2"]


def test_other_words_for_the_same_thing_do_too() -> None:
    assert bearing("How high is the barrage on the Nile at Aswan?", SHEEP, HEIGHT) == ["x7"]


def test_the_closest_comes_first() -> None:
    assert bearing("How tall is the Aswan High Dam?", dam("x2"), HEIGHT)[0] == "x7"


def test_a_broad_task_that_names_the_subject_is_borne_on() -> None:
    assert "x2" in bearing("Write a report on the dam of Aswan.", dam("x2"), SHEEP)
    assert "x8" not in bearing("Write a report on the dam of Aswan.", dam("x2"), SHEEP)


def test_one_side_is_enough() -> None:
    mixed = dispute("x9", "It has 4 sails.", "Beacon Mill in Benenden has no sails.")
    assert bearing("How many sails has Beacon Mill in Benenden?", mixed) == ["x9"]


def test_what_a_model_said_of_the_goal_counts_before_likeness() -> None:
    asked, said, other = dam("x1"), wool("x2"), dam("x3")
    said, other = said.model_copy(update={"bears": True}), other.model_copy(update={"bears": False})
    found = conflicts_on_goal("When was the dam of Aswan finished?", (asked, said, other), HashEmbedder())
    assert [conflict.id for conflict in found] == ["x2", "x1"]


@pytest.mark.parametrize("task", ["", "?", "的"])
def test_a_task_without_a_word_is_borne_on_by_nothing(task: str) -> None:
    assert relevant_conflicts(task, (dam("x1"), wool("x2")), HashEmbedder()) == []


def test_equally_close_ones_keep_their_order() -> None:
    found = relevant_conflicts("When was the dam of Aswan finished?", (dam("x3"), dam("x1"), dam("x2")), HashEmbedder())
    assert [conflict.id for conflict in found] == ["x3", "x1", "x2"]


@pytest.mark.parametrize(
    ("task", "asks"),
    [
        ("Where do the two reports contradict each other?", True),
        ("Do these documents disagree anywhere?", True),
        ("What do both sources agree on?", False),
        ("What are these documents about?", False),
        ("Compare the two reports.", False),
        ("When was the Aswan High Dam completed?", False),
    ],
)
def test_a_task_may_ask_for_the_contradictions_themselves(task: str, asks: bool) -> None:  # noqa: FBT001
    assert asks_for_conflicts(task, load_embedder()) is asks


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("这些文件之间有哪些矛盾？", True),
        ("来源之间互相冲突吗？", True),
        ("坐公交想买月票，一个月多少钱？", False),
    ],
)
def test_a_chinese_question_to_english_documents_asks_for_conflicts_only_where_its_words_do(
    task: str, *, expected: bool
) -> None:
    assert asks_for_conflicts(task, load_embedder()) is expected
