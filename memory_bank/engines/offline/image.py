"""Reading an image without a model: what is written in it, and what kind of picture it is."""

from __future__ import annotations

from typing import Any

from memory_bank.agents.react import REACT, ImageRead, StepResult, WaitingImage
from memory_bank.errors import UnreadableDocumentError, UnreadableImageError
from memory_bank.modules.pictures import Picture, Recognised, describe, read_picture, recognise


def read_image(image: WaitingImage) -> StepResult:
    """The text that stands for an image. `UnreadableImageError` if it is damaged or of a kind that is not read."""
    try:
        picture = read_picture(image.path, image.source.name)
        recognised = recognise(picture)
    except UnreadableDocumentError as error:
        raise UnreadableImageError(REACT, error.reason) from error
    read = ImageRead(id=image.source.id, facts=_facts(picture, recognised), described=not recognised.text)
    return StepResult(answer=recognised.text or describe(picture, recognised), messages=(), image=read)


def _facts(picture: Picture, recognised: Recognised) -> dict[str, Any]:
    """What is known of a picture beside its text; sizes in pixels, the confidence of its text 0 to 1."""
    known = {
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "taken_at": picture.metadata.taken_at,
        "camera": picture.metadata.camera,
        "confidence": round(recognised.confidence, 3) if recognised.text else None,
    }
    return {name: fact for name, fact in known.items() if fact is not None}
