"""OpenDocument: lists, tables, spaces; a password is asked for."""

from __future__ import annotations

import pytest
from odf import opendocument, table, text

from memory_bank.bank.errors import UnreadableDocumentError
from tests.documents.writers import odf_saved, read, with_parts, write_odt


def test_an_opendocument_text_has_lists_tables_and_spaces() -> None:
    source = opendocument.OpenDocumentText()
    source.text.addElement(text.H(outlinelevel=2, text="Mills"))
    paragraph = text.P(text="two")
    paragraph.addElement(text.S(c=2))
    paragraph.addText("spaces")
    paragraph.addElement(text.LineBreak())
    paragraph.addText("and a line")
    source.text.addElement(paragraph)
    listed = text.List()
    for word in ("one", "two"):
        item = text.ListItem()
        item.addElement(text.P(text=word))
        listed.addElement(item)
    source.text.addElement(listed)
    rows = table.Table(name="T")
    for words in (("Mill", "Closed"), ("Corn", "1921")):
        row = table.TableRow()
        for word in words:
            cell = table.TableCell()
            cell.addElement(text.P(text=word))
            row.addElement(cell)
        rows.addElement(row)
    source.text.addElement(rows)
    document = read(odf_saved(source), "a.odt")
    assert document.text == "Mills\n\ntwo  spaces\nand a line\n\n- one\n- two\n\nMill | Closed\nCorn | 1921"
    assert [one.title for one in document.headings] == ["Mills"]


def test_an_opendocument_file_with_a_password_is_refused() -> None:
    manifest = b"<m:manifest xmlns:m='x'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
    with pytest.raises(UnreadableDocumentError, match="protected by a password; remove the password"):
        read(with_parts(write_odt("A", ["b"]), {"META-INF/manifest.xml": manifest}), "a.odt")
