"""Pages as pictures: which page, and where on it the passage is marked. Places are compared with where it was set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import page_image
from memory_bank.documents.page_image import PageImage, render_isolated, render_page, render_picture

WIDE, HIGH = 612, 792
Line = tuple[float, float, str]
Area = tuple[float, float, float, float]
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A PDF with a page for each list of lines, each at its place from the top left in points."""

    def written(*pages: Sequence[Line], size: tuple[float, float] = (WIDE, HIGH)) -> Path:
        path = tmp_path / "written.pdf"
        canvas = Canvas(str(path), pagesize=size)
        for lines in pages:
            for x, y, text in lines:
                canvas.drawString(x, size[1] - y, text)
            canvas.showPage()
        canvas.save()
        return path

    return written


def marked(image: PageImage) -> np.ndarray:
    """Which pixels are marked: on black and white, those that have a colour."""
    pixels = np.asarray(Image.open(BytesIO(image.png)).convert("RGB")).astype(int)
    return pixels[..., 0] - pixels[..., 2] > 40


def area(image: PageImage) -> Area:
    """The rectangle in which all marks lie, in pixels: left, top, right, bottom."""
    rows, columns = np.nonzero(marked(image))
    return columns.min(), rows.min(), columns.max(), rows.max()


def inside(found: Area, wanted: Area) -> bool:
    return found[0] >= wanted[0] and found[1] >= wanted[1] and found[2] <= wanted[2] and found[3] <= wanted[3]


def size(image: PageImage) -> tuple[int, int]:
    return Image.open(BytesIO(image.png)).size


TEXT = [
    (72, 100, "The dam was planned for long."),
    (72, 120, "The dam was finished in 1970."),
    (72, 140, "It is high and it is wide."),
]


def test_the_passage_is_marked_where_it_stands_and_nowhere_else(write: Write) -> None:
    image = render_page(write(TEXT), 1, "The dam was finished in 1970.", WIDE)
    assert image.found
    assert (size(image), image.pages) == ((WIDE, HIGH), 1)
    left, top, right, bottom = area(image)
    assert inside((left, top, right, bottom), (66, 106, 250, 126))
    assert left < 76
    assert right > 215
    assert marked(image)[top:bottom, left:right].mean() > 0.7  # the whole line, not its ends


@pytest.mark.parametrize(
    "passage",
    [
        "the dam\nwas   finished in 1970",
        "The dam was fin-\nished in 1970.",
        "The dam was ﬁnished in 1970.",
        "Thé dam was finished in １９７０.",
    ],
)
def test_what_another_reader_makes_of_the_words_is_still_found(write: Write, passage: str) -> None:
    image = render_page(write(TEXT), 1, passage, WIDE)
    assert image.found
    assert inside(area(image), (66, 106, 250, 126))


def test_a_passage_over_several_lines_has_a_box_for_each(write: Write) -> None:
    image = render_page(write(TEXT), 1, "finished in 1970. It is high", WIDE)
    _left, top, _right, bottom = area(image)
    assert inside((0, top, 0, bottom), (0, 106, 0, 146))
    assert not marked(image)[108:122, 60:120].any()  # "The dam was" is not of it
    assert not marked(image)[125:128, :].any()  # nor what is between the lines


def test_a_passage_is_marked_on_its_own_page(write: Write) -> None:
    path = write(TEXT, [(72, 300, "The river is long and slow.")])
    assert not render_page(path, 1, "The river is long and slow.", WIDE).found
    image = render_page(path, 2, "The river is long and slow.", WIDE)
    assert image.pages == 2
    assert inside(area(image), (66, 286, 250, 306))


def test_of_a_passage_that_goes_on_on_the_next_page_the_part_here_is_marked(write: Write) -> None:
    path = write([*TEXT, (300, 760, "7")], [(72, 60, "and nobody has measured the depth of the lake.")])
    passage = "It is high and it is wide.\nand nobody has measured the depth of the lake."
    assert inside(area(render_page(path, 1, passage, WIDE)), (66, 126, 250, 146))
    assert inside(area(render_page(path, 2, passage, WIDE)), (66, 46, 400, 66))


@pytest.mark.parametrize(("rotate", "wanted"), [(90, (663, 66, 690, 250)), (180, (360, 665, 546, 690))])
def test_on_a_page_that_is_turned_the_mark_turns_too(write: Write, rotate: int, wanted: Area) -> None:
    path = write(TEXT)
    writer = PdfWriter(clone_from=path)
    writer.pages[0].rotate(rotate)
    writer.write(path)
    across = HIGH if rotate == 90 else WIDE
    image = render_page(path, 1, "The dam was finished in 1970.", across)
    assert size(image) == ((HIGH, WIDE) if rotate == 90 else (WIDE, HIGH))
    assert inside(area(image), wanted)


def test_from_one_column_to_the_next_each_part_is_marked_by_itself(write: Write) -> None:
    first = [(72, 100 + 20 * n, f"Line {n} of the left column.") for n in range(3)]
    second = [(340, 100 + 20 * n, f"Line {n} of the right column.") for n in range(3)]
    image = render_page(write([*first, *second]), 1, "Line 2 of the left column. Line 0 of the right column.", WIDE)
    pixels = marked(image)
    assert inside(area(image), (66, 86, 540, 146))
    assert not pixels[:, 260:334].any()  # the gutter
    assert not pixels[86:124, :300].any()  # the other lines of the left column
    assert not pixels[106:, 334:].any()  # the other lines of the right column


def test_of_several_places_with_these_words_it_is_the_one_after_the_words_before(write: Write) -> None:
    lines = [(72, 100, "Length: 6,650 km"), (72, 200, "Depth: 6,650 km"), (72, 300, "Width: 6,650 km")]
    path = write(lines)
    assert inside(area(render_page(path, 1, "6,650 km", WIDE, "Length: 6,650 km\nDepth: ")), (66, 186, 250, 206))
    assert inside(area(render_page(path, 1, "6,650 km", WIDE)), (66, 86, 250, 106))


@pytest.mark.parametrize("passage", ["", " … ", "Nothing of this stands on any page of it, not a word.", "大坝"])
def test_a_passage_that_is_not_there_marks_nothing(write: Write, passage: str) -> None:
    image = render_page(write(TEXT), 1, passage, WIDE)
    assert not image.found
    assert not marked(image).any()


def test_a_very_long_page_becomes_no_endless_picture(write: Write) -> None:
    image = render_page(write([], size=(20, 14_000)), 1, "", 1100)
    width, height = size(image)
    assert height <= 4000
    assert width <= 1100


@pytest.mark.parametrize(
    ("make", "page", "reason"),
    [
        (lambda write, _tmp: write(TEXT), 2, "no page 2"),
        (lambda write, _tmp: write(TEXT), 0, "no page 0"),
        (lambda write, _tmp: write(TEXT, size=(40_000, 40_000)), 1, "too large"),
        (lambda _write, tmp: tmp / "absent.pdf", 1, "cannot be opened"),
        (lambda _write, tmp: _file(tmp, b"no PDF at all"), 1, "damaged"),
        (lambda write, tmp: _file(tmp, write(TEXT).read_bytes()[:200]), 1, "damaged"),
        (lambda _write, tmp: _locked(tmp), 1, "password"),
    ],
)
def test_why_there_is_no_picture_is_said(
    write: Write, tmp_path: Path, make: Callable[[Write, Path], Path], page: int, reason: str
) -> None:
    path = make(write, tmp_path)
    with pytest.raises(UnreadableDocumentError, match=reason):
        render_page(path, page, "dam", WIDE)
    with pytest.raises(UnreadableDocumentError, match=reason):
        render_isolated("page", path, page, "dam", WIDE)


def _file(folder: Path, content: bytes) -> Path:
    path = folder / "other.pdf"
    path.write_bytes(content)
    return path


def _locked(folder: Path) -> Path:
    path = folder / "locked.pdf"
    canvas = Canvas(str(path), encrypt="secret")
    canvas.drawString(72, 700, "The dam was finished in 1970.")
    canvas.save()
    return path


# -- picture files


def test_a_picture_is_made_smaller_and_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    Image.new("RGB", (900, 300), "red").save(path, "JPEG", comment=b"where it was taken")
    image = render_picture(path, 300)
    assert size(image) == (300, 100)
    assert b"where it was taken" not in image.png
    assert Image.open(BytesIO(image.png)).format == "PNG"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG drawing"),
        (b"\x89PNG\r\n\x1a\nbroken", "no picture"),
        (b"\0\0\0\x18ftypheix" + bytes(99), "HEIC picture"),
        (b"", "empty"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=reason):
        render_picture(_file(tmp_path, content), 300)
    with pytest.raises(UnreadableDocumentError, match=reason):
        render_isolated("picture", _file(tmp_path, content), 300)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_grey_of_sixteen_bits_is_shown_as_grey(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "stored"
    steps = np.repeat(np.array([[0, 0x4000, 0x8000, 0xFFFF]], np.uint16), 50, axis=1)
    Image.fromarray(np.repeat(steps, 60, axis=0)).save(path, kind)
    shown = Image.open(BytesIO(render_picture(path, 200).png)).convert("L")
    assert [shown.getpixel((25 + 50 * step, 30)) for step in range(4)] == pytest.approx([0, 64, 127, 255], abs=1)


def test_a_picture_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    Image.new("1", (10_000, 8_000)).save(path, "PNG")
    with pytest.raises(UnreadableDocumentError, match="more than 50 million pixels"):
        render_picture(path, 300)


# -- in a process of its own


def test_apart_the_same_picture_is_made(write: Write) -> None:
    path = write(TEXT)
    assert render_isolated("page", path, 1, "finished in 1970", WIDE) == render_page(path, 1, "finished in 1970", WIDE)


def test_a_page_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_image, "_SECONDS", 1)
    with pytest.raises(UnreadableDocumentError, match=r"too long|cannot be drawn"):
        render_isolated("page", _file(tmp_path, _nested(9, 10)), 1, "", WIDE)


def _nested(levels: int, times: int) -> bytes:
    """A page that draws a form ten times, which draws another ten times, and so on: a small file, endless work."""

    def stream(facts: str, content: str) -> str:
        return f"<< {facts} /Length {len(content)} >>\nstream\n{content}\nendstream"

    form = "/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        " /Resources << /XObject << /F 5 0 R >> >> >>",
        stream("", "/F Do"),
        *(
            stream(f"{form} /Resources << /XObject << /F {number} 0 R >> >>", "/F Do " * times)
            for number in range(6, 6 + levels)
        ),
        stream(form, "0 0 m 100 200 300 400 500 600 c f " * times),
    ]
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{at:010d} 00000 n \n" for at in places)
    size = len(objects) + 1
    end = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n"
    )
    return f"{body}{end}%%EOF\n".encode()
