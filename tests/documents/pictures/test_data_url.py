"""Pictures as models are given them: what is known to all models, bounded, and nothing but what is seen."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.pictures import data_urls


def stored(folder: Path, image: Image.Image, kind: str, **options: object) -> Path:
    path = folder / "stored"
    image.save(path, kind, **options)
    return path


def opened(url: str) -> Image.Image:
    head, _, data = url.partition(",")
    image = Image.open(BytesIO(b64decode(data)))
    assert head == f"data:image/{str(image.format).lower()};base64"
    return image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF"])
def test_whatever_its_format_a_model_is_given_one_that_it_knows(tmp_path: Path, kind: str) -> None:
    (url,) = data_urls(stored(tmp_path, Image.new("RGB", (40, 30), (120, 10, 10)), kind), "stored")
    image = opened(url)
    assert image.format in {"PNG", "JPEG"}
    assert image.size == (40, 30)
    assert image.getpixel((5, 5)) == pytest.approx((120, 10, 10), abs=12)


def test_a_photograph_is_a_jpeg_however_it_was_stored(tmp_path: Path) -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (300, 300, 3), np.uint8))
    assert opened(data_urls(stored(tmp_path, noise, "BMP"), "stored")[0]).format == "JPEG"


@pytest.mark.parametrize("size", [(6000, 4000), (500, 20_000), (30_000, 20)])
def test_a_large_picture_is_made_smaller_in_its_proportions(tmp_path: Path, size: tuple[int, int]) -> None:
    image = opened(data_urls(stored(tmp_path, Image.new("1", size), "PNG"), "stored")[0])
    assert image.width * image.height <= 2048 * 2048
    assert max(image.size) <= 8000
    assert image.width / image.height == pytest.approx(size[0] / size[1], rel=0.3 if min(image.size) < 9 else 0.01)


def test_grey_of_sixteen_bits_is_no_white_sheet(tmp_path: Path) -> None:
    grey = Image.fromarray(np.linspace(0, 0xFFFF, 40 * 30).reshape(30, 40).astype(np.uint16))
    low, high = opened(data_urls(stored(tmp_path, grey, "PNG"), "stored")[0]).convert("L").getextrema()
    assert (low, high) == (0, 255)


def test_where_it_was_taken_is_told_to_nobody(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif.get_ifd(0x8825)[2] = (47.0, 22.0, 1.0)
    path = stored(tmp_path, Image.new("RGB", (40, 30)), "JPEG", exif=exif, comment=b"at home")
    image = opened(data_urls(path, "stored")[0])
    assert not image.getexif()
    assert "comment" not in image.info


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stored").write_bytes(b"\x89PNG broken")
    with pytest.raises(UnreadableDocumentError, match="no picture that can be read"):
        data_urls(tmp_path / "stored", "stored")
