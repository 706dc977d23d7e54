"""Files read as documents: pictures by recognition, scanned pages too, and a stop between two pages."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.source import Source
from memory_bank.documents import source_reader
from memory_bank.documents.source_reader import ReadingProgress, ReadingStoppedError, SourceReader, refusals
from tests.builders import make_source
from tests.documents.pdf_maker import lines_of, pdf_of
from tests.documents.pictures.drawn import line

SAID = "Harlow Bridge was opened in 1932"


def put(folder: Path, data: bytes, name: str = "file", role: str = "material") -> Source:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "files" / "s1").write_bytes(data)
    return make_source("s1").model_copy(update={"name": name, "role": role})


def written(picture: Image.Image, kind: str) -> bytes:
    file = io.BytesIO()
    picture.convert("RGB").save(file, kind)
    return file.getvalue()


def test_a_picture_says_what_is_written_in_it(tmp_path: Path) -> None:
    source = put(tmp_path, written(line(SAID), "PNG"), "sign.png", "reference")
    document = SourceReader(tmp_path).read(source)
    assert (document.text, document.media_type) == (SAID, "image/png")


def test_a_picture_without_writing_is_described(tmp_path: Path) -> None:
    source = put(tmp_path, written(Image.new("RGB", (90, 60), "green"), "PNG"), "field.png", "reference")
    text = SourceReader(tmp_path).read(source).text
    assert "field.png" in text
    assert "No text was found" in text


def test_a_scanned_page_is_read_by_recognition(tmp_path: Path) -> None:
    sheet = Image.new("RGB", (1240, 1754), "white")
    sheet.paste(line(SAID, 40), (100, 200))
    document = SourceReader(tmp_path).read(put(tmp_path, written(sheet, "PDF"), "scan.pdf"))
    assert document.text.strip() == SAID
    assert (len(document.pages), document.unread_pages) == (1, 0)


def test_how_far_reading_has_got_is_told_and_it_stops_between_pages(tmp_path: Path) -> None:
    seen: list[ReadingProgress | None] = []

    def stopping() -> bool:
        seen.append(reader.reading)
        return len(seen) == 2

    reader = SourceReader(tmp_path, stopping)
    source = put(tmp_path, pdf_of([lines_of(f"This is page {number}.") for number in range(1, 6)]), "five.pdf")
    with pytest.raises(ReadingStoppedError):
        reader.read(source)
    assert seen == [ReadingProgress("s1", 1, 5), ReadingProgress("s1", 2, 5)]
    assert reader.reading is None


def test_a_picture_of_many_pages_stops_between_them_too(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (90, 60), "green") for _ in range(3)]
    file = io.BytesIO()
    pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:])
    told: list[ReadingProgress | None] = []

    def stopping() -> bool:
        told.append(reader.reading)
        return True

    reader = SourceReader(tmp_path, stopping)
    source = put(tmp_path, file.getvalue(), "scan.tif", "reference")
    with pytest.raises(ReadingStoppedError):
        reader.read(source)
    assert told == [ReadingProgress("s1", 1, 3)]
    assert "3 pages" in reader.take(source).text


def test_a_reference_that_a_tool_looks_up_is_read_to_its_end(tmp_path: Path) -> None:
    source = put(tmp_path, pdf_of([lines_of(f"This is page {number}.") for number in range(1, 4)]), role="reference")
    assert len(SourceReader(tmp_path, lambda: True).take(source).pages) == 3


def test_a_reference_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = SourceReader(tmp_path)
    source = put(tmp_path, b"The mill closed in 1921.", "register.txt", "reference")
    document = reader.read(source)
    monkeypatch.setattr(source_reader, "read_document", None)
    assert reader.take(source) is document
    monkeypatch.undo()
    assert reader.take(source) == document


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\nnothing", b"\xff\xd8\xff\xe0 cut"])
def test_a_damaged_picture_is_refused_in_words(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UnreadableDocumentError, match=r"damaged|no picture that can be read"):
        SourceReader(tmp_path).read(put(tmp_path, data, "sign.png", "reference"))


# -- before a session


def files_in(folder: Path, **contents: bytes) -> list[tuple[Path, str]]:
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [(folder / name, name) for name in contents]


def test_files_of_which_none_can_be_read_are_refused_one_by_one(tmp_path: Path) -> None:
    files = files_in(tmp_path, torn=b"%PDF-1.4 torn", picture=b"\x89PNG\r\n\x1a\n torn", archive=b"\x1f\x8b packed")
    assert {error.name for error in refusals(files)} == {"torn", "picture", "archive"}
    assert all(error.reason for error in refusals(files))


def test_one_readable_file_is_enough(tmp_path: Path) -> None:
    torn = files_in(tmp_path, torn=b"%PDF-1.4 torn")
    picture = written(line(SAID), "PNG")
    for name, data in {
        "note.md": b"Opened in 1932.",
        "plan.pdf": pdf_of([lines_of(SAID)]),
        "sign.png": picture,
    }.items():
        assert refusals([*torn, *files_in(tmp_path, **{name: data})]) == []


def test_no_files_are_no_refusal() -> None:
    assert refusals([]) == []
