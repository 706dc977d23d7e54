"""The text that stands for a picture in which nothing is written."""

from __future__ import annotations

from dataclasses import replace

from memory_bank.documents.pictures.metadata import Metadata
from memory_bank.documents.pictures.ocr import describe_picture
from memory_bank.documents.pictures.picture import Picture

PICTURE = Picture("field note.jpg", "JPEG", "image/jpeg", 4000, 3000, "photograph")


def test_a_picture_without_text_says_so_and_keeps_its_name() -> None:
    assert describe_picture(PICTURE) == (
        "field note.jpg is a picture, by its looks a photograph, of 4,000 × 3,000 pixels (JPEG). "
        "No text was found in it."
    )


def test_what_the_file_tells_is_told() -> None:
    told = Metadata("2012-08-07 14:35", "NIKON D60", (("title", "The old ferry"), ("author", "A. Reader")))
    text = describe_picture(replace(PICTURE, metadata=told))
    assert "It was taken on 2012-08-07 at 14:35 with NIKON D60." in text
    assert "The title in its file is “The old ferry”. The author in its file is “A. Reader”." in text
    assert "It was taken with NIKON D60." in describe_picture(replace(PICTURE, metadata=Metadata(camera="NIKON D60")))


def test_pages_and_movement_are_told() -> None:
    assert "(JPEG, 12 pages)." in describe_picture(replace(PICTURE, pages=12))
    assert "It is animated; only its first frame was looked at." in describe_picture(replace(PICTURE, animated=True))
