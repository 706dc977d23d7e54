"""What is written is recovered, in the order in which a person reads it, and nothing is made up where nothing is."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from pathlib import Path

import pytest
import rapidocr
from PIL import Image, ImageDraw, ImageFont

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.pictures import read_pages, recognise
from memory_bank.documents.pictures.ocr import RecognisedText
from memory_bank.text.iteration import Returning
from tests.documents.pictures.drawn import CHINESE, DAM, LATIN, RIVER, line, page, wrapped
from tests.shared_data import DATA

FILES = DATA / "files"


def words(text: str) -> list[str]:
    """Runs of letters and digits in lower case."""
    return re.findall(r"\w+", text.lower())


def letters(text: str) -> list[str]:
    """Letters and digits, one by one: what words are in Chinese."""
    return re.findall(r"\w", text)


def recovered(wanted: Sequence[str], found: Sequence[str]) -> float:
    """The share of what was written that was read, each counted as often as it was written."""
    return (Counter(wanted) & Counter(found)).total() / len(wanted)


def in_order(wanted: Sequence[str], found: Sequence[str]) -> float:
    """The share that was read in the order in which it was written."""
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(wanted)


def recognised(path: Path, name: str) -> RecognisedText:
    """The text of all pages of a file."""
    reading = Returning(read_pages(path, name))
    list(reading)
    return reading.result.recognised


# -- pages


@pytest.mark.parametrize(("dpi", "angle", "noise"), [(150, -2.0, 20), (200, 2.0, 10)])
def test_of_a_scanned_page_nearly_every_word_is_read(dpi: int, angle: float, noise: float) -> None:
    read = recognise(page([RIVER], dpi=dpi, angle=angle, noise=noise))
    assert recovered(words(RIVER), words(read.text)) >= 0.95
    assert in_order(words(RIVER), words(read.text)) >= 0.95
    assert read.text.count("\n\n") == RIVER.count("\n\n")
    assert read.confidence > 0.9


def test_of_a_scanned_page_in_chinese_nearly_every_character_is_read() -> None:
    read = recognise(page([DAM], font=CHINESE, angle=1.5))
    assert recovered(letters(DAM), letters(read.text)) >= 0.95
    assert in_order(letters(DAM), letters(read.text)) >= 0.95
    assert " " not in read.text


def test_of_a_paragraph_in_chinese_the_lines_are_joined() -> None:
    read = recognise(page([DAM], font=CHINESE))
    assert [len(part.split("\n")) for part in read.text.split("\n\n")] == [1] * len(DAM.split("\n\n"))


@pytest.mark.slow
def test_two_columns_are_read_one_after_the_other_below_their_title() -> None:
    left, right = RIVER.split("\n\n", 1)
    read = recognise(page([left + " " + left, right], "Two surveys of one river", angle=-1))
    assert in_order(words(f"Two surveys of one river {left} {left} {right}"), words(read.text)) >= 0.95
    assert read.text.startswith("Two surveys of one river\n\n")


@pytest.mark.parametrize("turned", [90, 180, 270])
@pytest.mark.slow
def test_a_page_is_read_whichever_of_its_sides_is_up(turned: int) -> None:
    text = RIVER.split("\n\n", maxsplit=1)[0]
    lying = page([text]).rotate(turned, expand=True)
    read = recognise(lying)
    assert in_order(words(text), words(read.text)) >= 0.95


def test_the_rows_of_a_table_stay_together() -> None:
    rows = [("Station", "Level", "Depth"), ("Harrow", "12.5 m", "4.1 m"), ("Old ferry", "9.8 m", "3.6 m")]
    sheet = Image.new("RGB", (900, 300), "white")
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            place = (60 + 280 * column, 40 + 70 * number)
            ImageDraw.Draw(sheet).text(place, cell, font=ImageFont.truetype(str(LATIN), 26), fill="black")
    assert recognise(sheet).text.splitlines() == [" ".join(row) for row in rows]


def test_a_line_too_long_for_the_model_is_read_in_parts() -> None:
    text = "They measured the depth at forty-two places, from the bridge at Harrow to the old ferry, and found nothing"
    assert recognise(line(text)).text == text


@pytest.mark.slow
def test_small_writing_on_a_large_screen_is_read() -> None:
    screen = Image.new("RGB", (3840, 2160), (30, 30, 46))
    draw, small = ImageDraw.Draw(screen), ImageFont.truetype(str(LATIN), 13)
    draw.text((100, 60), "Stations", font=ImageFont.truetype(str(LATIN), 60), fill="white")
    for row, text in enumerate(wrapped(RIVER, small, 700)):
        draw.text((1500, 900 + 20 * row), text, font=small, fill=(200, 200, 210))
    assert in_order(words(f"Stations {RIVER}"), words(recognise(screen).text)) >= 0.95


# -- nothing


@pytest.mark.parametrize("size", [(1, 1), (3, 900), (400, 300)])
def test_where_nothing_is_written_nothing_is_read(size: tuple[int, int]) -> None:
    read = recognise(Image.new("RGB", size, "white"))
    assert (read.text, read.confidence) == ("", 0.0)


@pytest.mark.parametrize("name", ["chelsea.png", "astronaut.png", "pypdf-image.jpg"])
@pytest.mark.slow
def test_nothing_is_read_into_a_photograph(name: str) -> None:
    path = FILES / name
    if not path.exists():
        pytest.skip("the shared files are not here")
    assert recognised(path, name).text == ""


# -- files


def test_the_pages_of_a_file_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "fax.tiff"
    sheets = [line("The first page"), line("大坝建成", font=CHINESE), line("The last page")]
    sheets[0].save(path, save_all=True, append_images=sheets[1:])
    assert list(read_pages(path, "fax.tiff")) == [(1, 3), (2, 3), (3, 3)]
    assert recognised(path, "fax.tiff").text == "The first page\n\n大坝建成\n\nThe last page"


def test_a_file_that_has_gone_is_said_to_have_gone(tmp_path: Path) -> None:
    path = tmp_path / "gone.tiff"
    line("Here today").save(path, save_all=True, append_images=[line("Gone tomorrow")])
    pages = read_pages(path, "gone.tiff")
    assert next(pages) == (1, 2)
    path.unlink()
    with pytest.raises(UnreadableDocumentError, match=r"gone\.tiff: the file cannot be opened"):
        next(pages)


# -- the models


def test_every_thread_reads_the_same_each_time() -> None:
    pictures = [line("The dam of 1970"), line("The bridge at Harrow")] * 3
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(recognise, pictures))
    assert {one.text for one in read} == {"The dam of 1970", "The bridge at Harrow"}
    assert read[:2] == read[2:4] == read[4:]


def in_a_process(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


def test_importing_it_loads_no_model() -> None:
    code = "import memory_bank.documents.pictures, sys; print({'rapidocr', 'cv2', 'onnxruntime'} & set(sys.modules))"
    assert in_a_process(code, Path.cwd()) == "set()\n"


def test_reading_says_nothing_and_writes_nothing(tmp_path: Path) -> None:
    def packaged() -> set[tuple[Path, int]]:
        return {(path, path.stat().st_size) for path in Path(rapidocr.__file__).parent.glob("models/*")}

    before, path = packaged(), tmp_path / "line.png"
    line("The dam of 1970").save(path)
    code = "from memory_bank.documents.pictures import recognise\nfrom PIL import Image\n"
    code += "print(recognise(Image.open('line.png')).text)\nprint(recognise(Image.new('L', (99, 99))).text)"
    assert in_a_process(code, tmp_path) == "The dam of 1970\n\n"
    assert list(tmp_path.iterdir()) == [path]
    assert packaged() == before
