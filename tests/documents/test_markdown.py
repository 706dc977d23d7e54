"""Markdown: its headings, and its HTML as who reads the rendered page sees it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.markdown import markdown_headings, read_markdown, without_html


@given(st.lists(st.sampled_from(["# a", "## b ##", "===", "---", "```", "~~~", "text", "- x", "", "    # c", ">q"])))
def test_markdown_headings_are_in_order_and_do_not_overlap(lines: list[str]) -> None:
    document = read_markdown("\n".join(lines).encode() or b"x", "a.md")
    end = 0
    for heading in document.headings:
        assert end <= heading.start < heading.end <= len(document.text)
        assert heading.title in document.text[heading.start : heading.end]
        end = heading.end


@pytest.mark.parametrize("text", ["a\rb\r\rc\n# x", "a\r\n\r\n# x\r\nb", "# x\r"])
def test_a_heading_stands_where_it_does_whatever_ends_a_line(text: str) -> None:
    (heading,) = markdown_headings(text)
    assert text[heading.start : heading.end] == "# x"
    assert without_html(text) == text


def test_a_paragraph_above_a_line_of_dashes_is_no_heading() -> None:
    assert read_markdown(b"The mill is old.\nIt grinds wheat.\n---\nIt is shut.\n", "a.md").headings == ()


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


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The <b>hall</b> opens at nine. <br>\nIt closes at five.", "The hall opens at nine. \nIt closes at five."),
        ('<div style="margin: 20px">\n    Ida is the daughter of Karl.\n</div>', "Ida is the daughter of Karl."),
        ("Open.\n<!-- Closed\n\non Mondays. -->\nCome in.", "Open.\n\nCome in."),
        ("The arrow <!-- begins so.\n\nIt is open.", "The arrow <!-- begins so.\n\nIt is open."),
        ("Open.<script>say('Closed.')</script>", "Open."),
        ("  <style>p { color: red }</style>\n\nOpen.", "Open."),
        ('Look <img alt="5 > 3" src="x.png">here.', "Look here."),
        ('<h1 align="center">\n  <img src="owl.png">\n  Owl\n</h1>\n\nIt flies.', "# Owl\n\nIt flies."),
        ('<h1><img src="owl.png"></h1>\n\nIt flies.', "It flies."),
        ("# Project<br>Owl\n\nIt flies.", "# Project Owl\n\nIt flies."),
        ("<ul><li>Boots</li><li>A map</li></ul>", "- Boots\n- A map"),
        ("<table><tr><td>Adults</td><td>£4</td></tr></table>", "| Adults | £4"),
        ("| Day | Hours |\n|---|---|\n| Mon<br>Tue | <b>9</b> |", "| Day | Hours |\n|---|---|\n| Mon Tue | 9 |"),
        ("---\ntitle: <b>A</b>\n---\n<i>Open.</i>", "---\ntitle: <b>A</b>\n---\nOpen."),
        ('- <input type="checkbox"> Buy <b>milk</b>', "-  Buy milk"),
    ],
)
def test_html_is_read_as_the_page_shows_it(written: str, read: str) -> None:
    assert re.sub("\n{3,}", "\n\n", without_html(written)).strip() == read


@pytest.mark.parametrize(
    "text",
    [
        "Use `<b>` and `` a ` <br> b `` for bold.",
        "```\n<p>code</p>\n```\n",
        "1. Step\n\n    ```html\n    <div>\n    ```\n",
        "> ```\n> <p>x</p>\n> ```\n",
        "Code:\n\n    <div>code</div>\n",
        "Less is <5 mm, <ann@x.org>, Vec<String>, \\<b>.",
    ],
)
def test_code_and_what_is_no_html_is_kept(text: str) -> None:
    assert without_html(text) == text


@pytest.mark.parametrize("piece", ["<!--", "<a ", "<b", "<script ", "`a ", "~~~\n", "<td>", " ", "<p a='"])
def test_unclosed_html_is_read_at_any_length(piece: str) -> None:
    assert "\0" not in read_markdown((piece * 20_000).encode() + b"<b>x", "a.md").text
