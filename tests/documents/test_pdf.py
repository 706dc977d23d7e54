"""PDF: the text layer with its pages; what has none is refused with the reason."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pypdf import PdfReader, PdfWriter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document, EmbeddedFile, Page, read_document
from memory_bank.documents.reading import read_bytes
from tests.documents.pdf_maker import ADVANCE, lines_of, pdf_of

Read = Callable[[bytes | str, str], Document]
Make = Callable[..., bytes]


def test_pages_cover_the_text_and_own_the_break_after_them(read: Read, make_pdf: Make) -> None:
    document = read(make_pdf("First page.\nSecond line.", "", "Last page."), "a.pdf")
    assert document.text == "First page.\nSecond line.\n\n\n\nLast page."
    assert document.pages == (Page(1, 0, 26), Page(2, 26, 28), Page(3, 28, 38))
    assert document.page_at(document.text.index("Second")) == 1
    assert document.page_at(document.text.index("Last")) == 3
    assert document.media_type == "application/pdf"


@given(st.lists(st.text("ab c", max_size=20), min_size=1, max_size=8))
def test_pages_joined_are_the_text(texts: list[str]) -> None:
    from memory_bank.documents.pdf import _pages

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


def test_ligatures_are_parted(read: Read) -> None:
    assert read(pdf_of([lines_of("o\ufb03ce \ufb01le")]), "a.pdf").text == "office file"


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


def test_columns_are_read_one_after_another_however_they_are_drawn(read: Read) -> None:
    left = [f"the left column has line {number} of it" for number in range(8)]
    right = [f"the right column has line {number} of it" for number in range(6)]
    title = "A title that spans both of the columns, from the one margin to the other"
    placed = [*lines_of("\n".join(left), top=700), *lines_of("\n".join(right), left=330, top=697)]
    by_rows = sorted(placed, key=lambda one: (-one[1], one[0]))
    for order in (placed, by_rows, placed[::-1]):
        page = [(72.0, 60.0, f"Foot: {title}"), *order, (72.0, 740.0, title)]
        expected = [title, "\n".join(left), "\n".join(right), f"Foot: {title}"]
        assert read(pdf_of([page]), "a.pdf").text == "\n\n".join(expected)


def test_a_table_is_read_row_by_row_and_an_empty_cell_keeps_its_place(read: Read) -> None:
    rows = [("", "1901", "1955"), ("Corn Mill", "12 m", "9 m"), ("Beacon", "", "14 m"), ("Both", "one cell for two")]
    table = [
        (left, 700 - 24 * number, cell)
        for number, row in enumerate(rows)
        for left, cell in zip((72, 200, 280), row, strict=False)
        if cell
    ]
    by_columns = sorted(table, key=lambda one: one[0])
    expected = "Heights of mills\n\n| 1901 | 1955\nCorn Mill | 12 m | 9 m\nBeacon |  | 14 m\nBoth | one cell for two |"
    assert read(pdf_of([[(72, 760, "Heights of mills"), *by_columns]]), "a.pdf").text == expected


def test_text_from_right_to_left_is_given_in_the_order_of_reading(read: Read) -> None:
    lines = ["הטחנה נסגרה בשנת 1921 ונהרסה", "أغلقت الطاحونة"]
    drawn = [line[::-1].replace("1291", "1921") for line in lines]
    placed = [(500.0 - ADVANCE * len(line), 700.0 - 14 * number, line) for number, line in enumerate(drawn)]
    document = read(pdf_of([placed]), "a.pdf")
    assert document.text == "\n".join(lines)
    assert document.language == "he"


SIGNS = "水库的大坝于一九七年建成高百米全长三千八"


@given(
    paragraphs=st.lists(st.text(SIGNS, min_size=1, max_size=90).map(lambda text: f"{text}。"), min_size=1, max_size=4),
    across=st.integers(12, 40),
)
def test_chinese_set_in_lines_comes_out_as_it_was_before(paragraphs: list[str], across: int) -> None:
    """Paragraphs begin two signs in, as they are set, and nothing else parts them."""
    lines = []
    for paragraph in paragraphs:
        first, rest = paragraph[: across - 2], paragraph[across - 2 :]
        lines += [(2, first), *((0, rest[at : at + across]) for at in range(0, len(rest), across))]
    placed = [(72.0 + ADVANCE * indent, 740.0 - 14 * number, line) for number, (indent, line) in enumerate(lines)]
    document = read_bytes(pdf_of([placed]), "a.pdf", None, lambda _done, _of: None)
    longest = max(indent + len(line) for indent, line in lines)
    if longest == across and any(indent == 0 for indent, _line in lines):  # else no indent can be seen
        assert document.text.split("\n") == paragraphs
    assert document.text.replace("\n", "") == "".join(paragraphs)
    assert [(page.start, page.end) for page in document.pages] == [(0, len(document.text))]


def scanned(*pages: str) -> bytes:
    """Pages of text, and for an empty one a picture of words."""
    written = BytesIO()
    canvas = Canvas(written)
    picture = Image.new("RGB", (400, 200), "white")
    picture.putpixel((1, 1), (0, 0, 0))
    for page in pages:
        if page:
            canvas.drawString(72, 700, page)
        else:
            canvas.drawImage(ImageReader(picture), 72, 400, 200, 100)
        canvas.showPage()
    canvas.save()
    return written.getvalue()


def test_a_page_without_a_text_layer_is_recognised_or_counted(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    path.write_bytes(scanned("Typed.", "", ""))
    seen: list[tuple[int, int]] = []

    def recognise(picture: Image.Image) -> str:
        seen.append(picture.size)
        return "Words of a picture." if len(seen) == 1 else ""

    document = read_document(path, "a.pdf", recognise=recognise)
    assert document.text == "Typed.\n\nWords of a picture.\n\n"
    assert document.unread_pages == 1
    assert seen == [(1654, 2339)] * 2
    without = read_document(path, "a.pdf")
    assert without.text == "Typed.\n\n\n\n"
    assert without.unread_pages == 2


def stamped(stamp: str, height: float) -> bytes:
    """A picture as wide as the page and so many points high, and a line below it."""
    written = BytesIO()
    canvas = Canvas(written, pagesize=(600, 800))
    canvas.drawImage(ImageReader(Image.new("RGB", (60, 80), "grey")), 0, 800 - height, 600, height)
    canvas.drawString(72, 20, stamp)
    canvas.save()
    return written.getvalue()


@pytest.mark.parametrize(
    ("stamp", "height", "scan"),
    [("Page 1 of 2", 760, 1), ("Page 1 of 2", 300, 0), ("The mill closed in the dry year. " * 3, 760, 0)],
)
def test_a_scan_with_a_stamp_is_recognised_or_counted(tmp_path: Path, stamp: str, height: float, scan: int) -> None:
    path = tmp_path / "stored"
    path.write_bytes(stamped(stamp, height))
    recognised = read_document(path, "a.pdf", recognise=lambda _picture: "Words of a picture.")
    assert recognised.text.strip() == (f"{stamp}\n\nWords of a picture." if scan else stamp.strip())
    assert recognised.unread_pages == 0
    without = read_document(path, "a.pdf")
    assert without.text.strip() == stamp.strip()
    assert without.unread_pages == scan


def test_an_empty_page_is_not_unread(read: Read, make_pdf: Make) -> None:
    assert read(make_pdf("Text.", ""), "a.pdf").unread_pages == 0


def test_pictures_and_attached_files_are_embedded(read: Read) -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(scanned("Typed.", "", ""))))
    writer.add_attachment("data.csv", b"a,b\n1,2\n")
    written = BytesIO()
    writer.write(written)
    picture, attached = read(written.getvalue(), "a.pdf").embedded  # the picture is on two pages, and one picture
    assert (picture.name, picture.media_type) == ("page 2, picture 1.png", "image/png")
    assert Image.open(BytesIO(picture.data)).size == (400, 200)
    assert attached == EmbeddedFile("data.csv", "text/csv", b"a,b\n1,2\n")


def test_each_page_is_told_and_the_reading_can_be_ended_at_any(tmp_path: Path, make_pdf: Make) -> None:
    path = tmp_path / "stored"
    path.write_bytes(make_pdf("One.", "Two.", "Three."))
    told: list[tuple[int, int]] = []
    read_document(path, "a.pdf", on_page=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]

    class CancelledError(Exception):
        pass

    def cancel(done: int, of: int) -> None:
        if done == 2:
            raise CancelledError

    with pytest.raises(CancelledError):
        read_document(path, "a.pdf", on_page=cancel)
