"""HTML: what a reader of the page sees, in order, and nothing else."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document
from memory_bank.documents.markup import read_html

Read = Callable[[bytes | str, str], Document]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One  <b>two</b>\n three.</p><p>Four</p>", "One two three.\n\nFour"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("one<br>two", "one\ntwo"),
        ("<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul>d", "- a\n- b\n- c\n\nd"),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td><p>1</p></td><td>2<br>3</td></tr></table>", "A | B\n1 | 2 3"),
        ("<table><tr><td><h2>H</h2><p>x</p></td><td><ul><li>y</li></ul></td></tr></table>", "H\n\nx\n\n- y"),
        ("<pre>x\n  y = 1</pre>", "x\n  y = 1"),
        ("a<script>s</script><style>s</style><!-- c --><template>t</template>b", "ab"),
        ("<p hidden>h</p><p style='color:red; DISPLAY : none'>h</p><p>seen</p>", "seen"),
        ("x &amp; y &lt;z&gt; &eacute;", "x & y <z> é"),
        ("plain words http://example.com/x", "plain words http://example.com/x"),
        ("<?xml version='1.0'?><html><body>words</body></html>", "words"),
    ],
)
def test_visible_text(html: str, text: str) -> None:
    assert read_html(html.encode(), "a.html").text == text


def test_headings_and_title(read: Read) -> None:
    html = "<html><head><title>The\nTitle</title></head><body><h1>One <i>big</i> thing</h1>t<h3>Two</h3>u</body></html>"
    document = read(html, "a.html")
    assert document.title == "The Title"
    assert document.text == "One big thing\n\nt\n\nTwo\n\nu"
    assert [(h.title, document.text[h.start : h.end]) for h in document.headings] == [
        ("One big thing", "One big thing"),
        ("Two", "Two"),
    ]


@given(st.lists(st.text(st.characters(categories=("L", "N")), min_size=1), min_size=1, max_size=6))
def test_paragraphs_are_given_back_exactly(paragraphs: list[str]) -> None:
    html = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    assert read_html(html.encode(), "a.html").text == "\n\n".join(paragraphs)


def test_a_page_nested_thousands_deep_is_read_whole() -> None:
    html = "<div>" * 3000 + "deep" + "</div>" * 3000 + "<p>after</p>"
    assert read_html(html.encode(), "a.html").text == "deep\n\nafter"


def test_the_encoding_a_page_declares(read: Read) -> None:
    html = '<html><head><meta charset="gb2312"></head><body>你好</body></html>'
    assert read(html.encode("gb18030"), "a.html").text == "你好"


def test_a_page_is_recognised_without_its_ending_but_not_against_it(read: Read) -> None:
    assert read("<!DOCTYPE html><p>x</p>", "page").media_type == "text/html"
    assert read("<html><p>x</p>", "report.pdf").media_type == "text/html"
    assert read("<html><p>x</p>", "a.txt").text == "<html><p>x</p>"


def test_a_page_of_scripts_has_no_text(read: Read) -> None:
    with pytest.raises(UnreadableDocumentError, match="there is no text in it"):
        read("<html><script>x</script></html>", "a.html")
