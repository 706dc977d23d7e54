"""DOCX: paragraphs, headings, lists and tables in the order of the document, nothing left out."""

import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document
from memory_bank.documents.word import read_docx

Read = Callable[[bytes | str, str], Document]


def saved(document: Any) -> bytes:
    written = BytesIO()
    document.save(written)
    return written.getvalue()


def with_body(xml: str) -> bytes:
    """Put XML at the start of the body of an empty document."""
    source = zipfile.ZipFile(BytesIO(saved(docx.Document())))
    written = BytesIO()
    with source, zipfile.ZipFile(written, "w") as target:
        for item in source.infolist():
            data = source.read(item.filename)
            if item.filename == "word/document.xml":
                data = data.replace(b"<w:body>", b"<w:body>" + xml.encode())
            target.writestr(item.filename, data)
    return written.getvalue()


def test_blocks_come_in_order(read: Read) -> None:
    source = docx.Document()
    source.add_heading("The Report", 0)
    source.add_heading("Rivers", 1)
    paragraph = source.add_paragraph("The Rhine")
    paragraph.add_run(" is long.").bold = True
    source.add_paragraph("one", style="List Bullet")
    source.add_paragraph("two", style="List Bullet")
    table = source.add_table(2, 2)
    for row, texts in zip(table.rows, (("Name", "Length"), ("Rhine", "1,233\nkm")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    source.add_heading("Lakes", 2)
    source.add_paragraph("The end.")
    document = read(saved(source), "a.docx")
    assert document.text == (
        "The Report\n\nRivers\n\nThe Rhine is long.\n\n- one\n- two\n\nName | Length\nRhine | 1,233 km\n\n"
        "Lakes\n\nThe end."
    )
    assert [document.text[h.start : h.end] for h in document.headings] == ["The Report", "Rivers", "Lakes"]
    assert document.title == "The Report"
    assert document.pages == ()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1), min_size=1, max_size=5))
def test_paragraphs_are_given_back_exactly(paragraphs: list[str]) -> None:
    source = docx.Document()
    for paragraph in paragraphs:
        source.add_paragraph(paragraph)
    assert read_docx(saved(source), "a.docx").text == "\n\n".join(paragraphs)


def test_words_python_docx_leaves_out_are_read(read: Read) -> None:
    run = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>"
    xml = (
        f"<w:sdt><w:sdtContent><w:p>{run.format('in a control')}</w:p></w:sdtContent></w:sdt>"
        f"<w:p><w:ins w:id='1' w:author='a'>{run.format('inserted ')}</w:ins>"
        "<w:del w:id='2' w:author='a'><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        f"<w:hyperlink>{run.format('link')}</w:hyperlink><w:r><w:tab/><w:noBreakHyphen/></w:r></w:p>"
    )
    assert read(with_body(xml), "a.docx").text == "in a control\n\ninserted link\t-"


def test_a_table_inside_a_cell_is_read_once(read: Read) -> None:
    source = docx.Document()
    outer = source.add_table(1, 2)
    outer.cell(0, 0).text = "outer"
    outer.cell(0, 1).add_table(1, 2).cell(0, 1).text = "inner"
    assert read(saved(source), "a.docx").text == "outer | inner"


def test_a_document_without_words_is_refused(read: Read) -> None:
    with pytest.raises(UnreadableDocumentError, match="there is no text in it"):
        read(saved(docx.Document()), "a.docx")


def test_a_broken_package_is_refused(read: Read) -> None:
    with pytest.raises(UnreadableDocumentError, match="it is damaged"):
        read(saved(docx.Document())[:5000], "a.docx")
    with pytest.raises(UnreadableDocumentError, match="it is damaged"):
        read(with_body("<w:p>"), "a.docx")
