"""What is not looked for in long-term memory: measured on sentences that the rules were not made with."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.long_term.prefilter import LONGEST, skipped
from tests.long_term import prefilter_held_out as held_out
from tests.long_term import prefilter_sentences as known
from tests.shared_data import DATA


def rows(table: object) -> list[tuple[str, str | None]]:
    """The sentences of a table, each with its kind."""
    kinds: dict[str, str | None] = {
        "GREETINGS": "a greeting",
        "GENERAL": "general knowledge",
        "TOOL": "a request to a tool",
        "LOOKED_FOR": None,
    }
    return [(sentence, kind) for name, kind in kinds.items() for sentence in getattr(table, name)]


def test_there_are_enough_sentences_of_each_kind_and_none_is_in_both_tables() -> None:
    assert all(len(part) >= 60 for part in (known.GREETINGS, known.GENERAL, known.TOOL, known.LOOKED_FOR))
    assert {sentence for sentence, _ in rows(known)}.isdisjoint(sentence for sentence, _ in rows(held_out))


@pytest.mark.parametrize(("sentence", "kind"), rows(known))
def test_a_sentence_is_skipped_for_what_it_is(sentence: str, kind: str | None) -> None:
    assert skipped(sentence) == kind


def test_of_sentences_that_no_rule_was_made_with_none_is_skipped_wrongly_and_nearly_all_others_are() -> None:
    found = [(skipped(sentence), kind) for sentence, kind in rows(held_out)]
    told = [(got, kind) for got, kind in found if got is not None]
    assert all(got == kind for got, kind in told)  # precision 1.0
    assert len(told) >= 0.95 * sum(kind is not None for _, kind in found)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("What is the capital of France?", "general knowledge"),
        ("What is the capital of my country?", None),
        ("What is the capital of our country?", None),
        ("Tell me the capital of France.", "general knowledge"),  # "me" says nothing of the person
        ("Search the web for museums", "a request to a tool"),
        ("Search the web for the museum I liked", None),
        ("Please search the web for museums for me.", "a request to a tool"),
        ("How many people live in the US?", "general knowledge"),
        ("How many people live with us?", None),
        ("日本的首都是哪里？", "general knowledge"),
        ("我想知道日本的首都是哪里？", "general knowledge"),
        ("我的国家的首都是哪里？", None),
        ("帮我在网上搜索天气", "a request to a tool"),
        ("在网上搜索我喜欢的酒店", None),
    ],
)
def test_who_speaks_of_himself_is_looked_for(sentence: str, kind: str | None) -> None:
    assert skipped(sentence) == kind


@pytest.mark.parametrize("sentence", ["Hi, when is the meeting?", "你好，会议在哪里？", "Thanks! And who pays?"])
def test_a_greeting_before_a_question_does_not_hide_it(sentence: str) -> None:
    assert skipped(sentence) is None


@given(st.text(max_size=LONGEST + 50))
def test_whatever_is_said_the_reason_is_one_of_three_and_spaces_around_make_no_difference(said: str) -> None:
    reason = skipped(said)
    assert reason in (None, "a greeting", "a request to a tool", "general knowledge")
    assert skipped(f"  {said}\n") == reason


@given(st.sampled_from([*held_out.GENERAL, *known.GENERAL]), st.sampled_from(["my ", "our "]))
def test_a_question_of_general_knowledge_with_one_s_own_things_in_it_is_looked_for(question: str, own: str) -> None:
    assert skipped(f"{question.rstrip('?.？。')} {own}house?") is None


@pytest.mark.parametrize(
    "said", ["doing today " * 33, "大家好" * 130, "the " + "a" * 110 + "-", "1 2 " * 90, "for " * 99]
)
def test_no_sentence_takes_long(said: str) -> None:
    skipped("什么是熵？")
    begun = time.perf_counter()
    skipped(said[:LONGEST])
    assert time.perf_counter() - begun < 10


@pytest.mark.skipif(not DATA.exists(), reason="the evaluation data is not on this machine")
def test_no_question_on_people_and_documents_of_the_evaluation_data_is_skipped() -> None:
    """They are real, and nobody wrote them with these rules in mind."""
    questions: list[str] = []
    for file in [*DATA.glob("dialogue/*.jsonl"), *DATA.glob("qa/*.jsonl"), *DATA.glob("retrieval/*.jsonl")]:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            asked = row["questions"] if row["kind"] == "conversation" else [row] if "question" in row else []
            questions += [one["question"] for one in asked]
    assert len(questions) > 1_000
    assert [question for question in questions if skipped(question)] == []
