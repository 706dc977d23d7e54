"""Structure without a model: the summary is of the cluster's own sentences, and claims are exact spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.structure import StructureInput, StructureOutput
from memory_bank.engines.offline.engine import structure
from memory_bank.engines.offline.integration import SUMMARY_CHARACTERS

NIGHTS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


def compress(content: str) -> StructureOutput:
    return structure(StructureInput(content=content, context="", keywords=()))


def test_every_statement_is_a_claim_and_a_question_is_not() -> None:
    output = compress(
        "Beacon Mill was built in 1772. It is 12 m tall.\n\nWas it ever used? "
        "The mill has no sails today. Humphrey built the mill."
    )
    assert [claim.text for claim in output.claims] == [
        "Beacon Mill was built in 1772.",
        "It is 12 m tall.",
        "The mill has no sails today.",
        "Humphrey built the mill.",
    ]


def test_where_room_is_short_the_summary_prefers_claims() -> None:
    padding = " ".join(f"One may well linger by the mill pond, quietly, on the {word}." for word in NIGHTS)
    output = compress(f"{padding} The mill was built in 1772.")
    assert "The mill was built in 1772." in output.summary


@pytest.mark.parametrize("content", ["", " \n"])
def test_blank_content_has_no_summary_and_no_claims(content: str) -> None:
    assert compress(content) == StructureOutput(summary="", claims=())


PIECES = st.sampled_from(
    [
        "The dam was finished in 1970.",
        "It is 111 m high, is it?",
        "  ",
        "\n\n",
        "| height | 111 m |\n",
        "坝高111米。",
        "Sheep",
    ]
)


@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_claims_are_exact_spans_in_order_without_overlap(content: str) -> None:
    output = compress(content)
    end = 0
    for claim in output.claims:
        assert content[claim.start : claim.end] == claim.text == claim.text.strip()
        assert claim.start >= end
        end = claim.end
    assert len(output.summary) <= SUMMARY_CHARACTERS or "\n" not in output.summary
