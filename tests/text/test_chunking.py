"""Chunking: joined chunks are the text, each fits, and cuts fall at the best place there is."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.chunking import chunk
from memory_bank.text.sentences import inside_word


def count_words(text: str) -> int:
    return len(text.split())


def count_signs(text: str) -> int:
    """Like a WordPiece tokenizer: exactly additive over words."""
    return len(re.findall(r"\w{1,5}|[^\w\s]", text))


def count_with_marks(text: str) -> int:
    """Like a tokenizer that adds two special tokens and merges across words: not additive."""
    return len(text) // 4 + 2


COUNTERS = st.sampled_from([len, count_words, count_signs, count_with_marks])
TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(["word ", "Dr. ", "End. ", "\n", "\n\n", "中文。", "long" * 12, "# H\n\n", "  "]), max_size=80
    ).map("".join),
)


def pieces(text: str, size: int, count: Callable[[str], int], boundaries: tuple[int, ...] = ()) -> list[str]:
    return [span.of(text) for span in chunk(text, size, count, boundaries)]


@given(TEXTS, st.integers(3, 60), COUNTERS, st.lists(st.integers(-5, 500), max_size=5))
def test_joined_chunks_are_the_text_and_each_fits(
    text: str, size: int, count: Callable[[str], int], boundaries: list[int]
) -> None:
    spans = chunk(text, size, count, boundaries)
    assert "".join(span.of(text) for span in spans) == text
    assert all(span.start < span.end for span in spans)
    assert all(count(span.of(text)) <= size for span in spans)


@given(TEXTS, st.integers(3, 60), COUNTERS)
def test_only_a_word_larger_than_a_chunk_is_cut_inside(text: str, size: int, count: Callable[[str], int]) -> None:
    words = {place: match for match in re.finditer(r"\S+", text) for place in range(match.start() + 1, match.end())}
    for span in chunk(text, size, count):
        if inside_word(text, span.start):
            assert count(words[span.start].group()) > size


def test_empty_text_has_no_chunk_and_short_text_is_one() -> None:
    assert chunk("", 10, len) == []
    assert pieces("A short text.\n", 100, len) == ["A short text.\n"]
    assert pieces(" \n ", 100, count_words) == [" \n "]


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_that_is_not_positive_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        chunk("text", size, len)


def test_cuts_fall_where_sections_begin() -> None:
    sections = [f"# Section {n}\n\n" + "One fine day. " * 3 + "\n\n" + "Two days. " * 3 + "\n\n" for n in range(4)]
    text = "".join(sections)
    starts = tuple(text.index(section) for section in sections)
    size = count_words(sections[0]) + count_words(sections[0]) // 2
    assert pieces(text, size, count_words, starts) == sections


def test_a_section_that_fits_is_not_broken_to_fill_the_chunk_before_it() -> None:
    short, long = "# A\n\nOne two three.\n\n", "# B\n\n" + "One two three four five. " * 5 + "\n\n" + "End of it.\n\n"
    text = short + long + long
    starts = (0, len(short), len(short) + len(long))
    assert pieces(text, count_words(long), count_words, starts) == [short, long, long]


def test_without_sections_cuts_fall_at_paragraphs_then_sentences_then_words() -> None:
    paragraph = "The first one is here. The second one is there. The third is gone.\n\n"
    assert pieces(paragraph * 3, 15, count_words) == [paragraph] * 3
    assert pieces(paragraph, 10, count_words) == [
        "The first one is here. The second one is there. ",
        "The third is gone.\n\n",
    ]
    assert pieces("one two three four five", 2, count_words) == ["one two ", "three four ", "five"]


def test_a_heading_is_not_parted_from_what_it_stands_above() -> None:
    before, heading, body = "Word " * 10 + "\n\n", "# Heading\n\n", "Some sentence of six words here. " * 3 + "\n\n"
    text = before + heading + body
    chunks = pieces(text, 20, count_words, (len(before),))
    assert chunks[0] == before
    assert chunks[1] == heading + body


def test_a_small_paragraph_before_one_too_large_does_not_stay_alone() -> None:
    text = "A line.\n\n" + "It was a fine day. " * 20
    assert pieces(text, 22, count_words)[0] == "A line.\n\n" + "It was a fine day. " * 4


def test_chinese_is_cut_at_sentences_then_clauses() -> None:
    text = "今天天气很好，我们去公园。" * 4
    assert pieces(text, 26, len) == ["今天天气很好，我们去公园。" * 2] * 2
    assert pieces(text[:13], 8, len) == ["今天天气很好，", "我们去公园。"]


def test_a_word_larger_than_a_chunk_is_cut_in_even_parts() -> None:
    assert pieces("x" * 25 + " end", 10, len) == ["x" * 9, "x" * 9, "x" * 7 + " ", "end"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["It was a fine day there.\n\n", "It was a fine day there. ", "word ", "x", "好。", "\n "]
)
@pytest.mark.parametrize("size", [200, 28_800])
def test_what_is_counted_is_in_proportion_to_the_text(unit: str, size: int) -> None:
    text = (unit * 500_000)[:500_000]
    seen = 0

    def count(piece: str) -> int:
        nonlocal seen
        seen += len(piece)
        return len(piece)

    chunk(text, size, count)
    assert seen <= 5 * len(text)
