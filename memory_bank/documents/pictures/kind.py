"""Guess the kind of a picture from its pixels. It is a cheap guess and no more."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Kind = Literal["photograph", "page", "screenshot", "drawing"]
"""A page is rows of text on paper, scanned or not. A screenshot is anything else made by a computer, such as charts and
slides. A drawing has some strokes on a plain background."""

_SAMPLE = 512
_ROWS = 200
_SLICES = 8
_CONTRAST = 32
"""Brightness difference from the background, of 255, from which a pixel is ink."""
_COLOURED = 48
"""Difference between the colour channels, of 255, from which a pixel is coloured."""


def guess_kind(image: Image.Image) -> Kind:
    """Guess from the background, the colours, the flatness and the rows of ink of an RGB picture."""
    flat = _flatness(image)
    sample = image.copy()
    sample.thumbnail((_SAMPLE, _SAMPLE), Image.Resampling.BOX)
    pixels = np.asarray(sample, dtype=np.int16)
    brightness = pixels.mean(axis=2)
    background = float(np.median(brightness))
    ink = np.abs(brightness - background) > _CONTRAST
    coloured = float(np.mean(np.ptp(pixels, axis=2) > _COLOURED))
    on_paper = background > 150 and ink.mean() < 0.4 and coloured < 0.1
    if not on_paper:
        return "screenshot" if flat > 0.6 else "photograph"
    if _rows_of_ink(ink) >= 6:
        return "screenshot" if flat > 0.8 and image.width > image.height else "page"
    return "drawing"


def _flatness(image: Image.Image) -> float:
    """The share of pixels that nearly equal their left neighbour; JPEG compression changes pixels slightly.

    It is low for cameras and scanners, and high for pictures made by computers.
    """
    step = -(-image.height // _ROWS)
    rows = np.concatenate(
        [np.asarray(image.crop((0, y, image.width, y + 1)), dtype=np.int16) for y in range(0, image.height, step)]
    )
    if image.width == 1:
        return 1.0
    return float(np.mean(np.abs(np.diff(rows, axis=1)).max(axis=2) <= 1))


def _rows_of_ink(ink: NDArray[np.bool_]) -> float:
    """Count the rows of ink, as the median over narrow vertical slices, because a page may be skewed."""
    counts = []
    for part in np.array_split(ink, _SLICES, axis=1):
        inked = part.mean(axis=1) > 0.1 if part.size else np.zeros(1, dtype=np.bool_)
        if inked.any():
            counts.append(np.count_nonzero(inked[1:] & ~inked[:-1]))
    return float(np.median(counts)) if counts else 0.0
