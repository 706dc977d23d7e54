from __future__ import annotations

import io

import pytest
from PIL import Image

from memory_bank.modules.media_type import picture_type


@pytest.mark.parametrize("name", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF"])
def test_a_picture_is_known_by_its_first_bytes(name: str) -> None:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(file, name)
    assert picture_type(file.getvalue()[:32]) == f"image/{name.lower()}"


@pytest.mark.parametrize("data", [b"", b"text", b"BMW builds cars", b"%PDF-1.7", b"PK\x03\x04", b"RIFF....WAVE"])
def test_anything_else_is_none(data: bytes) -> None:
    assert picture_type(data) is None
