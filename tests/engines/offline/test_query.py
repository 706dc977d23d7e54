"""The query to search memory with, as the embedded engine makes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.remember import LONGEST_QUERY, REMEMBER_QUERY, PastTask, Query, QueryInput
from memory_bank.bank.usage import Usage
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.search.hash_embedder import HashEmbedder

LENGTH = PastTask(asked="How long is Harlow Bridge?", found="Harlow Bridge is 310 m long.")


def query_for(question: str, mode: str, *before: PastTask) -> str:
    """The query for a question; also checks that it costs no call and is deterministic."""
    agent_input = QueryInput.model_validate({"question": question, "conversation": before, "mode": mode})
    judgement = OfflineEngine(HashEmbedder()).judge(REMEMBER_QUERY, agent_input)
    assert type(judgement.output) is Query
    assert judgement.usage == Usage()
    assert OfflineEngine(HashEmbedder()).judge(REMEMBER_QUERY, agent_input) == judgement
    return judgement.output.text


@pytest.mark.parametrize(
    ("question", "mode", "text"),
    [
        ("And when was it built?", "rewrite", "When was Harlow Bridge built?"),
        ("And when was it built?", "hyde", "When was Harlow Bridge built?"),
        ("What about the second one?", "rewrite", "Harlow Bridge: What about the second one?"),
        ("When is the meeting?", "rewrite", "When is the meeting?"),
    ],
)
def test_a_question_is_made_to_stand_alone_in_either_mode(question: str, mode: str, text: str) -> None:
    assert query_for(question, mode, LENGTH) == text


def test_without_a_conversation_the_question_is_unchanged() -> None:
    assert query_for("And when was it built?", "rewrite") == "And when was it built?"


@given(st.text(min_size=1, max_size=LONGEST_QUERY + 100).filter(str.strip), st.sampled_from(["rewrite", "hyde"]))
def test_there_is_a_query_for_any_question(question: str, mode: str) -> None:
    assert query_for(question, mode, LENGTH).strip()
