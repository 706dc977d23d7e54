"""PDF: the text layer with its pages; what has none is refused with the reason."""

import logging
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents import Document, Page, read_document

Read = Callable[[bytes | str, str], Document]
Make = Callable[..., bytes]
SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "files"


def test_pages_cover_the_text_and_own_the_break_after_them(read: Read, make_pdf: Make) -> None:
    document = read(make_pdf("First page.\nSecond line.", "", "Last page."), "a.pdf")
    assert document.text == "First page.\nSecond line.\n\n\n\nLast page."
    assert document.pages == (Page(1, 0, 26), Page(2, 26, 28), Page(3, 28, 38))
    assert document.page_at(document.text.index("Second")) == 1
    assert document.page_at(document.text.index("Last")) == 3
    assert document.media_type == "application/pdf"


@given(st.lists(st.text("ab c", max_size=20), min_size=1, max_size=8))
def test_pages_joined_are_the_text(texts: list[str]) -> None:
    from memory_bank.modules.documents.pdf import _pages

    text = "\n\n".join(texts)
    pages = list(_pages(texts))
    assert "".join(text[page.start : page.end] for page in pages) == text
    assert [page.number for page in pages] == list(range(1, len(texts) + 1))
    for page, own in zip(pages, texts, strict=True):
        assert text[page.start : page.end].removesuffix("\n\n") == own.removesuffix("\n\n")


def test_the_outline_gives_headings_that_stand_on_their_page(read: Read, make_pdf: Make) -> None:
    pdf = make_pdf(
        "1 Rivers\nThe Rhine is long.",
        "Lakes\nNothing on Seas here.",
        outline=(("Rivers", 0), ("Lakes", 1), ("Seas", 1), ("Lakes", 0)),
    )
    document = read(pdf, "a.pdf")
    assert [(h.title, document.text[h.start : h.end]) for h in document.headings] == [
        ("Rivers", "1 Rivers"),
        ("Lakes", "Lakes"),
    ]
    assert document.title == "Rivers"


def test_the_title_of_the_metadata_comes_first(read: Read, make_pdf: Make) -> None:
    assert read(make_pdf("Text.", title="A Study"), "a.pdf").title == "A Study"
    assert read(make_pdf("Text.", title="Microsoft Word - a.doc"), "a.pdf").title is None


def test_ligatures_are_parted(read: Read, monkeypatch: pytest.MonkeyPatch, make_pdf: Make) -> None:
    from pypdf import PageObject

    monkeypatch.setattr(PageObject, "extract_text", lambda _page: "o\ufb03ce \ufb01le\0")
    assert read(make_pdf("x"), "a.pdf").text == "office file\ufffd"


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_a_password_is_asked_for_only_where_one_is_needed(read: Read, make_pdf: Make, algorithm: str) -> None:
    def encrypted(user_password: str) -> bytes:
        writer = PdfWriter(clone_from=PdfReader(BytesIO(make_pdf("Secret text."))))
        writer.encrypt(user_password, "owner", algorithm=algorithm)
        written = BytesIO()
        writer.write(written)
        return written.getvalue()

    assert read(encrypted(""), "a.pdf").text == "Secret text."
    with pytest.raises(UnreadableDocumentError, match=r"a\.pdf: it is protected by a password; remove the password"):
        read(encrypted("user"), "a.pdf")


def test_a_scan_is_recognised(read: Read, make_pdf: Make) -> None:
    with pytest.raises(UnreadableDocumentError, match="no page has a text layer; it looks scanned"):
        read(make_pdf("", ""), "a.pdf")


def test_a_file_cut_off_is_one_line_and_nothing_on_stderr(
    read: Read, make_pdf: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    pdf = make_pdf("Text of the page.")
    for length in (12, len(pdf) // 2, len(pdf) - 40):
        try:
            document = read(pdf[:length], "a.pdf")
        except UnreadableDocumentError as error:
            assert "\n" not in str(error)  # noqa: PT017 - a reader may also save the text
        else:
            assert document.text == "Text of the page."
    assert capfd.readouterr().err == ""


def test_the_log_of_pypdf_reaches_no_handler_of_the_program(read: Read, make_pdf: Make) -> None:
    written = StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger().addHandler(handler)
    try:
        assert read(b"junk before\n" + make_pdf("Text."), "a.pdf").text == "Text."  # pypdf logs three flaws
    finally:
        logging.getLogger().removeHandler(handler)
    assert written.getvalue() == ""


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not here")
@pytest.mark.parametrize(
    ("name", "pages", "words"),
    [
        ("google-doc-document.pdf", 1, "Readability counts."),
        ("minimal-document.pdf", 1, "Lorem ipsum dolor sit amet"),
        ("mistitled_outlines_example.pdf", 4, "8 Bar"),
        ("pdflatex-4-pages.pdf", 4, "nonsense like\n“Huardest gefburn”?"),
        ("pdflatex-image.pdf", 1, "1 Your Chapter"),
        ("with-attachment.pdf", 1, "taki-\nmata sanctus est"),
    ],
)
def test_sample_files(name: str, pages: int, words: str) -> None:
    document = read_document(SAMPLES / name, name)
    assert len(document.pages) == pages
    assert words in document.text


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not here")
def test_sample_file_with_a_password() -> None:
    name = "libreoffice-writer-password.pdf"
    with pytest.raises(UnreadableDocumentError, match="protected by a password"):
        read_document(SAMPLES / name, name)
