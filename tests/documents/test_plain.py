"""Plain text, Markdown and code: kept exactly, headings found where Markdown has them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents import Document
from memory_bank.documents.formats import suffix_of
from memory_bank.documents.plain import read_markdown, read_plain

Read = Callable[[bytes | str, str], Document]
CLEAN_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), min_size=1).filter(
    lambda text: not text.startswith("\ufeff")
)


@given(CLEAN_TEXT)
def test_text_markdown_and_code_are_kept_exactly(text: str) -> None:
    for read, name in ((read_plain, "a.txt"), (read_plain, "a.py"), (read_markdown, "a.md")):
        document = read(text.encode(), name)
        assert document.text == text
        assert document.pages == ()


@given(st.lists(st.sampled_from(["# a", "## b ##", "===", "---", "```", "~~~", "text", "- x", "", "    # c", ">q"])))
def test_markdown_headings_are_in_order_and_do_not_overlap(lines: list[str]) -> None:
    document = read_markdown("\n".join(lines).encode() or b"x", "a.md")
    end = 0
    for heading in document.headings:
        assert end <= heading.start < heading.end <= len(document.text)
        assert heading.title in document.text[heading.start : heading.end]
        end = heading.end


def test_markdown_headings() -> None:
    text = "# One #\ntext\n\nTwo words\n===\n\nThree\n---\n\n###### Six\n####### no\n#no\n"
    headings = read_markdown(text.encode(), "a.md").headings
    assert [h.title for h in headings] == ["One", "Two words", "Three", "Six"]
    assert [text[h.start : h.end] for h in headings] == ["# One #", "Two words\n===", "Three\n---", "###### Six"]


def test_what_looks_like_a_heading_in_code_or_lists_is_none() -> None:
    text = "```sh\n# comment\n```\n~~~\n```\n# no\n~~~\n- item\n---\n\n---\n    # indented\n"
    assert read_markdown(text.encode(), "a.md").headings == ()


def test_the_title_is_in_the_front_matter_or_the_first_heading() -> None:
    document = read_markdown(b"---\nauthor: A\ntitle: 'My Notes'\n---\n# Head\n", "a.md")
    assert document.title == "My Notes"
    assert read_markdown(b'+++\ntitle = "My Notes"\n+++\n# Head\n', "a.md").title == "My Notes"
    assert [heading.title for heading in document.headings] == ["Head"]
    assert read_markdown(b"text\n\n# Head\n", "a.md").title == "Head"
    assert read_plain(b"# Head\n", "a.txt").title is None


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.txt", "text/plain"),
        ("a.PY", "text/x-python"),
        ("x/y.rs", "text/x-rust"),
        ("noext", "text/plain"),
        ("a.unheard-of", "text/plain"),
        ("a.markdown", "text/markdown"),
    ],
)
def test_media_types(read: Read, name: str, media_type: str) -> None:
    assert read("let x = 1", name).media_type == media_type


def test_suffix_of() -> None:
    assert suffix_of("A.Tar.GZ") == ".gz"
    assert suffix_of("none") == ""
    assert suffix_of(".bashrc") == ""
