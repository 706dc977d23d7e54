"""Two sentences laid side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.engines.offline.contradiction.alignment import Alignment, align
from memory_bank.engines.offline.language.tokens import tokenise


def aligned(a: str, b: str) -> Alignment | None:
    return align(tokenise(a)[0], tokenise(b)[0])


def test_typography_is_no_difference() -> None:
    found = aligned(
        "Built ( 1869 ) by “John Parrish” , [ 1 ] a millwright .", "Built (1869) by John Parrish, a millwright."
    )
    assert found is not None
    assert found.gaps == ()
    assert found.parallel == 1.0


def test_a_cropped_sentence_differs_only_at_the_edges() -> None:
    found = aligned("the mill was built in 1869 for the", "In Kent the mill was built in 1869 for the Reed family.")
    assert found is not None
    assert {gap.edge for gap in found.gaps} == {"head", "tail"}
    assert found.parallel == 1.0


def test_differing_numbers_line_up() -> None:
    found = aligned("The mill was built in 1869 in oak.", "The mill was built in 1905 in oak.")
    assert found is not None
    assert found.gaps == ()


def test_a_changed_word_is_a_gap() -> None:
    found = aligned("The upper mill is made of brick.", "The upper mill is made of oak.")
    assert found is not None
    assert [(gap.i1, gap.i2, gap.j1, gap.j2) for gap in found.gaps] == [(6, 7, 6, 7)]


def test_nothing_in_common() -> None:
    assert aligned("The mill is old.", "A ship sails.") is None


WORDS = st.lists(
    st.sampled_from("the mill was built in 1869 1905 Kent oak by John Parrish , . of".split()), max_size=12
)


@given(WORDS, WORDS)
def test_blocks_and_gaps_cover_both_sentences_once(first: list[str], second: list[str]) -> None:
    a, b = tokenise(" ".join(first))[0], tokenise(" ".join(second))[0]
    found = align(a, b)
    if found is None:
        return
    covered_a = [i for block in found.blocks for i in range(block.i, block.i + block.size)]
    covered_a += [i for gap in found.gaps for i in range(gap.i1, gap.i2)]
    covered_b = [j for block in found.blocks for j in range(block.j, block.j + block.size)]
    covered_b += [j for gap in found.gaps for j in range(gap.j1, gap.j2)]
    assert sorted(covered_a) == list(range(len(a)))
    assert sorted(covered_b) == list(range(len(b)))
    assert 0.0 <= found.parallel <= 1.0
