"""A summary is made of the text's own sentences and says little twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.sentences import sentences
from memory_bank.text.summary import central_sentence, summarise

MILL = (
    "Beacon Mill is a smock mill near Benenden. The smock mill at Benenden was built in 1772 by Humphrey. "
    "It rained on Tuesday. Beacon Mill, the smock mill near Benenden, last worked in 1955. "
    "A smock mill turns its cap into the wind. Its miller kept bees."
)


def flat(text: str) -> str:
    return " ".join(text.split())


def own_sentences(text: str) -> list[str]:
    return [flat(span.of(text)) for span in sentences(text)]


def test_a_short_text_is_kept_whole_a_sentence_a_line() -> None:
    assert summarise(MILL, 1000) == "\n".join(own_sentences(MILL))


def test_the_order_is_that_of_the_text() -> None:
    lines = summarise(MILL, 250).splitlines()
    places = [MILL.index(line) for line in lines]
    assert len(lines) >= 2
    assert places == sorted(places)


def test_what_the_text_is_about_comes_before_what_it_says_in_passing() -> None:
    assert "rained" not in summarise(MILL, 160)
    assert "Beacon Mill" in summarise(MILL, 100)


def test_a_sentence_that_states_something_checkable_is_preferred() -> None:
    text = " ".join(f"The mill has a wheel that turns slowly, number {word}." for word in ("one", "two", "three"))
    favoured = text.rindex("The mill")
    assert summarise(text, 60) == own_sentences(text)[0]
    assert summarise(text, 60, {favoured}) == own_sentences(text)[2]


def test_what_was_said_already_is_not_said_again() -> None:
    again = "The dam of Aswan was finished in 1970 after ten years."
    text = f"{again} {again} The lake behind the dam of Aswan drowned many villages. {again}"
    assert summarise(text, 130).splitlines() == [again, "The lake behind the dam of Aswan drowned many villages."]
    assert summarise(text, 1000).splitlines().count(again) == 1


def test_headings_are_left_out_unless_there_is_nothing_else() -> None:
    text = "# The mills of Kent\n\nBeacon Mill was built in 1772.\n\n## Later\n\nIt burnt down in 1955."
    assert summarise(text, 1000) == "Beacon Mill was built in 1772.\nIt burnt down in 1955."
    assert summarise("# The mills of Kent", 1000) == "# The mills of Kent"


def test_a_sentence_over_the_bound_stands_alone() -> None:
    long = f"The mill {'and the wheel ' * 20}turned."
    assert summarise(f"{long} It stopped in 1955.", 50) in (long, "It stopped in 1955.")
    assert summarise(long, 50) == long


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_is_summed_up_as_nothing(text: str) -> None:
    assert summarise(text, 100) == ""
    assert central_sentence(text) == ""


def test_the_central_sentence_is_the_one_most_like_the_others() -> None:
    assert "Beacon Mill" in central_sentence(MILL)
    assert central_sentence("Only this one. ") == "Only this one."
    assert central_sentence("# A heading\n\nThe dam is tall.") == "The dam is tall."


def test_chinese_sentences_are_told_apart() -> None:
    text = "武汉长江大桥于1957年建成。它全长1670米。大桥上有公路和铁路。"
    assert summarise(text, 1000).splitlines() == own_sentences(text)
    assert len(own_sentences(text)) == 3


PIECES = st.sampled_from(
    [
        "The dam was finished in 1970.",
        "It is 111 m high!",
        "Sheep",
        "graze,",
        "\n\n",
        "# Head\n",
        "大坝很高。",
        "and",
        "Why?",
    ]
)


@given(st.lists(PIECES, max_size=40).map(" ".join), st.integers(20, 400))
def test_it_holds_sentences_of_the_text_alone_and_keeps_its_bound(text: str, bound: int) -> None:
    summary = summarise(text, bound)
    lines = summary.splitlines()
    own = own_sentences(text)
    assert all(line in own for line in lines)
    assert len(summary) <= bound or len(lines) == 1
    assert bool(lines) == bool(own)


@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_the_central_sentence_is_one_of_the_text(text: str) -> None:
    assert central_sentence(text) in {*own_sentences(text), flat(text)}
