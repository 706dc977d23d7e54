"""What kind of picture it is: a cheap guess from its pixels, and no more than that."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Kind = Literal["photograph", "page", "screenshot", "drawing"]
"""A page is rows of writing on paper, scanned or not; a screenshot is whatever else a computer made, charts and
slides among them; a drawing has some strokes on a plain ground."""

_SAMPLE = 512
_ROWS = 200
_SLICES = 8
_CONTRAST = 32
"""Of 255: what differs so much from the ground is ink."""
_COLOURED = 48


def guess_kind(image: Image.Image) -> Kind:
    """Guess from the ground, the colours, the smoothness and the rows of ink of an RGB picture."""
    flat = _flatness(image)
    sample = image.copy()
    sample.thumbnail((_SAMPLE, _SAMPLE), Image.Resampling.BOX)
    seen = np.asarray(sample, dtype=np.int16)
    brightness = seen.mean(axis=2)
    ground = float(np.median(brightness))
    ink = np.abs(brightness - ground) > _CONTRAST
    coloured = float(np.mean(np.ptp(seen, axis=2) > _COLOURED))
    on_paper = ground > 150 and ink.mean() < 0.4 and coloured < 0.1
    if not on_paper:
        return "screenshot" if flat > 0.6 else "photograph"
    if _rows_of_ink(ink) >= 6:
        return "screenshot" if flat > 0.8 and image.width > image.height else "page"
    return "drawing"


def _flatness(image: Image.Image) -> float:
    """The share of pixels that are like their left neighbour, as far as a JPEG keeps that.

    Cameras and scanners see few such, computers paint little else.
    """
    step = -(-image.height // _ROWS)
    rows = np.concatenate(
        [np.asarray(image.crop((0, y, image.width, y + 1)), dtype=np.int16) for y in range(0, image.height, step)]
    )
    if image.width == 1:
        return 1.0
    return float(np.mean(np.abs(np.diff(rows, axis=1)).max(axis=2) <= 1))


def _rows_of_ink(ink: NDArray[np.bool_]) -> float:
    """How many rows of ink lie one above the other. Looked at in narrow slices, as a page may lie askew."""
    counts = []
    for part in np.array_split(ink, _SLICES, axis=1):
        inked = part.mean(axis=1) > 0.1 if part.size else np.zeros(1, dtype=np.bool_)
        if inked.any():
            counts.append(np.count_nonzero(inked[1:] & ~inked[:-1]))
    return float(np.median(counts)) if counts else 0.0
