"""Documents of each format with a heading and paragraphs under it, written by the libraries that programs use."""

from __future__ import annotations

import email.message
import email.policy
import html
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence

import docx
import openpyxl
import pptx
from odf import draw, opendocument, style, table, text

from memory_bank.documents import Document
from memory_bank.documents.reading import read_bytes
from tests.documents.hostile import zipped
from tests.documents.pdf_maker import lines_of, pdf_of

Write = Callable[[str, Sequence[str]], bytes]

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def saved(source: docx.document.Document | pptx.presentation.Presentation | openpyxl.Workbook) -> bytes:  # type: ignore[name-defined]
    written = io.BytesIO()
    source.save(written)
    return written.getvalue()


def odf_saved(source: opendocument.OpenDocument) -> bytes:
    written = io.BytesIO()
    source.write(written)
    return written.getvalue()


def write_docx(heading: str, paragraphs: Sequence[str]) -> bytes:
    source = docx.Document()
    source.add_heading(heading, 1)
    for paragraph in paragraphs:
        source.add_paragraph(paragraph)
    return saved(source)


def write_pptx(heading: str, paragraphs: Sequence[str]) -> bytes:
    """The heading on the first slide, each paragraph on a slide of its own."""
    source = pptx.Presentation()
    source.slides.add_slide(source.slide_layouts[5]).shapes.title.text = heading
    for paragraph in paragraphs:
        slide = source.slides.add_slide(source.slide_layouts[6])
        slide.shapes.add_textbox(0, 0, 9999, 9999).text_frame.text = paragraph
    return saved(source)


def write_xlsx(heading: str, paragraphs: Sequence[str]) -> bytes:
    source = openpyxl.Workbook()
    source.active.title = heading
    for row, paragraph in enumerate(paragraphs, start=1):
        source.active.cell(row, 1, paragraph).data_type = "s"  # a text, even where it looks like a formula
    return saved(source)


def write_odt(heading: str, paragraphs: Sequence[str]) -> bytes:
    source = opendocument.OpenDocumentText()
    source.text.addElement(text.H(outlinelevel=1, text=heading))
    for paragraph in paragraphs:
        source.text.addElement(text.P(text=paragraph))
    return odf_saved(source)


def write_ods(heading: str, paragraphs: Sequence[str]) -> bytes:
    source = opendocument.OpenDocumentSpreadsheet()
    sheet = table.Table(name=heading)
    for paragraph in paragraphs:
        row, cell = table.TableRow(), table.TableCell(valuetype="string")
        cell.addElement(text.P(text=paragraph))
        row.addElement(cell)
        sheet.addElement(row)
    source.spreadsheet.addElement(sheet)
    return odf_saved(source)


def write_odp(heading: str, paragraphs: Sequence[str]) -> bytes:
    """The heading on the first slide, each paragraph on a slide of its own."""
    source = opendocument.OpenDocumentPresentation()
    layout = style.PageLayout(name="layout")
    source.automaticstyles.addElement(layout)
    master = style.MasterPage(name="master", pagelayoutname=layout)
    source.masterstyles.addElement(master)
    for number, paragraph in enumerate((heading, *paragraphs)):
        page = draw.Page(masterpagename=master)
        frame = draw.Frame(width="9cm", height="9cm")
        if not number:
            frame.setAttrNS("urn:oasis:names:tc:opendocument:xmlns:presentation:1.0", "class", "title")
        box = draw.TextBox()
        box.addElement(text.P(text=paragraph))
        frame.addElement(box)
        page.addElement(frame)
        source.presentation.addElement(page)
    return odf_saved(source)


def write_html(heading: str, paragraphs: Sequence[str]) -> bytes:
    body = "".join(f"<p>{html.escape(paragraph)}</p>\n" for paragraph in paragraphs)
    return f"<!doctype html><meta charset=utf-8><h1>{html.escape(heading)}</h1>{body}".encode()


def write_epub(heading: str, paragraphs: Sequence[str]) -> bytes:
    """The heading and each paragraph a chapter, listed in an order that is not that of their names."""
    chapters = [write_html(heading, ()), *(write_html("", [paragraph]) for paragraph in paragraphs)]
    names = [f"{len(chapters) - number:03}.xhtml" for number in range(len(chapters))]
    items = "".join(f'<item id="i{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in sorted(names))
    spine = "".join(f'<itemref idref="i{name}"/>' for name in names)
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>A Book</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="text/book.opf"/></rootfiles></container>'
    )
    parts = {f"text/{name}": chapter for name, chapter in zip(names, chapters, strict=True)}
    return zipped({"META-INF/container.xml": container, "text/book.opf": opf, **parts})


def write_notebook(heading: str, paragraphs: Sequence[str]) -> bytes:
    cells = [{"cell_type": "markdown", "source": [f"# {heading}"]}]
    cells += [{"cell_type": "code", "source": [paragraph], "outputs": []} for paragraph in paragraphs]
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


def write_eml(heading: str, paragraphs: Sequence[str]) -> bytes:
    message = email.message.EmailMessage(policy=email.policy.SMTP)
    message["Subject"] = heading
    message.set_content("\n\n".join(paragraphs) + "\n", cte="base64")
    return message.as_bytes()


def write_rtf(heading: str, paragraphs: Sequence[str]) -> bytes:
    def escaped(paragraph: str) -> str:
        units = paragraph.encode("utf-16-le")
        codes = [int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2)]
        return "".join(f"\\u{code}?" for code in codes)

    body = "\\par\\par ".join(escaped(paragraph) for paragraph in (heading, *paragraphs))
    return f"{{\\rtf1\\ansi {body}\\par}}".encode()


def write_pdf(heading: str, paragraphs: Sequence[str]) -> bytes:
    """The heading on the first page, each paragraph on a page of its own; what is long runs out of it."""
    return pdf_of([lines_of(paragraph) for paragraph in (heading, *paragraphs)])


def write_markdown(heading: str, paragraphs: Sequence[str]) -> bytes:
    return "\n\n".join((f"# {heading}", *paragraphs)).encode()


def write_plain(heading: str, paragraphs: Sequence[str]) -> bytes:
    return "\n\n".join((heading, *paragraphs)).encode()


WRITERS: Mapping[str, Write] = {
    "docx": write_docx,
    "pptx": write_pptx,
    "xlsx": write_xlsx,
    "odt": write_odt,
    "ods": write_ods,
    "odp": write_odp,
    "epub": write_epub,
    "html": write_html,
    "ipynb": write_notebook,
    "eml": write_eml,
    "rtf": write_rtf,
    "pdf": write_pdf,
    "md": write_markdown,
    "txt": write_plain,
}
"""How a document of each format is written; the key is the ending of its name."""


def read(data: bytes, name: str) -> Document:
    """Read a document in this process."""
    return read_bytes(data, name, None, lambda _done, _of: None)


def with_parts(data: bytes, parts: Mapping[str, bytes]) -> bytes:
    """A package with further parts, or others of the same name."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return zipped({**{name: package.read(name) for name in package.namelist()}, **parts})
