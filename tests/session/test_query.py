"""What memory is searched with: which facts come first for a follow-up question, asked in three ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest

from memory_bank.agents.remember import QueryInput
from memory_bank.engines.offline.engine import query
from memory_bank.judgement.coreference.question import is_follow_up, with_context
from memory_bank.long_term.policy import Policy
from memory_bank.search.embedding import DEFAULT_MODEL, MULTILINGUAL_MODEL, load_embedder
from tests.session.follow_ups import CHINESE, ENGLISH, HELD_OUT_CHINESE, HELD_OUT_ENGLISH, FollowUp

LOOKED_UP: dict[str, Callable[[FollowUp], str]] = {
    "bare": lambda one: one.question,
    "context": lambda one: with_context(one.question, [one.before]),
    "rewrite": lambda one: query(QueryInput(question=one.question, conversation=(one.before,))).text,
}


POLICY = Policy()


class Shares(NamedTuple):
    """Of a table's questions: those whose fact is the likest of all, and those that recall it by the defaults."""

    first: float
    recalled: float


def shares_of(table: Sequence[FollowUp], model: str) -> dict[str, Shares]:
    """The shares by how memory is searched, among all facts of the table."""
    embedder = load_embedder(model)
    facts = embedder.embed([fact for one in table for fact in one.facts])
    size, found = len(table[0].facts), {}
    for way, text_of in LOOKED_UP.items():
        similar = embedder.embed([text_of(one) for one in table]) @ facts.T
        right = similar[np.arange(len(table)), size * np.arange(len(table))]
        before = (similar > right[:, None]).sum(axis=1)
        recalled = (before < POLICY.facts_k) & (right >= POLICY.fact_threshold)
        found[way] = Shares(float((before == 0).mean()), float(recalled.mean()))
    return found


def test_the_table_is_large_enough_and_its_questions_do_not_stand_alone() -> None:
    every = [*ENGLISH, *CHINESE, *HELD_OUT_ENGLISH, *HELD_OUT_CHINESE]
    assert len(ENGLISH) + len(CHINESE) >= 40
    assert all(len(one.facts) == 6 for one in every)
    assert sum(is_follow_up(one.question) for one in every) >= len(every) - 1


@pytest.mark.parametrize(
    ("table", "model", "first", "recalled"),
    [
        (ENGLISH, DEFAULT_MODEL, {"context": 0.75, "rewrite": 0.75}, 0.75),
        (CHINESE, MULTILINGUAL_MODEL, {"context": 0.8, "rewrite": 0.8}, 0.85),
    ],
    ids=["English", "Chinese"],
)
def test_what_was_asked_before_brings_the_right_fact_to_the_top(
    table: Sequence[FollowUp], model: str, first: dict[str, float], recalled: float
) -> None:
    shares = shares_of(table, model)
    assert shares["context"].first >= shares["bare"].first + 0.25
    for way, bound in first.items():
        assert shares[way].first >= bound, way
        assert shares[way].recalled >= max(recalled, shares["bare"].recalled + 0.5), way


@pytest.mark.parametrize(
    ("table", "model"),
    [(HELD_OUT_ENGLISH, DEFAULT_MODEL), (HELD_OUT_CHINESE, MULTILINGUAL_MODEL)],
    ids=["English", "Chinese"],
)
def test_of_follow_up_questions_that_no_rule_was_made_with_more_recall_their_fact(
    table: Sequence[FollowUp], model: str
) -> None:
    shares = shares_of(table, model)
    for way in ("context", "rewrite"):
        assert shares[way].recalled >= shares["bare"].recalled + 0.25, way
