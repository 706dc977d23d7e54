"""The ranking of pages by their links."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.search.research.researcher import rank_pages
from tests.search.research.stories import STORY, library_of

PAGES = {
    "Ode Hall": "It was designed by Ada Lund in a year of long rain and little money. It was painted by Bo Falk.",
    "Ada Lund": "A person of many trades.",
    "Bo Falk": "A person of many trades, too.",
    "Cy Moe": "A person of no trade.",
}


def order(question: str, **found: float) -> list[str]:
    return rank_pages(library_of(PAGES), question, found)


def test_a_page_that_is_named_is_found_though_nothing_else_finds_it() -> None:
    assert set(order("Who designed Ode Hall?", e1=1.0)) == {"e1", "e2", "e3"}


def test_of_two_that_are_named_the_one_beside_the_words_of_the_question_comes_first() -> None:
    assert order("Which person designed Ode Hall?", e1=1.0)[1] == "e2"
    assert order("Which person painted Ode Hall?", e1=1.0)[1] == "e3"


def test_without_links_the_order_is_that_of_the_weights() -> None:
    assert order("A trade?", e4=0.2, e2=0.9) == ["e2", "e4"]


def test_nothing_found_is_no_order() -> None:
    assert order("Who?") == []


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.sampled_from([f"e{n}" for n in range(1, len(STORY) + 1)]), st.floats(0.01, 2), min_size=1),
    st.text(max_size=30),
)
def test_the_order_holds_every_page_found_once_and_is_always_the_same(found: dict[str, float], question: str) -> None:
    library = library_of(STORY)
    first = rank_pages(library, question, found)
    assert first == rank_pages(library_of(STORY), question, found)
    assert set(found) <= set(first)
    assert len(set(first)) == len(first)
