"""Lines of writing on a page: found, the page set upright by them, cut out and read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

from memory_bank.modules.pictures.layout import Corners
from memory_bank.modules.pictures.models import Models

_FIRST_LOOK = 1280
"""Pixels of the longer side at which a page is looked at first: letters of six pixels are still found."""
_MOST_ENLARGED = 2.0
_SMALL, _TALL, _NOT_TALL = 14, 20, 25
"""Heights of a line's box at the first look: what is small may have smaller neighbours that were overlooked; what is
tall was seen well, and seen close is the same line if it is not much taller."""
_COARSE, _STANDS_OUT, _SPECKS = 4, 16, 6
"""How many pixels are made one, how different of 255 that must be from what is around it, and how many are dirt."""
_CLOSE_LOOK, _CLOSE_WIDTH, _STRIP = 4_000_000, 4_000, 1_300_000
"""The most pixels and columns of a page at the second look, and how many pixels are looked at at a time."""
_MARGIN = 96
"""Rows by which strips overlap on each side, so that each line is whole in one of them."""
_LEAST_SIDE = 64
_UPRIGHT = 1.5
_VOTERS, _CLEAR = 5, 0.85
_LINE_HEIGHT = 48
"""Pixels: what the model takes."""
_LONGEST = 16
"""Heights of a line: a longer one is read in parts."""
_SEARCHED = 3
_SPACE = 0.14
"""Of a line's height: a gap so wide is between words."""

_CHINESE = re.compile("[\u2e80-\u9fff\uf900-\uffef]")
"""Characters that are written without spaces, and their punctuation."""


Said = tuple[str, float]
"""What a line says, and how sure that is, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Written:
    """The lines of a page: their corners on it set upright and as it lies, what they say, and how sure that is."""

    upright: Corners
    corners: Corners
    said: tuple[Said, ...]


def read_lines(page: Image.Image, models: Models) -> Written:
    """Find and read all lines of an RGB picture, whichever of its four sides is up."""
    turns, upright, corners = 0, page, _find(page, models)
    if _run_down(corners):
        turns, upright = 1, page.transpose(Image.Transpose.ROTATE_90)
        corners = _find(upright, models)
    said = _read_all(upright, corners, models)
    if _is_upside_down(upright, corners, said, models):
        turns, upright = turns + 2, upright.transpose(Image.Transpose.ROTATE_180)
        corners = _find(upright, models)
        said = _read_all(upright, corners, models)
    return Written(corners, _turned_back(corners, turns, page.size), said)


# -- finding


def _find(page: Image.Image, models: Models) -> Corners:
    """Look at the whole page, and closer if there may be more."""
    scale = min(_MOST_ENLARGED, _FIRST_LOOK / max(page.size))
    first = _resized(page, scale)
    seen = _look(first, models)
    heights = _heights(seen)
    closer = min(1.0, (_CLOSE_LOOK / (page.width * page.height)) ** 0.5, _CLOSE_WIDTH / page.width)
    if closer <= scale or ((heights > _SMALL).all() and not _has_more(first, seen)):
        return seen / scale
    tall = seen[heights >= _TALL] / scale
    close = _look_closely(_resized(page, closer), models) / closer
    small = [quad for quad in close[_heights(close) * scale < _NOT_TALL] if not _is_within(quad, tall)]
    return np.concatenate([tall, np.array(small, np.float32).reshape(-1, 4, 2)])


def _has_more(page: Image.Image, seen: Corners) -> bool:
    """Whether something small stands on the page besides the lines that were seen, which may be smaller writing."""
    coarse = page.convert("L").reduce(_COARSE)  # the noise of a scanner is gone, a line of writing is a grey stroke
    around = coarse.filter(ImageFilter.MedianFilter(9))
    besides = np.abs(np.asarray(coarse, np.int16) - np.asarray(around, np.int16)) > _STANDS_OUT
    for quad in seen:
        (left, top), (right, bottom) = (quad.min(axis=0) // _COARSE - 2).clip(0), quad.max(axis=0) // _COARSE + 3
        besides[int(top) : int(bottom), int(left) : int(right)] = False
    return int(np.count_nonzero(besides)) > _SPECKS


def _look(page: Image.Image, models: Models) -> Corners:
    wider, higher = (max(0, _LEAST_SIDE - side) for side in page.size)
    return models.find(ImageOps.expand(page, (0, 0, wider, higher), fill="white") if wider or higher else page)


def _look_closely(page: Image.Image, models: Models) -> Corners:
    """Look strip by strip; a line is taken from the strip whose middle part it is in."""
    step = max(2 * _MARGIN, _STRIP // page.width - 2 * _MARGIN)
    found = [np.zeros((0, 4, 2), np.float32)]
    for top in range(0, page.height, step):
        begin, end = max(0, top - _MARGIN), min(page.height, top + step + _MARGIN)
        quads = _look(page.crop((0, begin, page.width, end)), models) + np.array([0, begin], np.float32)
        middles = quads[:, :, 1].mean(axis=1)
        found.append(quads[(middles >= top) & (middles < top + step)])
    return np.concatenate(found)


def _resized(page: Image.Image, scale: float) -> Image.Image:
    size = (max(1, round(page.width * scale)), max(1, round(page.height * scale)))
    return page if size == page.size else page.resize(size, Image.Resampling.LANCZOS)


def _lengths(ways: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths: NDArray[np.float32] = np.hypot(ways[:, 0], ways[:, 1])
    return lengths


def _widths(corners: Corners) -> NDArray[np.float32]:
    return _lengths(corners[:, 1] - corners[:, 0])


def _heights(corners: Corners) -> NDArray[np.float32]:
    """How tall the letters are: a line that runs down the page is wider than it is high."""
    heights: NDArray[np.float32] = np.minimum(_widths(corners), _lengths(corners[:, 3] - corners[:, 0]))
    return heights


def _is_within(quad: NDArray[np.float32], others: Corners) -> bool:
    middle = quad.mean(axis=0)
    return bool(((others.min(axis=1) < middle) & (middle < others.max(axis=1))).all(axis=1).any())


# -- which side is up


def _run_down(corners: Corners) -> bool:
    """Whether most of the writing runs down or up the page."""
    widths = _widths(corners)
    heights = _lengths(corners[:, 3] - corners[:, 0])
    down = heights > _UPRIGHT * widths
    return float(heights[down].sum()) > float(widths[~down].sum())


def _is_upside_down(page: Image.Image, corners: Corners, said: Sequence[Said], models: Models) -> bool:
    """Whether the longest lines can be read with more confidence the other way up, asked where there is doubt.

    The package has a model for this question, which is wrong on most lines of English.
    """
    longest = np.argsort(-_widths(corners), kind="stable")[:_VOTERS]
    sure: float = sum(said[index][1] for index in longest)
    if sure >= _CLEAR * len(longest):
        return False
    turned = (_cut_out(page, corners[index]).transpose(Image.Transpose.ROTATE_180) for index in longest)
    return sum(_read(line, models)[1] for line in turned) > sure


def _turned_back(corners: Corners, turns: int, size: tuple[int, int]) -> Corners:
    """Where the corners are on the page as it lies."""
    (width, height), x, y = size, corners[..., 0], corners[..., 1]
    return np.stack(((x, y), (width - y, x), (width - x, height - y), (y, height - x))[turns], axis=-1)


# -- reading


def _cut_out(page: Image.Image, quad: NDArray[np.float32]) -> Image.Image:
    """A line set level, no taller than the model takes."""
    width, height = (max(1, round(float(np.linalg.norm(quad[to] - quad[0])))) for to in (1, 3))
    around = tuple(float(number) for corner in (0, 3, 2, 1) for number in quad[corner])
    line = page.transform((width, height), Image.Transform.QUAD, around, Image.Resampling.BICUBIC)
    if height > _LINE_HEIGHT:
        line = line.resize((max(1, width * _LINE_HEIGHT // height), _LINE_HEIGHT), Image.Resampling.LANCZOS)
    return line


def _read_all(page: Image.Image, corners: Corners, models: Models) -> tuple[Said, ...]:
    return tuple(_read(_cut_out(page, quad), models) for quad in corners)


def _read(line: Image.Image, models: Models) -> Said:
    """Read a line part by part."""
    if line.height > _UPRIGHT * line.width:
        line = line.transpose(Image.Transpose.ROTATE_90)
    text, sure, start, apart = "", 0.0, 0, False
    for end, parted in _parts(line):
        said, confidence = models.read(line.crop((start, 0, end, line.height)))
        sure += confidence * len(said)
        # between Chinese characters any gap is as wide as between words
        text += (" " if apart and not (_CHINESE.search(text[-1:]) or _CHINESE.search(said[:1])) else "") + said
        start, apart = end, parted
    return text, min(1.0, sure / max(1, len(text)))


def _parts(line: Image.Image) -> Iterator[tuple[int, bool]]:
    """Where each part of a line ends, and whether there is a gap: at the widest near the end of each equal part."""
    number = -(-line.width // (_LONGEST * line.height))
    inked = _inked(line) if number > 1 else np.zeros(0, np.bool_)
    for part in range(1, number):
        middle, reach = line.width * part // number, _SEARCHED * line.height
        start = middle - reach
        gap_start, gap_end = _widest_gap(inked[start : middle + reach])
        yield start + (gap_start + gap_end) // 2, gap_end - gap_start > _SPACE * line.height
    yield line.width, False


def _inked(line: Image.Image) -> NDArray[np.bool_]:
    """Which columns have ink in them: what is further from the ground than half-way to the strongest."""
    grey = np.asarray(line.convert("L"), dtype=np.float32)
    off = np.abs(grey - np.median(grey))
    inked: NDArray[np.bool_] = (off > np.percentile(off, 98) / 2).mean(axis=0) > 0.04
    return inked


def _widest_gap(inked: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the longest run without ink begins and ends; the middle if there is none."""
    edges = np.flatnonzero(np.diff(np.concatenate(([True], inked, [True])).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return len(inked) // 2, len(inked) // 2
    widest = int(np.argmax(ends - starts))
    return int(starts[widest]), int(ends[widest])
