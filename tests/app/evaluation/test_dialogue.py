"""Whether the turns that hold an answer are found, by worked examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_bank.app.evaluation.dialogue import evaluate_dialogue
from memory_bank.app.evaluation.items import Items
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings

SETTINGS = Settings(embedding_model="hash")
SAID = ["I sold my bakery.", "My sister plays the cello.", "We went to Lisbon.", "The dog is called Rex."]


def conversation(questions: list[tuple[str, list[str], str]], said: list[str] | None = None) -> dict[str, Any]:
    """One session of turns `D1:1`, `D1:2` … with questions about them."""
    turns: list[dict[str, Any]] = [
        {"dia_id": f"D1:{number}", "speaker": ("Ann", "Bob")[number % 2], "text": text}
        for number, text in enumerate(said or [*SAID, *(f"Filler number {n}." for n in range(12))], start=1)
    ]
    return {
        "kind": "conversation",
        "id": "c",
        "sessions": [{"session": 1, "date_time": "4 pm on 20 January, 2023", "turns": turns}],
        "questions": [
            {"question": question, "answer": "secret", "evidence": evidence, "category_name": category}
            for question, evidence, category in questions
        ],
    }


def write(folder: Path, *conversations: dict[str, Any]) -> Path:
    file = folder / "talk.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in conversations))
    return file


BAKERY = ("Who sold a bakery?", ["D1:1"], "single-hop")
NOT_FOUND = ("Who sold a bakery?", ["D1:99"], "temporal")
HALF = ("Who sold a bakery?", ["D1:1", "D1:99"], "multi-hop")


def test_found_half_and_none_are_one_a_half_and_nothing(tmp_path: Path) -> None:
    scores = evaluate_dialogue(write(tmp_path, conversation([BAKERY, NOT_FOUND, HALF])), SETTINGS, Items())
    assert list(scores) == ["questions", "recall@5", "recall@10", "by_category"]
    assert scores["questions"] == 3
    assert scores["recall@5"] == scores["recall@10"] == 0.5
    assert scores["by_category"] == {
        "multi-hop": {"recall@5": 0.5, "recall@10": 0.5},
        "single-hop": {"recall@5": 1.0, "recall@10": 1.0},
        "temporal": {"recall@5": 0.0, "recall@10": 0.0},
    }
    json.dumps(scores)


def test_depth_counts(tmp_path: Path) -> None:
    """Seven turns fit equally well: the sixth is among the first ten and not among the first five."""
    said = [f"Bakery {word}." for word in "one two three four five six seven".split()]
    scores = evaluate_dialogue(write(tmp_path, conversation([("bakery", ["D1:6"], "x")], said)), SETTINGS, Items())
    assert (scores["recall@5"], scores["recall@10"]) == (0.0, 1.0)


@pytest.mark.parametrize("question", ["What did Bob say on 20 January?", "Which picture shows a lighthouse?"])
def test_a_turn_is_known_by_its_speaker_its_date_and_its_picture(tmp_path: Path, question: str) -> None:
    talk = conversation([(question, ["D2:1"], "x")])
    picture = {"dia_id": "D2:1", "speaker": "Bob", "text": "Look!", "image_caption": "a lighthouse", "img": ["u"]}
    talk["sessions"][0]["date_time"] = "4 pm on 3 March, 2022"
    talk["sessions"].append({"session": 2, "date_time": "4 pm on 20 January, 2023", "turns": [picture]})
    assert evaluate_dialogue(write(tmp_path, talk), SETTINGS, Items())["recall@5"] == 1.0


def test_each_conversation_is_searched_by_itself(tmp_path: Path) -> None:
    """Turn ids repeat from one conversation to the next."""
    other = conversation([("Who sold a bakery?", ["D1:1"], "x")], ["Sheep graze.", "I sold my bakery."])
    scores = evaluate_dialogue(write(tmp_path, conversation([BAKERY]), other), SETTINGS, Items())
    assert scores["questions"] == 2
    assert scores["recall@5"] == 1.0


def test_the_limit_counts_questions_over_all_conversations(tmp_path: Path) -> None:
    file = write(tmp_path, conversation([BAKERY, NOT_FOUND]), conversation([HALF, HALF]))
    assert evaluate_dialogue(file, SETTINGS, Items(1))["recall@5"] == 1.0
    assert evaluate_dialogue(file, SETTINGS, Items(3))["questions"] == 3


def test_without_questions_there_is_nothing(tmp_path: Path) -> None:
    scores = evaluate_dialogue(write(tmp_path, conversation([])), SETTINGS, Items())
    assert (scores["questions"], scores["recall@10"], scores["by_category"]) == (0, 0.0, {})


def test_a_conversation_that_does_not_fit_the_format_is_refused(tmp_path: Path) -> None:
    broken = conversation([BAKERY])
    del broken["sessions"][0]["turns"][0]["speaker"]
    with pytest.raises(UsageError, match="line 1"):
        evaluate_dialogue(write(tmp_path, broken), SETTINGS, Items())
