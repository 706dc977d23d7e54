"""Picture files: what they are is told, and whatever could do harm is refused with one line."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.pictures import read_picture
from memory_bank.documents.pictures.metadata import Metadata
from memory_bank.documents.pictures.picture import open_page

Write = Callable[[bytes], Path]
WIDE, HIGH = 60, 40


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(data: bytes) -> Path:
        path = tmp_path / "stored"
        path.write_bytes(data)
        return path

    return written


def encoded(picture: Image.Image, kind: str, **options: Any) -> bytes:
    into = BytesIO()
    picture.save(into, kind, **options)
    return into.getvalue()


def plain(mode: str = "RGB") -> Image.Image:
    """Dark red, with its upper left corner white."""
    picture = Image.new("RGB", (WIDE, HIGH), (120, 10, 10))
    picture.paste((255, 255, 255), (0, 0, 20, 20))
    return picture.convert(mode)


# -- what it is


@pytest.mark.parametrize(
    ("kind", "said", "media_type"),
    [
        ("PNG", "PNG", "image/png"),
        ("JPEG", "JPEG", "image/jpeg"),
        ("WEBP", "WebP", "image/webp"),
        ("GIF", "GIF", "image/gif"),
        ("TIFF", "TIFF", "image/tiff"),
        ("BMP", "BMP", "image/bmp"),
        ("AVIF", "AVIF", "image/avif"),
    ],
)
def test_the_content_decides_what_it_is(write: Write, kind: str, said: str, media_type: str) -> None:
    path = write(encoded(plain(), kind))
    picture = read_picture(path, "holiday\n.docx")
    assert picture.name == "holiday .docx"
    assert (picture.format, picture.media_type) == (said, media_type)
    assert (picture.width, picture.height, picture.pages, picture.animated) == (WIDE, HIGH, 1, False)
    pixels = open_page(path, picture.name)
    assert pixels.getpixel((5, 5)) == pytest.approx((255, 255, 255), abs=12)
    assert pixels.getpixel((50, 30)) == pytest.approx((120, 10, 10), abs=12)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "I", "F", "CMYK", "I;16"])
def test_whatever_its_colours_are_stored_as_dark_is_dark(write: Write, mode: str) -> None:
    sixteen = Image.fromarray(np.asarray(plain("L")).astype(np.uint16) * 257)
    stored = sixteen if mode == "I;16" else plain(mode)
    kind = "TIFF" if mode in {"F", "CMYK", "I"} else "PNG"
    pixels = open_page(write(encoded(stored, kind)), "stored")
    assert pixels.mode == "RGB"
    assert min(pixels.getpixel((5, 5))) > 230
    assert min(pixels.getpixel((50, 30))) < 90


@pytest.mark.parametrize("value", [0xFFFF, 0xFFF, 0x3FF, 0xFF])
def test_white_is_white_in_as_many_bits_as_a_scanner_gives(write: Write, value: int) -> None:
    sheet = Image.fromarray(np.full((HIGH, WIDE), value, np.uint16))
    pixels = open_page(write(encoded(sheet, "TIFF")), "stored")
    assert pixels.getextrema() == ((255, 255),) * 3


@pytest.mark.parametrize(("ink", "ground"), [("black", (255, 255, 255)), ("white", (0, 0, 0))])
def test_what_is_transparent_is_put_on_a_ground_from_which_it_stands_out(
    write: Write, ink: str, ground: tuple[int, ...]
) -> None:
    picture = Image.new("RGBA", (WIDE, HIGH), (0, 0, 0, 0))
    picture.paste(ink, (10, 10, 30, 20))
    pixels = open_page(write(encoded(picture, "PNG")), "stored")
    assert pixels.getpixel((50, 30)) == ground
    assert pixels.getpixel((20, 15)) != ground


@pytest.mark.parametrize("orientation", range(1, 9))
def test_it_is_turned_as_its_camera_was_held(write: Write, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = write(encoded(plain(), "JPEG", exif=exif))
    picture, pixels = read_picture(path, "stored"), open_page(path, "stored")
    assert pixels.size == (picture.width, picture.height) == ((WIDE, HIGH) if orientation < 5 else (HIGH, WIDE))
    right, below = orientation in {2, 3, 6, 7}, orientation in {3, 4, 7, 8}
    corner = (pixels.width - 5 if right else 5, pixels.height - 5 if below else 5)
    assert min(pixels.getpixel(corner)) > 200


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_what_moves_the_first_frame_is_looked_at(write: Write, kind: str) -> None:
    frames = [Image.new("RGB", (WIDE, HIGH), (8 * number, 0, 0)) for number in range(31)]
    path = write(encoded(frames[0], kind, save_all=True, append_images=frames[1:]))
    picture = read_picture(path, "stored")
    assert (picture.animated, picture.pages) == (True, 1)
    assert open_page(path, "stored").getpixel((1, 1))[0] < 8


def test_the_pages_of_a_tiff_are_counted_and_each_can_be_had(write: Write) -> None:
    pages = [Image.new("L", (20 + number, 10), 50 * number) for number in range(4)]
    path = write(encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:]))
    picture = read_picture(path, "stored")
    assert (picture.pages, picture.width, picture.animated) == (4, 20, False)
    assert [open_page(path, "stored", page).size[0] for page in range(1, 5)] == [20, 21, 22, 23]


def test_a_large_picture_is_handed_out_smaller(write: Write) -> None:
    pixels = open_page(write(encoded(Image.new("1", (8000, 6000)), "PNG")), "stored")
    assert 15_990_000 <= pixels.width * pixels.height <= 16_010_000


# -- what its file says


def test_when_and_with_what_it_was_taken_is_told_and_not_where(write: Write) -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x010E] = "NIKON CORPORATION", "NIKON D60", "  The old\nferry  "
    exif.get_ifd(0x8769)[0x9003] = "2012:08:07 14:35:10"
    exif.get_ifd(0x8825)[2] = (47.0, 22.0, 1.0)
    told = read_picture(write(encoded(plain(), "JPEG", exif=exif)), "stored").metadata
    assert told == Metadata("2012-08-07 14:35", "NIKON D60", (("description", "The old ferry"),))


def test_texts_in_the_file_are_told_once_each_and_bounded(write: Write) -> None:
    texts = PngImagePlugin.PngInfo()
    for label, text in {"Title": "A survey", "Comment": "A survey", "Description": "x" * 9999, "Software": "y"}.items():
        texts.add_text(label, text)
    told = read_picture(write(encoded(plain(), "PNG", pnginfo=texts)), "stored").metadata.texts
    assert [text for _, text in told] == ["A survey", "x" * 500]


@pytest.mark.parametrize("when", ["0000:00:00 00:00:00", "2012:13:45 14:35:10", "yesterday", "2012:08:07 29:35:10"])
def test_a_clock_that_was_never_set_tells_nothing(write: Write, when: str) -> None:
    exif = Image.Exif()
    exif[0x0132] = when
    assert read_picture(write(encoded(plain(), "JPEG", exif=exif)), "stored").metadata.taken_at is None


# -- what does harm


def png(width: int, height: int, pixels: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def tiff(pages: int, *, endless: bool = False) -> bytes:
    """Pages of one pixel, the last of which may point back to the first."""
    tags = [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (278, 1), (279, 1)]
    size = 2 + 12 * len(tags) + 4
    said = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    after = [12 + size * (page + 1) for page in range(pages - 1)] + [12 if endless else 0]
    return struct.pack("<2sHIxxxx", b"II", 42, 12) + b"".join(said + struct.pack("<I", place) for place in after)


def half(kind: str) -> bytes:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 200, 3), np.uint8))
    data = encoded(noise, kind)
    return data[: len(data) // 2]


REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "it is empty"),
    "text": (b"The dam was finished in 1970.", "no picture that can be read; save it as PNG or JPEG"),
    "PDF": (b"%PDF-1.4 nothing", "no picture"),
    "null bytes": (bytes(100_000), "no picture"),
    "SVG": (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "it is an SVG drawing.*save it as PNG"),
    "HEIC": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(99), "it is a HEIC picture.*save it as JPEG or PNG"),
    "HEIC of a rare brand": (b"\0\0\0\x18ftyphevx\0\0\0\0mif1" + bytes(99), "it is a HEIC picture"),
    "60,000 pixels wide and high": (png(60_000, 60_000, b""), "more than 50 million pixels"),
    "a thousandth of its size": (png(20_000, 20_000, zlib.compress(bytes(50_020_000))), "more than 50 million pixels"),
    "one line of 300,000 pixels": (png(300_000, 1, zlib.compress(bytes(37_501))), "side of more than 32,000"),
    "no pixels": (png(0, 0, b""), "no picture|damaged"),
    "21 pages": (tiff(21), "it has more than 20 pages; save it as PDF"),
    "100,000 pages": (tiff(100_000), "it has more than 20 pages"),
    **{f"half a {kind}": (half(kind), "damaged|no picture") for kind in ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "AVIF")},
}


@pytest.mark.parametrize("which", REFUSED)
def test_what_does_harm_is_refused_at_once_in_one_line(
    write: Write, which: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data, reason = REFUSED[which]
    path, start = write(data), time.perf_counter()
    with pytest.raises(UnreadableDocumentError, match=reason) as refused:
        read_picture(path, "holiday.png")
    assert str(refused.value).startswith("holiday.png: ")
    assert "\n" not in str(refused.value)
    assert time.perf_counter() - start < 5
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocumentError, match="the file cannot be opened"):
        read_picture(tmp_path / "absent.png", "absent.png")


def test_pages_that_go_round_in_a_circle_come_to_an_end(write: Write) -> None:
    assert read_picture(write(tiff(3, endless=True)), "stored").pages == 3


def test_half_a_million_frames_are_not_counted(write: Write) -> None:
    frame = b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
    data = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + frame * 500_000 + b";"
    start = time.perf_counter()
    assert read_picture(write(data), "stored").animated
    assert time.perf_counter() - start < 5


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    kind=st.sampled_from(["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF"]),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)), max_size=6),
)
def test_a_file_with_errors_is_read_or_refused(
    write: Write, kind: str, changes: list[tuple[float, bytes]], capfd: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(encoded(plain(), kind))
    for place, wrong in changes:
        at = int(place * len(data))
        data[at : at + len(wrong)] = wrong
    path, said = write(bytes(data)), ""
    try:
        read_picture(path, "holiday")
    except UnreadableDocumentError as refused:
        said = str(refused)
    assert "\n" not in said
    assert capfd.readouterr() == ("", "")
