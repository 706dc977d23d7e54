"""Reading an image without a model: what is written in it, and what kind of picture it is."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from memory_bank.agents.react import REACT, ImageRead, StepResult, WaitingImage
from memory_bank.errors import UnreadableDocumentError, UnreadableImageError, raise_if_of_the_disk
from memory_bank.events import Notice
from memory_bank.modules.pictures import PictureRead, read_pages
from memory_bank.modules.returning import Returning


def read_image(image: WaitingImage) -> Generator[Notice, None, StepResult]:
    """The text that stands for an image; between two pages a notice, after which reading may be left.

    `UnreadableImageError` if it is damaged or of a kind that is not read; `OSError` if the disk does not give it now.
    """
    name = image.source.name
    reading = Returning(read_pages(image.path, name))
    try:
        for done, pages in reading:
            if done < pages:
                yield Notice(message=f"Page {done} of {pages} of {name} is read.")
    except UnreadableDocumentError as error:
        raise_if_of_the_disk(error)
        raise UnreadableImageError(REACT, error.reason) from error
    read = reading.result
    found = ImageRead(id=image.source.id, facts=_facts(read), described=read.described)
    return StepResult(answer=read.text, messages=(), image=found)


def _facts(read: PictureRead) -> dict[str, Any]:
    """What is known of a picture beside its text; sizes in pixels, the confidence of its text 0 to 1."""
    picture = read.picture
    known = {
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "taken_at": picture.metadata.taken_at,
        "camera": picture.metadata.camera,
        "confidence": None if read.described else round(read.recognised.confidence, 3),
    }
    return {name: fact for name, fact in known.items() if fact is not None}
