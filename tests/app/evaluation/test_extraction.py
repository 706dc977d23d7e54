"""`eval extraction` by worked examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_bank.app.evaluation.dialogue import Conversation
from memory_bank.app.evaluation.extraction import WINDOW, ExtractedConversation, evaluate_extraction, windows
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings
from memory_bank.search.hash_embedder import HashEmbedder
from tests.app.evaluation.test_dialogue import conversation, write

SETTINGS = Settings(embedding_model="hash")
SAID = ["I sold my bakery in Hillcot.", "Wow, great!", "I adopted a dog called Rex.", "Thanks!"]
BAKERY = ("Who sold a bakery?", ["D1:1"], "single-hop")
NOT_KEPT = ("Who said wow?", ["D1:2"], "temporal")
HALF = ("Who sold a bakery?", ["D1:1", "D1:99"], "multi-hop")


def talk(questions: list[tuple[str, list[str], str]], said: list[str] = SAID) -> dict[str, Any]:
    return conversation(questions, said)


def heard(said: list[str]) -> ExtractedConversation:
    fields = {name: value for name, value in talk([], said).items() if name in Conversation.model_fields}
    return ExtractedConversation(Conversation.model_validate(fields), HashEmbedder())


def test_evidence_is_held_where_a_fact_rests_on_it(tmp_path: Path) -> None:
    scores = evaluate_extraction(write(tmp_path, talk([BAKERY, NOT_KEPT, HALF])), SETTINGS)
    assert (scores["turns"], scores["facts"], scores["conflicts"]) == (4, 2, 0)
    assert scores["turns_with_a_fact"] == 0.5
    assert scores["evidence_recall"] == 0.3333  # of three turns that are asked about, one is not there
    assert scores["questions"] == 3
    assert scores["facts_found"]["recall@5"] == scores["facts_found"]["recall@10"] == 0.6667
    assert scores["facts_found"]["by_category"]["temporal"] == {"recall@5": 0.0, "recall@10": 0.0}
    assert scores["facts_found"]["by_category"]["multi-hop"] == {"recall@5": 1.0, "recall@10": 1.0}
    assert scores["by_conversation"] == {"c": {"turns": 4, "facts": 2, "evidence_recall": 0.3333}}
    json.dumps(scores)


def test_a_fact_told_again_is_one_record_with_the_turns_of_both() -> None:
    filler = ["Nice!"] * WINDOW
    kept = heard(["I sold my bakery in Hillcot.", *filler, *filler[1:], "I sold my bakery in Hillcot."]).kept
    assert [(one.fact.content, sorted(one.evidence)) for one in kept] == [
        ("Bob sold Bob's bakery in Hillcot", ["D1:1", f"D1:{2 * WINDOW + 1}"])
    ]


def test_turns_are_heard_ten_at_a_time_with_a_few_before() -> None:
    fields = {name: value for name, value in talk([], ["Hi."] * 23).items() if name in Conversation.model_fields}
    (session,) = Conversation.model_validate(fields).sessions
    given = list(windows(session))
    assert [len(one.utterances) for one in given] == [10, 10, 3]
    assert [[turn.id for turn in one.before] for one in given] == [
        [],
        ["D1:7", "D1:8", "D1:9", "D1:10"],
        ["D1:17", "D1:18", "D1:19", "D1:20"],
    ]
    at = given[0].utterances[0].at
    assert at is not None
    assert at.date().isoformat() == "2023-01-20"


def test_the_limit_counts_questions_over_all_conversations(tmp_path: Path) -> None:
    file = write(tmp_path, talk([BAKERY, NOT_KEPT]), {**talk([HALF, HALF]), "id": "d"})
    assert evaluate_extraction(file, SETTINGS, limit=1)["questions"] == 1
    three = evaluate_extraction(file, SETTINGS, limit=3)
    assert (three["questions"], list(three["by_conversation"])) == (3, ["c", "d"])


def test_without_questions_there_is_nothing_to_find(tmp_path: Path) -> None:
    scores = evaluate_extraction(write(tmp_path, talk([])), SETTINGS)
    assert (scores["questions"], scores["evidence_recall"], scores["facts"]) == (0, 0.0, 2)


def test_a_conversation_that_does_not_fit_the_format_is_refused(tmp_path: Path) -> None:
    broken = talk([BAKERY])
    del broken["sessions"][0]["turns"][0]["speaker"]
    with pytest.raises(UsageError, match="line 1"):
        evaluate_extraction(write(tmp_path, broken), SETTINGS)
