from __future__ import annotations

import io

import pytest
from PIL import Image

from memory_bank.documents.media_type import picture_type


@pytest.mark.parametrize("name", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF"])
def test_a_picture_is_known_by_its_first_bytes(name: str) -> None:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(file, name)
    assert picture_type(file.getvalue()[:32]) == f"image/{name.lower()}"


@pytest.mark.parametrize("data", [b"", b"text", b"BMW builds cars", b"%PDF-1.7", b"PK\x03\x04", b"RIFF....WAVE"])
def test_anything_else_is_none(data: bytes) -> None:
    assert picture_type(data) is None


@pytest.mark.parametrize("brand", ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"])
def test_heic_is_known_whatever_its_brand(brand: str) -> None:
    assert picture_type(b"\0\0\0\x18ftyp" + brand.encode() + b"\0\0\0\0" + b"heic" + bytes(40)) == "image/heic"


@pytest.mark.parametrize("brand", ["avif", "avis", "mif1", "msf1"])
def test_what_is_compatible_with_avif_is_avif(brand: str) -> None:
    assert picture_type(b"\0\0\0\x1cftyp" + brand.encode() + b"\0\0\0\0" + b"avifmiaf" + bytes(40)) == "image/avif"


def test_a_film_is_no_picture() -> None:
    assert picture_type(b"\0\0\0\x18ftypisom\0\0\0\0" + bytes(40)) is None
