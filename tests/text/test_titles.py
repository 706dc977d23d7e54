"""Titles in running text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.titles import MOST_NAMESAKES, TitleIndex, contains_title, title_words
from memory_bank.text.tokens import words


def index(*titles: str) -> TitleIndex:
    made = TitleIndex()
    for number, title in enumerate(titles, start=1):
        made.add(f"e{number}", title)
    return made


def found(titles: TitleIndex, text: str) -> list[tuple[str, ...]]:
    return [mention.page_ids for mention in titles.mentions(words(text))]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Old Mill", "They met at the old mill in spring."),
        ("Old Mill (Kent)", "They met at the Old Mill in spring."),  # what stands in brackets tells namesakes apart
        ("Zoë Häuser", "It was drawn by Zoe Hauser."),  # accents
        ("Miller's Field", "The Miller's Field was sold."),
        ("长江", "长江流经武汉。"),
        ("石门磨坊", "沿着石门磨坊旧路走三里。"),
        ("顾明川", "由顾明川设计的桥"),  # a name that no dictionary has
        ("生于", "他出生于白水镇"),  # cut otherwise in a text than by itself
    ],
)
def test_a_title_is_found_however_it_is_written(title: str, text: str) -> None:
    assert found(index(title), text) == [("e1",)]


@pytest.mark.parametrize("title", ["", "The", "(2)", "of it", "A1", "河"])
def test_a_title_that_tells_nothing_is_never_found(title: str) -> None:
    assert found(index(title), f"The one of it (2) {title} A1") == []


def test_the_longest_title_counts_and_none_inside_it() -> None:
    titles = index("Old Mill", "Mill", "Old Mill Lane")
    assert found(titles, "From Old Mill Lane to the old mill, and a mill.") == [("e3",), ("e1",), ("e2",)]


def test_namesakes_are_found_together_until_there_are_too_many_to_tell_apart() -> None:
    titles = index(*["Old Mill"] * MOST_NAMESAKES)
    assert [len(page_ids) for page_ids in found(titles, "the old mill")] == [MOST_NAMESAKES]
    titles.add("e99", "Old Mill")
    assert found(titles, "the old mill") == []


def test_a_mention_says_where_its_words_are() -> None:
    (mention,) = index("Old Mill").mentions(words("They met at the Old Mill."))
    assert (mention.start, mention.end) == (4, 6)


def test_a_mention_in_chinese_covers_the_words_that_it_touches() -> None:
    text = words("他走过石门磨坊。")
    (mention,) = index("石门磨坊").mentions(text)
    assert "".join(text[mention.start : mention.end]) == "石门磨坊"


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [("the old mill", "Old Mill", True), ("the mill, old", "Old Mill", False), ("mill", "Old Mill", False)],
)
def test_a_text_names_a_title_by_its_words_in_a_row(text: str, title: str, *, expected: bool) -> None:
    assert contains_title(words(text), title_words(title)) is expected


def test_nothing_names_an_empty_title() -> None:
    assert not contains_title(words("the old mill"), title_words(""))


@given(st.lists(st.text("abc ", max_size=8), max_size=6), st.text("abc ", max_size=40))
def test_mentions_never_overlap_and_their_words_are_a_title(titles: list[str], text: str) -> None:
    made, said = index(*titles), words(text)
    mentions = made.mentions(said)
    assert all(one.end <= other.start for one, other in pairwise(mentions))
    for mention in mentions:
        bearing = [title_words(titles[int(page_id[1:]) - 1]) for page_id in mention.page_ids]
        assert set(bearing) == {tuple(said[mention.start : mention.end])}
