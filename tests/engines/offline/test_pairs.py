"""No false alarm on what only looks like a conflict, and none missed of those that are: over the real steps."""

from __future__ import annotations

import pytest

from memory_bank.agents.structure import StructureInput
from memory_bank.engines.offline.contradiction.comparison import DocumentClaims, compare_documents, document_claims
from memory_bank.engines.offline.contradiction.entailment import statement_contradictions
from memory_bank.engines.offline.structure import structure
from memory_bank.evaluation.conflicts import Pair as FilePair
from memory_bank.evaluation.conflicts import contradiction
from memory_bank.session import Parts
from memory_bank.settings import Settings
from tests.engines.offline.contradicting_pairs import DISAGREEING, ONE_TEXT_AT_ODDS
from tests.engines.offline.harmless_pairs import LOOK_ALIKE, ONE_TEXT_AT_PEACE
from tests.engines.offline.pairs import CONTRADICTING, HARMLESS, Pair

SETTINGS = Settings(embedding_model="hash")


def document(text: str, topic: str) -> DocumentClaims:
    """A text as Structure hands it on."""
    found = structure(StructureInput(content=text, context="", keywords=()))
    return document_claims([claim.text for claim in found.claims], topic)


def by_name(pair: Pair) -> str:
    return pair.name


def test_there_are_enough_pairs_and_no_two_are_the_same() -> None:
    assert len(LOOK_ALIKE) >= 100
    assert len(DISAGREEING) >= 100
    texts = [(pair.a, pair.b) for pair in (*LOOK_ALIKE, *DISAGREEING, *HARMLESS, *CONTRADICTING)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("pair", [*LOOK_ALIKE, *HARMLESS], ids=by_name)
def test_what_only_looks_like_a_conflict_is_none(pair: Pair) -> None:
    a, b = document(pair.a, pair.topic_a), document(pair.b, pair.topic_b)
    for one, other in ((a, b), (b, a)):
        assert compare_documents(one, other) == []
        assert statement_contradictions(one, other) == []


@pytest.mark.parametrize("pair", DISAGREEING, ids=by_name)
def test_a_conflict_is_found_whichever_text_comes_first(pair: Pair) -> None:
    a, b = document(pair.a, pair.topic_a), document(pair.b, pair.topic_b)
    assert compare_documents(a, b)
    assert compare_documents(b, a)


@pytest.mark.parametrize("pair", ONE_TEXT_AT_PEACE, ids=by_name)
def test_a_text_that_agrees_with_itself_has_no_conflict_inside(pair: Pair) -> None:
    whole = document(pair.a, pair.topic_a)
    assert compare_documents(whole, whole) == []


@pytest.mark.parametrize("pair", ONE_TEXT_AT_ODDS, ids=by_name)
def test_a_conflict_inside_one_text_is_found(pair: Pair) -> None:
    whole = document(pair.a, pair.topic_a)
    assert compare_documents(whole, whole)


@pytest.mark.parametrize("pair", [*LOOK_ALIKE, *DISAGREEING], ids=by_name)
def test_neither_text_of_a_pair_contradicts_itself_or_its_copy(pair: Pair) -> None:
    for text, topic in ((pair.a, pair.topic_a), (pair.b, pair.topic_b)):
        assert compare_documents(document(text, topic), document(text, topic)) == []
        whole = document(text, topic)
        assert compare_documents(whole, whole) == []


UNTITLED = [pair for pair in (*LOOK_ALIKE, *DISAGREEING) if not (pair.topic_a or pair.topic_b)]


@pytest.mark.parametrize("pair", UNTITLED[::12], ids=by_name)
def test_a_whole_session_opens_the_same_conflicts(pair: Pair) -> None:
    given = FilePair(id=pair.name, text_a=pair.a, text_b=pair.b, label="contradict")
    found = contradiction(given, SETTINGS, Parts.standard(SETTINGS))
    assert (found is not None) is (pair in DISAGREEING)
