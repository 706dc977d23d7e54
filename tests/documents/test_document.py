"""Document: pages found by offset, titles that a person gave."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.document import Document, Heading, Page, TextBuilder, choose_title


def test_page_at_finds_the_page_of_each_character() -> None:
    document = Document("d", "ab\n\n\n\ncd", "application/pdf", (Page(1, 0, 4), Page(2, 4, 6), Page(3, 6, 8)))
    assert [document.page_at(offset) for offset in range(8)] == [1, 1, 1, 1, 2, 2, 3, 3]
    assert document.page_at(8) is None
    assert document.page_at(-1) is None


def test_a_text_without_pages_has_no_page_at_any_offset() -> None:
    assert Document("d", "text", "text/plain").page_at(2) is None


BLOCKS = st.lists(st.tuples(st.sampled_from(["heading", "text", "item"]), st.text(min_size=1, max_size=20)))


@given(BLOCKS)
def test_headings_of_a_built_text_lie_where_they_say(blocks: list[tuple[str, str]]) -> None:
    builder = TextBuilder()
    for kind, block in blocks:
        if kind == "heading":
            builder.add_heading(block)
        else:
            builder.add(block, kind if kind == "item" else "")
    document = builder.document("d", "text/plain")
    text, headings = document.text, document.headings
    assert [heading.title for heading in headings] == [text[h.start : h.end] for h in headings]
    assert len(headings) == sum(kind == "heading" for kind, _ in blocks)


def test_blocks_of_a_series_follow_line_by_line() -> None:
    builder = TextBuilder()
    for block, series in (("p", ""), ("- a", "item"), ("- b", "item"), ("x | y", "row"), ("q", "")):
        builder.add(block, series)
    assert builder.document("d", "text/plain").text == "p\n\n- a\n- b\n\nx | y\n\nq"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("A Study of Rivers", "A Study of Rivers"),
        ("  Spread \n over lines ", "Spread over lines"),
        ("Microsoft Word - report.docx", "First"),
        ("paper_final.pdf", "First"),
        ("Untitled-1", "First"),
        ("Word Document", "First"),
        ("1234", "First"),
        ("x" * 400, "First"),
        ("", "First"),
        (None, "First"),
        ("elternbrief.html", "First"),
        ("minutes.md", "First"),
    ],
)
def test_a_title_no_person_gave_is_not_taken(metadata: str | None, expected: str) -> None:
    assert choose_title(metadata, [Heading(0, 5, "First")]) == expected


def test_without_title_and_heading_there_is_none() -> None:
    assert choose_title(None, []) is None
