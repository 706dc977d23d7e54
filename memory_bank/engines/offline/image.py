"""Reading an image without a model: its recognised text, or a description, and facts about the picture."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from memory_bank.agents.react import REACT, ImageRead, StepResult, WaitingImage
from memory_bank.bank.errors import UnreadableDocumentError, UnreadableImageError, raise_disk_error
from memory_bank.bank.events import Notice
from memory_bank.documents.pictures import PictureRead, read_pages
from memory_bank.text.returning import Returning
from memory_bank.text.wording import Wording


def read_image(image: WaitingImage) -> Generator[Notice, None, StepResult]:
    """Read an image as text. Yields a notice between two pages, where the caller may stop.

    `UnreadableImageError` if it is damaged or of a kind that is not read; `OSError` if the disk fails for now.
    """
    name = image.source.name
    reading = Returning(read_pages(image.path, name))
    try:
        for done, pages in reading:
            if done < pages:
                yield Notice(
                    message=Wording("Page {number} of {pages} of {file} is read.", number=done, pages=pages, file=name)
                )
    except UnreadableDocumentError as error:
        raise_disk_error(error)
        raise UnreadableImageError(REACT, error.reason) from error
    content = reading.result
    image_read = ImageRead(id=image.source.id, facts=_facts(content), described=content.described)
    return StepResult(answer=content.text, messages=(), image=image_read)


def _facts(content: PictureRead) -> dict[str, Any]:
    """The known properties of a picture; sizes in pixels, the confidence of its recognised text 0 to 1."""
    picture = content.picture
    facts = {
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "taken_at": picture.metadata.taken_at,
        "camera": picture.metadata.camera,
        "confidence": None if content.described else round(content.recognised.confidence, 3),
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
