"""Key phrases are words of the text that tell it from the others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.keywords import MAX_KEYWORDS, keywords_of
from memory_bank.text.tokens import words

MILL = (
    "Beacon Mill is a smock mill near Benenden. The smock mill was built by Humphrey in 1772. "
    "Its sails were tied in 1951. A smock mill turns only its cap into the wind."
)
DAM = "The Aswan High Dam holds back the Nile. Its reservoir is Lake Nasser. The reservoir feeds cotton fields."
BRIDGE = "武汉长江大桥于1957年建成。武汉长江大桥全长1670米。我们可以从大桥上看到一个公园。"


def in_one_piece(phrase: str, text: str) -> bool:
    """Whether the phrase's words follow each other in the text."""
    wanted, run = words(phrase), words(text)
    return any(run[start : start + len(wanted)] == wanted for start in range(len(run)))


@pytest.mark.parametrize("text", [MILL, DAM, BRIDGE])
def test_phrases_are_runs_of_words_of_their_text(text: str) -> None:
    for found, of in zip(keywords_of([MILL, DAM, BRIDGE]), (MILL, DAM, BRIDGE), strict=True):
        assert 1 < len(found) <= MAX_KEYWORDS
        assert all(in_one_piece(phrase, of) for phrase in found)


def test_what_a_text_is_about_is_among_its_phrases() -> None:
    mill, dam, bridge = keywords_of([MILL, DAM, BRIDGE])
    assert "smock mill" in mill
    assert "aswan high dam" in dam
    assert "武汉长江大桥" in bridge


def test_what_every_text_says_comes_after_what_only_one_says() -> None:
    texts = [
        f"The annual report of the county. It says that {thing}, {thing} and {thing} were sold."
        for thing in ("wool", "coal")
    ]
    for found, thing in zip(keywords_of(texts), ("wool", "coal"), strict=True):
        assert thing in found[0]


@pytest.mark.parametrize("noun", ["mill", "fire", "system", "bill", "mine"])
def test_a_noun_that_lists_of_stop_words_hold_can_be_what_a_text_is_about(noun: str) -> None:
    assert noun in keywords_of([f"The {noun}. A {noun}! This {noun}?"])[0]


def test_no_phrase_reaches_over_the_end_of_a_sentence() -> None:
    text = "They crossed the river. Farmers sold apples. They saw the river. Farmers sold pears."
    assert not any("river farmers" in phrase for phrase in keywords_of([text])[0])


@pytest.mark.parametrize("stop_word", ["the", "was", "我们", "一个"])
def test_no_phrase_begins_or_ends_with_a_stop_word(stop_word: str) -> None:
    for found in keywords_of([MILL, DAM, BRIDGE]):
        assert not any(phrase.startswith(stop_word) and not phrase.startswith(f"{stop_word}s") for phrase in found)
        assert not any(stop_word in phrase.split() for phrase in found)


def test_chinese_is_written_without_spaces() -> None:
    found = keywords_of(["长江大桥很高。长江大桥很长。桥梁工程师设计桥梁工程。"])[0]
    assert found
    assert not any(" " in phrase for phrase in found)


@pytest.mark.parametrize("text", ["", " \n", "the of and", "1970 12 3", "!?"])
def test_a_text_without_a_word_of_its_own_has_none(text: str) -> None:
    assert keywords_of([text]) == [()]
    assert keywords_of([text, MILL])[0] == ()


def test_no_text_no_answer() -> None:
    assert keywords_of([]) == []


PIECES = st.sampled_from(
    [
        "Beacon Mill",
        "smock mill",
        "mill",
        "of",
        "the",
        "Nile",
        "in 1970",
        ". ",
        ", ",
        "长江大桥",
        "大桥",
        "建成",
        "。",
        "\n",
    ]
)


@given(st.lists(st.lists(PIECES, max_size=25).map(" ".join), max_size=4))
def test_none_repeats_a_part_of_another(texts: list[str]) -> None:
    for found, text in zip(keywords_of(texts), texts, strict=True):
        assert len(found) == len(set(found)) <= MAX_KEYWORDS
        for phrase in found:
            assert in_one_piece(phrase, text)
            others = [other for other in found if other != phrase]
            assert not any(f" {phrase} " in f" {other} " for other in others)
            assert phrase.isascii() or not any(phrase in other for other in others)


@given(st.lists(st.lists(PIECES, max_size=25).map(" ".join), max_size=4))
def test_the_same_texts_have_the_same_phrases(texts: list[str]) -> None:
    assert keywords_of(texts) == keywords_of(list(texts))
