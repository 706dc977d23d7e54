"""Whether two texts are about the same thing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_bank.judgement.judge import shared_judge
from memory_bank.judgement.same_thing import same_thing
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.embedding import load_embedder

ONE_NAME = (
    "The Dell Open (golf) The Dell Open is a golf tournament on the Asian Tour. It was first played in 1959. The "
    "winner is given a green scarf by the captain of the Fanling club.",
    "The Dell Open (tennis) The Dell Open is a tennis event for women. It was held from 1987 to 2002 in Antwerp. All "
    "matches were played indoors, on carpet.",
)
EITHER = 0.5
A_COPY = (ONE_NAME[0], ONE_NAME[0].replace("1959", "1917"))


def read(text: str) -> Sequence[Statement]:
    return [placed.statement for placed in statements_of(text)]


def chance(texts: tuple[str, str]) -> float:
    return same_thing(read(texts[0]), read(texts[1]), load_embedder(), shared_judge())


def test_two_tournaments_of_one_name_are_told_from_two_texts_on_one() -> None:
    assert chance(ONE_NAME) < EITHER < chance(A_COPY)


@pytest.mark.parametrize("texts", [ONE_NAME, A_COPY])
def test_it_makes_no_difference_which_text_comes_first(texts: tuple[str, str]) -> None:
    assert chance(texts) == pytest.approx(chance(texts[::-1]))
