"""PPTX: slides are pages; tables, groups and notes come out, hidden slides do not."""

from __future__ import annotations

from typing import Any

import pptx

from memory_bank.documents import Page
from tests.documents.writers import read, saved


def test_slides_are_pages_with_tables_groups_and_notes() -> None:
    source: Any = pptx.Presentation()
    first = source.slides.add_slide(source.slide_layouts[1])
    first.shapes.title.text = "Mills of the Valley"
    first.placeholders[1].text = "Beacon Mill\nCorn Mill"
    first.notes_slide.notes_text_frame.text = "Say when they closed."
    hidden = source.slides.add_slide(source.slide_layouts[5])
    hidden.shapes.title.text = "Not shown"
    hidden.element.set("show", "0")
    third = source.slides.add_slide(source.slide_layouts[6])
    cells = third.shapes.add_table(2, 2, 0, 0, 9999, 9999).table
    for row, words in enumerate((("Mill", "Closed"), ("Corn\nMill", "1921"))):
        for column, word in enumerate(words):
            cells.cell(row, column).text = word
    group = third.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 99, 99).text_frame.text = "in a group"
    document = read(saved(source), "a.pptx")
    assert document.text == (
        "Mills of the Valley\n\nBeacon Mill\nCorn Mill\n\nSay when they closed.\n\nMill | Closed\nCorn Mill | 1921\n\n"
        "in a group"
    )
    assert document.title == "Mills of the Valley"
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.page_at(document.text.index("Corn Mill | 1921")) == 3
    assert document.pages[1].start == document.pages[1].end


def test_slides_may_be_empty() -> None:
    """Pages of a built text may be empty, the first and the last too."""
    source: Any = pptx.Presentation()
    for words in ("", "middle", ""):
        slide = source.slides.add_slide(source.slide_layouts[6])
        slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = words
    assert read(saved(source), "a.pptx").pages == (Page(1, 0, 0), Page(2, 0, 6), Page(3, 6, 6))
