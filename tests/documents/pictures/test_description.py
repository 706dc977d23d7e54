"""The text that stands for a picture: what is written in it, what it is, and how far that is to be trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memory_bank.documents.pictures import Picture, RecognisedText, describe
from memory_bank.documents.pictures.metadata import Metadata

PICTURE = Picture(Path("stored"), "field note.jpg", "JPEG", "image/jpeg", 4000, 3000, "photograph")
NOTHING = RecognisedText((), "", 0.0)


def test_what_is_written_comes_first_and_then_what_it_is() -> None:
    assert describe(PICTURE, RecognisedText((), "The dam\nof 1970.", 0.974)) == (
        "The dam\nof 1970.\n\n"
        "field note.jpg is a picture, by its looks a photograph, of 4,000 × 3,000 pixels (JPEG). "
        "Its text was recognised with a confidence of 97%."
    )


def test_a_picture_without_text_says_so_and_keeps_its_name() -> None:
    assert describe(PICTURE, NOTHING) == (
        "field note.jpg is a picture, by its looks a photograph, of 4,000 × 3,000 pixels (JPEG). "
        "No text was found in it."
    )


def test_what_was_hardly_legible_is_said_to_be_doubtful() -> None:
    text = describe(PICTURE, RecognisedText((), "fou t pot", 0.61))
    assert text.endswith("with a confidence of 61%; parts of it may be wrong.")


def test_what_the_file_tells_is_told() -> None:
    told = Metadata("2012-08-07 14:35", "NIKON D60", (("title", "The old ferry"), ("author", "A. Reader")))
    text = describe(replace(PICTURE, metadata=told), NOTHING)
    assert "It was taken on 2012-08-07 at 14:35 with NIKON D60." in text
    assert "The title in its file is “The old ferry”. The author in its file is “A. Reader”." in text
    assert "It was taken with NIKON D60." in describe(replace(PICTURE, metadata=Metadata(camera="NIKON D60")), NOTHING)


def test_pages_and_movement_are_told() -> None:
    assert "(JPEG, 12 pages)." in describe(replace(PICTURE, pages=12), NOTHING)
    assert "It is animated; only its first frame was looked at." in describe(replace(PICTURE, animated=True), NOTHING)
