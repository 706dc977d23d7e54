"""Markdown as plain text, in which every passage is found again."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_bank.views.markdown import Readable, readable

TABLE = "| Trade | Firm | Price |\n|---|:-:|---|\n| Roof | **Keller & Sons** | 48 |\n| Doors | | `a|b` |\n"
ROW = "| Roof | **Keller & Sons** | 48 |"


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("## Costs ##\nText", "Costs\nText"),
        ("# C#\n#tag", "C#\n#tag"),
        ("Title\n=====", "Title\n"),
        ("**bold**, __bold__, *em*, _em_ and ***both***", "bold, bold, em, em and both"),
        ("**a *b* c** 很**重要**的", "a b c 很重要的"),
        ("2*3*4, 2 * 3, 2**3**4 and snake_case_name", "2*3*4, 2 * 3, 2**3**4 and snake_case_name"),
        ("- one\n  * two\n+ three\n1. four", "• one\n  • two\n• three\n1. four"),
        ("- [x] done\n- [ ] open", "☑ done\n☐ open"),
        ("> said\n> > again", "said\nagain"),
        ('[text](https://a.b/c_(d) "t"), ![alt](p.png), [a][1], <https://x.y>', "text, alt, a, https://x.y"),
        ("`a*b*c` and ``x ` y``", "a*b*c and x ` y"),
        ("```python\n# no heading\n- no item\n```\nafter", "# no heading\n- no item\nafter"),
        (r"\*no emphasis\* a\_b", "*no emphasis* a_b"),
        ("AT&amp;T &copy; R&D", "AT&T © R&D"),
        ("paid ~~12~~ 15", "paid ~~12~~ 15"),
        ("<script>alert(1)</script> <b>x</b>", "<script>alert(1)</script> <b>x</b>"),
        (TABLE, "Trade · Firm · Price\nTrade: Roof · Firm: Keller & Sons · Price: 48\nTrade: Doors · Price: a|b\n"),
        ("a | b\n-|-\n1 | 2\n\n3 | 4", "a · b\na: 1 · b: 2\n\n3 | 4"),
        (ROW, "Roof · Keller & Sons · 48"),
        (r"| a \| b | c<br>d |", "a | b · c d"),
    ],
)
def test_marks_are_left_out_and_nothing_else(source: str, plain: str) -> None:
    assert readable(source).text == plain


@pytest.mark.parametrize(
    ("passage", "plain"),
    [
        (ROW, "Trade: Roof · Firm: Keller & Sons · Price: 48"),
        ("**Keller & Sons**", "Keller & Sons"),
        ("Keller", "Keller"),
        ("Keller & Sons** |", "Keller & Sons"),
        ("|---|:-:|---|", ""),
    ],
)
def test_a_passage_is_found_again(passage: str, plain: str) -> None:
    start = TABLE.index(passage)
    assert readable(TABLE).quote(start, start + len(passage)) == plain


@given(st.text(st.sampled_from("ab*_`|[]()#>-~\\&;. \n"), max_size=80), st.data())
@example("*a\n\n|-|\n|*|", None)
def test_every_passage_of_any_text_has_a_place(text: str, data: st.DataObject | None) -> None:
    read = readable(text)
    places = [read.span(at, at) for at in range(len(text) + 1)]
    assert all(0 <= place.start <= place.end <= len(read.text) for place in places)
    assert read.span(0, len(text)).of(read.text).strip() == read.text.strip()
    starts = [place.start for place in places]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    "text",
    ["*a " * 30_000, "`" * 60_001, "[" * 60_000, "| a " * 9_000, "# a" + " " * 60_000 + "b", "- " * 30_000 + "x"],
)
def test_no_text_takes_long(text: str) -> None:
    assert len(readable(text).text) <= len(text)


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 20))
def test_around_a_passage_the_text_is_whole_but_for_what_an_ellipsis_stands_for(
    text: str, start: int, end: int, context: int
) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    before, passage, after = Readable(text).around(start, end, context)
    assert passage == text[start:end]
    assert before == text[:start] or (before[0] == "…" and before[1:] == text[max(0, start - context) : start])
    assert after == text[end:] or (after[-1] == "…" and after[:-1] == text[end : end + context])
