"""Reading: the content decides, every refusal is one clear line, a name is never a path."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document, read_document
from memory_bank.documents.reading import read_bytes

Read = Callable[[bytes | str, str], Document]


def package(*names: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as target:
        for name in names:
            target.writestr(name, "x")
    return written.getvalue()


def tar() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as target:
        target.addfile(tarfile.TarInfo("a.txt"))
    return written.getvalue()


ARCHIVE = "it is an archive; unpack it and add the files inside"
REFUSED = [
    ("empty.txt", b"", "it is empty"),
    ("blank.md", b" \n\t\r\n", "it is empty"),
    ("mark.txt", b"\xef\xbb\xbf", "there is no text in it"),
    ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(20), r"it is an image \(PNG\), not a document with text"),
    ("a.pdf", b"\xff\xd8\xff\xe0" + bytes(20), r"it is an image \(JPEG\)"),
    ("a.txt", b"GIF89a" + bytes(20), r"it is an image \(GIF\)"),
    ("a.bmp", b"BM" + b"\x10\0\0\0" + bytes(20), r"it is an image \(BMP\)"),
    ("a", b"RIFF\x10\0\0\0WEBPVP8 ", r"it is an image \(WebP\)"),
    ("a.heic", b"\0\0\0\x18ftypheic" + bytes(20), "it is a HEIC picture, which is not read; save it as JPEG or PNG"),
    ("a.svg", b"<svg/>", r"it is an image \(SVG\)"),
    ("a.zip", package("a.txt"), ARCHIVE),
    ("a.pages", package("index.xml"), "export it as PDF, DOCX, XLSX or PPTX and add that"),
    ("a.numbers", package("Index.zip"), "it is a file of Pages, Numbers or Keynote"),
    ("a.key", package("preview.jpg"), "it is a file of Pages, Numbers or Keynote"),
    ("talk", package("Index/Document.iwa"), "it is a file of Pages, Numbers or Keynote"),
    ("a.tgz", gzip.compress(b"x", mtime=0), ARCHIVE),
    ("a.bz2", bz2.compress(b"x"), ARCHIVE),
    ("a.xz", lzma.compress(b"x"), ARCHIVE),
    ("a.tar", tar(), ARCHIVE),
    ("a.xlsx", package("xl/workbook.xml"), "it is damaged"),
    ("a.pptx", package("ppt/presentation.xml"), "it is damaged"),
    ("a.epub", package("META-INF/container.xml"), "it is damaged"),
    ("a.odt", package("content.xml"), "it is damaged"),
    ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "it is an Office file of the old kind"),
    (
        "a.docx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(9) + "EncryptedPackage".encode("utf-16-le"),
        "it is protected by a password; remove the password and add it again",
    ),
    ("a.rtf", b"{\\rtf1 }", "there is no text in it"),
    ("a.exe", b"MZ" + bytes(range(256)) * 20, "it is not a text, nor any other kind of document"),
    ("a.docx", package("word/document.xml"), "it is damaged"),
    ("a.docx", b"PK\x03\x04 and no more", "it is damaged"),
    ("a.pdf", b"%PDF-1.7\nand no more", "it is damaged"),
]


def test_what_a_parser_repeats_of_a_damaged_file_is_one_printable_line(read: Read) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as target:
        target.writestr("META-INF/container.xml", '<container xmlns="http://a\ufeffb\u202e/opf" />')
    with pytest.raises(UnreadableDocumentError, match="it is damaged") as caught:
        read(written.getvalue(), "a.epub")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("name", "content", "reason"), REFUSED)
def test_what_cannot_be_read_is_refused_with_a_reason(read: Read, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=reason) as caught:
        read(content, name)
    assert caught.value.name == name
    assert "\n" not in str(caught.value)


def test_text_that_begins_like_a_signature_is_text(read: Read) -> None:
    for text in ("BM is a shop.", "Rar! he said.", "BZh is no word.", "GIF8 is none.", "II* too", "MZ is one"):
        assert read(text, "a.txt").text == text


def test_a_document_has_the_date_of_its_head(read: Read) -> None:
    german = "Protokoll der Sitzung vom 12. August 2023\n\nDas Dach der Mühle ist seit dem Sturm undicht.\n"
    assert read(german, "a.txt").dated == date(2023, 8, 12)
    assert read("---\ntitle: Minutes of 4 March 2024\n---\nThe roof leaks.", "a.md").dated == date(2024, 3, 4)
    assert read("Subject: The fire of 4 March 2024\nFrom: Ann Lee\nDate: 2 May 2024\n\n", "a.eml").dated == date(
        2024, 5, 2
    )
    assert read("The bridge was opened on 4 May 1912.", "a.txt").dated is None


def test_the_name_is_shown_and_never_used_as_a_path(read: Read) -> None:
    assert read("text", "../../etc/passwd").name == "../../etc/passwd"
    assert read("text", "/dev/stdin").text == "text"
    assert read("text", "two\nlines\0\udce9.txt").name == "two lines\ufffd\ufffd.txt"
    assert read("text", "n" * 5000 + ".md").media_type == "text/markdown"


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocumentError, match=r"a\.txt: the file cannot be opened: No such file"):
        read_document(tmp_path / "missing", "a.txt")
    with pytest.raises(UnreadableDocumentError, match=r"a\.txt: the file cannot be opened: Is a directory"):
        read_document(tmp_path, "a.txt")


SUFFIXES = st.sampled_from(
    [".txt", ".srt", ".md", ".html", ".csv", ".json", ".jsonl", ".ipynb", ".eml", ".docx", ".py", ""]
)
STARTS = st.sampled_from(
    [b"", b"%PDF-1.4\n", b"PK\x03\x04", b"\xff\xfe", b"<html>", b"{", b"\xd0\xcf\x11\xe0", b"{\\rtf1 ", b"To: a\n"]
)


@given(STARTS, st.binary(max_size=200), SUFFIXES)
def test_any_bytes_are_read_or_refused(start: bytes, content: bytes, suffix: str) -> None:
    try:
        document = read_bytes(start + content, f"a{suffix}", None, lambda _done, _of: None)
    except UnreadableDocumentError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either is fine
    else:
        document.text.encode("utf-8")
        assert document.text.strip()
        assert all(document.text[h.start : h.end].strip() for h in document.headings)
