"""Asking a memory: what is found is cited, what is disputed or refuted is said, and the memory stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.asking import Asked, ask
from memory_bank.bank.answer import NO_ANSWER
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.transfer import export_layers
from memory_bank.events import ConflictDecided
from memory_bank.modules.hash_embedder import HashEmbedder
from tests.bank.story import MOVES, Move, Story
from tests.builders import make_verification
from tests.workbench import Workbench, workbench

WHEN = "When was the Aswan dam finished?"
FIRST, SECOND = "The Aswan dam was finished in 1970.", "The Aswan dam was finished in 1968."


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        made.begin()
        made.put("n1", "The river.", "The Nile is 6,650 km long.")
        made.put("n2", "The dam.", "It stands near the first cataract.", FIRST, page=4)
        yield made


def put(bench: Workbench, question: str) -> Asked:
    return ask(bench.bank, HashEmbedder(), question)


def test_an_answer_quotes_the_passage_and_says_where_it_stands(bench: Workbench) -> None:
    asked = put(bench, WHEN)
    (citation,) = asked.answer.citations
    passage = bench.bank.trees.entry(citation.entry_id).text[citation.start : citation.end]
    assert (passage, citation.source, citation.page) == (FIRST, "n2.txt", 4)
    assert asked.answer.text.startswith("1970: ")
    assert asked.answer.affirmed == asked.answer.text


def test_the_nodes_that_were_searched_are_named_best_first(bench: Workbench) -> None:
    assert [node.id for node in put(bench, WHEN).nodes] == ["n2", "n1"]
    assert [node.id for node in put(bench, "How long is the Nile?").nodes] == ["n1", "n2"]


def test_how_a_question_was_researched_is_kept(bench: Workbench) -> None:
    (research,) = put(bench, WHEN).research
    assert [page.id for page in research.pages] == ["e2", "e1"]
    assert (research.question, research.stopped) == (WHEN, "enough")
    assert research.rounds[0].requests == (WHEN,)


def test_what_memory_does_not_hold_is_not_answered(bench: Workbench) -> None:
    asked = put(bench, "Who composed the opera Turandot?")
    assert (asked.answer.text, asked.answer.citations) == (NO_ANSWER, ())
    assert asked.nodes, "what was looked through is said all the same"


def test_an_empty_memory_holds_no_answer() -> None:
    asked = ask(Bank(), HashEmbedder(), WHEN)
    assert (asked.answer.text, asked.nodes) == (NO_ANSWER, ())


@pytest.mark.parametrize(("verdict", "refuted"), [("first", SECOND), ("second", FIRST)])
def test_a_refuted_claim_is_left_out_and_named(bench: Workbench, verdict: Verdict, refuted: str) -> None:
    decide(bench, verdict)
    asked = put(bench, WHEN)
    assert refuted not in asked.answer.text
    assert [rejection.text for rejection in asked.answer.rejected] == [refuted]


def test_a_dispute_is_told_with_both_sides(bench: Workbench) -> None:
    decide(bench, "inconclusive")
    asked = put(bench, WHEN)
    (dispute,) = asked.answer.disputed
    assert FIRST in dispute.sides[0]
    assert SECOND in dispute.sides[1]
    assert asked.answer.affirmed == ""


def decide(bench: Workbench, verdict: Verdict) -> None:
    bench.put("n3", "The year.", SECOND)
    conflict_id = bench.open_conflict("n2", "n3", of=(1, 0))
    verification = make_verification(conflict_id, verdict)
    bench.recorder.record(ConflictDecided(verification=verification, decided_by="agent"))


def test_a_session_that_runs_still_finds_what_changed(bench: Workbench) -> None:
    """Its own indices follow the graph by the changes that nobody else may take."""
    put(bench, WHEN)
    assert next(hit.id for hit in bench.recall.retrieve("the dam")) == "n2"


@given(MOVES, st.text(max_size=40))
def test_no_question_changes_a_memory_and_every_citation_stands(moves: list[Move], question: str) -> None:
    bank = Story().play(moves).bank
    before = export_layers(bank)
    asked = ask(bank, HashEmbedder(), question)
    assert export_layers(bank) == before
    for citation in asked.answer.citations:
        assert bank.trees.entry(citation.entry_id).text[citation.start : citation.end].strip()
    assert {node.id for node in asked.nodes} <= {node.id for node in bank.query_graph}
