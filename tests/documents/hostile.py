"""Files made to hang, to fill the memory or to pass for something else, and what becomes of each."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import docx

from tests.documents.pdf_maker import assemble, lines_of, pdf_of

REFUSED, READ = "refused: ", "read: "
_LAUGHS = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 12))
_BILLION = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{_LAUGHS}]>'
_ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)
_TEXT_PAGE = pdf_of([lines_of("The text of the page.")])


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A package of these parts."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return written.getvalue()


def good_docx(text: str = "The text of the document.") -> bytes:
    source = docx.Document()
    source.add_paragraph(text)
    written = io.BytesIO()
    source.save(written)
    return written.getvalue()


def docx_with(document: str | bytes) -> bytes:
    """A DOCX whose text is replaced by other XML."""
    with zipfile.ZipFile(io.BytesIO(good_docx())) as package:
        parts: dict[str, str | bytes] = {name: package.read(name) for name in package.namelist()}
    return zipped({**parts, "word/document.xml": document})


def mountain_docx() -> bytes:
    """Three hundred megabytes of empty paragraphs in one of two: under the bound of packages, over that of memory."""
    head = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    return docx_with(head + b"<w:p/>" * 50_000_000 + b"</w:body></w:document>")


def bomb_docx() -> bytes:
    """A package that says it unpacks to more than there is memory: one part, listed many times."""
    written = io.BytesIO(good_docx())
    with zipfile.ZipFile(written, "a", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/media/image1.png", bytes(10_000_000))
        for number in range(60):
            info = zipfile.ZipInfo.from_file(__file__, f"word/media/image{number + 2}.png")
            listed = package.getinfo("word/media/image1.png")
            info.file_size, info.compress_size = listed.file_size, listed.compress_size
            info.CRC, info.compress_type, info.header_offset = listed.CRC, listed.compress_type, listed.header_offset
            package.filelist.append(info)
    return written.getvalue()


def laughing_docx() -> bytes:
    body = "<w:body><w:p><w:r><w:t>&l11;</w:t></w:r></w:p></w:body>"
    uri = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return docx_with(f'{_BILLION}<w:document xmlns:w="{uri}">{body}</w:document>')


def laughing_odt() -> bytes:
    body = "<office:body><office:text><text:p>Said: &l11;</text:p></office:text></office:body>"
    return zipped({"content.xml": f"{_BILLION}<office:document-content {_ODF}>{body}</office:document-content>"})


def repeated_ods() -> bytes:
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>much</text:p></table:table-cell>'
    rows = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>' * 20
    sheet = f'<office:spreadsheet><table:table table:name="A">{rows}</table:table></office:spreadsheet>'
    document = f"<office:document-content {_ODF}><office:body>{sheet}</office:body></office:document-content>"
    return zipped({"content.xml": document})


def wide_xlsx() -> bytes:
    """A workbook of one cell, in the last row and column that there are."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    cell = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far away</t></is></c></row>'
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Override PartName="/xl/workbook.xml" '
            f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/s.xml" '
            f'ContentType="{kind}.worksheet+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
            f'Type="{relation}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relation}"><sheets><sheet name="A" sheetId="1" '
            'r:id="r"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
            f'Type="{relation}/worksheet" Target="s.xml"/></Relationships>',
            "xl/s.xml": f'<worksheet xmlns="{main}"><dimension ref="A1:XFD1048576"/><sheetData>{cell}</sheetData>'
            "</worksheet>",
        }
    )


def looping_epub() -> bytes:
    """A book of one chapter, named ten thousand times."""
    items = '<itemref idref="c"/>' * 10_000
    opf = f'<package><manifest><item id="c" href="c.html" media-type="text/html"/></manifest><spine>{items}</spine>'
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    chapter = "<html><p>The chapter.</p></html>"
    return zipped({"META-INF/container.xml": container, "b.opf": f"{opf}</package>", "c.html": chapter})


def blank_pdf(pages: int) -> bytes:
    """So many pages, all of them the same empty one."""
    kids = "3 0 R " * pages
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"
    return assemble(["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>", page])


def scripted_pdf() -> bytes:
    return pdf_of(
        [lines_of("The text of the page.")],
        extra=["<< /S /JavaScript /JS (app.alert\\('boo'\\); while\\(true\\){}) >>"],
        catalog="/OpenAction 5 0 R /AA << /WC 5 0 R >>",
    )


def cyclic_tree_pdf() -> bytes:
    """Pages whose children are their own parents."""
    return assemble(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] >>",
            "<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [2 0 R 3 0 R] >>",
        ]
    )


def cyclic_outline_pdf() -> bytes:
    entry = "<< /Title (The text of the page.) /Parent 5 0 R /Next 6 0 R /First 6 0 R /Last 6 0 R /Dest [8 0 R /Fit] >>"
    outline = "<< /Type /Outlines /First 6 0 R /Last 6 0 R /Count 1 >>"
    return pdf_of([lines_of("The text of the page.")], extra=[outline, entry], catalog="/Outlines 5 0 R")


def inflated_pdf() -> bytes:
    """A page of a few kilobytes that unpacks to a gigabyte, in two steps."""
    packer = zlib.compressobj(1)
    once = b"".join(packer.compress(b" " * 50_000_000) for _ in range(20)) + packer.flush()
    twice = zlib.compress(once, 9).decode("latin-1")
    return assemble(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
            f"<< /Length {len(twice)} /Filter [/FlateDecode /FlateDecode] >>\nstream\n{twice}\nendstream",
        ]
    )


def deep_pdf() -> bytes:
    nested = "[" * 200_000
    return assemble(["<< /Type /Catalog /Pages 2 0 R >>", nested])


def nested_mail() -> bytes:
    parts = "".join(
        f'--b{number}\nContent-Type: multipart/mixed; boundary="b{number + 1}"\n\n' for number in range(5_000)
    )
    return f'Subject: Deep\nContent-Type: multipart/mixed; boundary="b0"\n\n{parts}'.encode()


FILES: Mapping[str, tuple[Callable[[], bytes], str]] = {
    "cut.docx": (lambda: good_docx()[:9_000], REFUSED + "it is damaged"),
    "cut.pdf": (lambda: _TEXT_PAGE[: len(_TEXT_PAGE) // 2], REFUSED),
    "picture.docx": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(99), REFUSED + "it is an image (PNG)"),
    "page.txt": (lambda: _TEXT_PAGE, READ + "The text of the page."),
    "document.pdf": (good_docx, READ + "The text of the document."),
    "bomb.docx": (bomb_docx, REFUSED + "it unpacks to more than 500 MB"),
    "mountain.docx": (mountain_docx, REFUSED),
    "laughs.docx": (laughing_docx, REFUSED),
    "laughs.odt": (laughing_odt, REFUSED),
    "repeated.ods": (repeated_ods, REFUSED + "it is damaged (a cell is repeated 16384 times)"),
    "wide.xlsx": (wide_xlsx, READ + "A\n\nfar away"),
    "looping.epub": (looping_epub, READ + "The chapter."),
    "thousands.pdf": (lambda: blank_pdf(10_000), REFUSED + "it has 10,000 pages, and at most 5,000 are read"),
    "blank.pdf": (lambda: blank_pdf(4_999), REFUSED + "no page has a text layer"),
    "scripted.pdf": (scripted_pdf, READ + "The text of the page."),
    "tree.pdf": (cyclic_tree_pdf, REFUSED),
    "outline.pdf": (cyclic_outline_pdf, READ + "The text of the page."),
    "inflated.pdf": (inflated_pdf, REFUSED),
    "deep.pdf": (deep_pdf, REFUSED + "it is damaged"),
    "nested.eml": (nested_mail, REFUSED),
    "deep.json": (lambda: b"[" * 3_000_000, REFUSED + "it is nested too deeply"),
    "deep.html": (lambda: b"<html>" + b"<div>" * 40_000 + b"text", READ),
    "comments": (lambda: b"<!--a-->" * 100_000 + b"text", READ),
    "spaces.md": (lambda: b"# " + b" " * 900_000 + b"x", READ),
    "keys.json": (lambda: b'{"' + b"k" * 400_000 + b'":[' + b"[1]," * 80_000 + b"[1]]}", REFUSED),
    "columns.csv": (lambda: b"a" * 300_000 + b",b\n" + b"1,2\n" * 100_000, READ),
    "nulls.txt": (lambda: b"a\0bcdefgh" * 1_000, READ + "a\ufffdbcdefgha"),
    "only-nulls.txt": (lambda: bytes(5_000_000), REFUSED),
    "long.txt": (lambda: b"word " * 14_000_000, REFUSED + "it has more than 20,000,000 characters"),
}
"""Each file by its name: how it is made, and what its outcome begins with."""


def write_line(path: Path, megabytes: int) -> None:
    """A text of one line, written piece by piece."""
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(b"word " * 200_000)
