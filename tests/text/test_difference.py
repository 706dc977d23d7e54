"""The words in which two statements differ."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.difference import difference


@pytest.mark.parametrize(
    ("first", "second", "differing"),
    [
        ("Completed in 1968.", "Completed in 1970.", (["1968"], ["1970"])),
        ("It is 6,650 km long.", "It is 6,853 km long.", (["6,650"], ["6,853"])),
        ("It opens on 1 October 2024.", "It opens on 3 November 2024.", (["1 October 2024"], ["3 November 2024"])),
        ("It opens on 1 October 2024.", "It opens on 3 October 2024.", (["1 October 2024"], ["3 October 2024"])),
        ("2024年10月1日开放。", "2024年11月3日开放。", (["2024年10月1日"], ["2024年11月3日"])),
        ("Check in from 15:00.", "Check in from 14:00.", (["15:00"], ["14:00"])),
        ("The same.", "The same.", ([], [])),
        ("The  same.", "The same.", ([], [])),
        ("尼罗河长6650公里。", "尼罗河长6853公里。", (["6650"], ["6853"])),
        ("大坝于春天建成。", "大坝于秋天建成。", (["春"], ["秋"])),
        ("", "Something.", ([], ["Something."])),
        ("The dam is high.", "The dam is very high.", ([], ["very "])),
    ],
)
def test_the_words_that_differ_are_told_apart(first: str, second: str, differing: tuple[list[str], list[str]]) -> None:
    sides = difference(first, second)
    assert tuple([text for text, differs in side if differs] for side in sides) == differing


@given(st.text(), st.text())
def test_the_pieces_joined_are_the_texts(first: str, second: str) -> None:
    left, right = difference(first, second)
    assert "".join(text for text, _ in left) == first
    assert "".join(text for text, _ in right) == second


@given(st.text(min_size=1))
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert difference(text, text) == (((text, False),), ((text, False),))


LONG = " ".join(f"Room {number} is {number} m wide." for number in range(300))


def test_long_texts_are_compared_by_sentences() -> None:
    left, right = difference(f"{LONG} It was 1968.", f"{LONG} It was  1970.".replace("Room 7 ", "Hall 7 "))
    assert [text for text, differs in left if differs] == ["Room 7 is 7 m wide.", "It was 1968."]
    assert [text for text, differs in right if differs] == ["Hall 7 is 7 m wide.", "It was  1970."]


@pytest.mark.parametrize("words", ["a ", "a b ", "a. ", "It was 1970. ", "大坝", "ab\n", ". ", "[1] "])
@pytest.mark.parametrize("characters", [300, 1_000, 10_000])
def test_texts_that_repeat_themselves_are_compared_quickly(words: str, characters: int) -> None:
    first = (words * characters)[:characters]
    second = (f"{words}b " * characters)[:characters]
    began = time.process_time()
    left, right = difference(first, second)
    assert time.process_time() - began < 0.1
    assert ("".join(text for text, _ in left), "".join(text for text, _ in right)) == (first, second)


def test_long_texts_that_are_the_same_do_not_differ() -> None:
    assert difference("a " * 5_000, "a " * 5_000) == ((("a " * 5_000, False),),) * 2
