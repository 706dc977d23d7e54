"""Find the lines of text on a page image, turn the page upright, and read each line, by two models."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

from memory_bank.bank.errors import UnreadableDocumentError, not_installed
from memory_bank.documents.pictures.layout import Corners
from memory_bank.text.parallel import loaded_once, processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
_MAX_THREADS = 4

_FIRST_PASS_SIDE = 1280
"""Longer side, in pixels, of the page in the first pass: letters of six pixels are still found."""
_MAX_ENLARGEMENT = 2.0
_SMALL, _TALL, _NOT_TALL = 14, 20, 25
"""Box heights in the first pass. Next to small lines, smaller ones may have been missed. Tall lines are kept, and the
second pass adds lines that are not tall and not inside a kept one. The limits overlap, as heights vary a little."""
_REDUCTION, _MIN_CONTRAST, _MAX_SPECKS = 4, 16, 6
"""The factor of reduction, the contrast to the surroundings (of 255) that counts, and the pixels that may be dirt."""
_SECOND_PASS_PIXELS, _SECOND_PASS_WIDTH, _STRIP_PIXELS = 4_000_000, 4_000, 1_300_000
"""Largest size and width of the page in the second pass, and the size of the strips that it is cut into."""
_MARGIN = 96
"""Rows by which strips overlap on each side, so that each line is whole in one of them."""
_MIN_SIDE = 64
_VERTICAL_RATIO = 1.5
"""A line so many times as high as wide is vertical."""
_VOTERS, _CLEAR = 5, 0.85
"""Lines asked whether the page is upside down, and the mean confidence from which that need not be asked."""
_LINE_HEIGHT = 48
"""Pixels: the input height of the model."""
_MAX_LENGTH = 16
"""In line heights: a longer line is read in parts."""
_GAP_SEARCH = 3
"""In line heights: how far from an equal division a gap is searched on each side."""
_WORD_GAP = 0.14
"""In line heights: a wider gap is between words."""

_CHINESE = re.compile("[\u2e80-\u9fff\uf900-\uffef]")
"""Characters that are written without spaces, and their punctuation."""


Reading = tuple[str, float]
"""The text of a line and its confidence, from 0 to 1."""


class Models:
    """Runs the two OCR models, for detection and recognition of lines, on RGB images, one call at a time; thread-safe.

    They are PP-OCRv6 (small), for Chinese, English and other languages in Latin letters. They are part of the package
    rapidocr, so nothing is downloaded and nothing is written.

    The pipeline of rapidocr is not used as a whole: it scales every picture to one size, and reads long lines in one
    piece, which loses about one line in ten.
    """

    def __init__(self) -> None:
        try:
            import rapidocr  # noqa: PLC0415 - takes a second and 60 MB
        except ModuleNotFoundError as error:
            raise UnreadableDocumentError("text recognition", not_installed("ocr")) from error
        from omegaconf import flag_override  # noqa: PLC0415

        folder = Path(rapidocr.__file__).parent / "models"
        self._lock = threading.Lock()
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_preprocess_img": False,  # the caller chooses the size
                "Global.use_vertical_padding": False,
                "Det.limit_type": "max",
                "Det.limit_side_len": 1 << 16,
            }
        )
        with flag_override(self._engine.cfg, "allow_objects", True):  # noqa: FBT003
            for part, name in _MODELS.items():
                # a part that has its session does not look for a model, also not on the network
                self._engine.cfg[part].session = _session(folder / name)

    def find(self, page: Image.Image) -> Corners:
        """Detect lines of text. Returns their corners, shape (lines, 4, 2)."""
        boxes = self._run(page, use_det=True).boxes
        return np.zeros((0, 4, 2), np.float32) if boxes is None else np.asarray(boxes, np.float32)

    def read(self, line: Image.Image) -> tuple[str, float]:
        """Read the image of a line. Returns its text and a confidence from 0 to 1."""
        result = self._run(line, use_rec=True)
        return str(result.txts[0]), float(result.scores[0])

    def _run(self, image: Image.Image, *, use_det: bool = False, use_rec: bool = False) -> Any:  # noqa: ANN401
        bgr = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
        with self._lock:
            return self._engine(bgr, use_det=use_det, use_cls=False, use_rec=use_rec)


@loaded_once
def load_models() -> Models:
    """Return the models, one pair for the whole process; the first call loads them."""
    return Models()


def _session(path: Path) -> InferenceSession:
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415

    options = SessionOptions()
    options.intra_op_num_threads = min(processors(), _MAX_THREADS)
    # Waiting threads must sleep: when other programs need the cores, spinning takes half as much time again.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False  # it would never free the memory of the largest page
    options.log_severity_level = 4
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def read_lines(page: Image.Image, models: Models) -> tuple[Corners, tuple[Reading, ...]]:
    """Find and read all lines of an RGB image, whichever of its four sides is up; the corners are on it upright."""
    corners = _find(page, models)
    if _is_sideways(corners):
        page = page.transpose(Image.Transpose.ROTATE_90)
        corners = _find(page, models)
    readings = _read_all(page, corners, models)
    if _is_upside_down(page, corners, readings, models):
        page = page.transpose(Image.Transpose.ROTATE_180)
        corners = _find(page, models)
        readings = _read_all(page, corners, models)
    return corners, readings


# -- finding


def _find(page: Image.Image, models: Models) -> Corners:
    """Find the lines of the whole page, in a second pass at a larger scale if some may be missing."""
    scale = min(_MAX_ENLARGEMENT, _FIRST_PASS_SIDE / max(page.size))
    resized = _resized(page, scale)
    first = _detect(resized, models)
    heights = _heights(first)
    larger = min(1.0, (_SECOND_PASS_PIXELS / (page.width * page.height)) ** 0.5, _SECOND_PASS_WIDTH / page.width)
    if larger <= scale or ((heights > _SMALL).all() and not _has_more(resized, first)):
        return first / scale
    tall = first[heights >= _TALL] / scale
    second = _detect_in_strips(_resized(page, larger), models) / larger
    small = [quad for quad in second[_heights(second) * scale < _NOT_TALL] if not _is_within(quad, tall)]
    return np.concatenate([tall, np.array(small, np.float32).reshape(-1, 4, 2)])


def _has_more(page: Image.Image, found: Corners) -> bool:
    """Whether there is something on the page outside the lines found, which may be smaller text."""
    coarse = page.convert("L").reduce(_REDUCTION)  # removes scanner noise; a line of text becomes a grey stroke
    surroundings = coarse.filter(ImageFilter.MedianFilter(9))
    marks = np.abs(np.asarray(coarse, np.int16) - np.asarray(surroundings, np.int16)) > _MIN_CONTRAST
    for quad in found:
        (left, top), (right, bottom) = (quad.min(axis=0) // _REDUCTION - 2).clip(0), quad.max(axis=0) // _REDUCTION + 3
        marks[int(top) : int(bottom), int(left) : int(right)] = False
    return int(np.count_nonzero(marks)) > _MAX_SPECKS


def _detect(page: Image.Image, models: Models) -> Corners:
    wider, higher = (max(0, _MIN_SIDE - side) for side in page.size)
    return models.find(ImageOps.expand(page, (0, 0, wider, higher), fill="white") if wider or higher else page)


def _detect_in_strips(page: Image.Image, models: Models) -> Corners:
    """Find lines strip by strip; a line is taken from the strip in whose middle part it is."""
    step = max(2 * _MARGIN, _STRIP_PIXELS // page.width - 2 * _MARGIN)
    boxes = [np.zeros((0, 4, 2), np.float32)]
    for top in range(0, page.height, step):
        begin, end = max(0, top - _MARGIN), min(page.height, top + step + _MARGIN)
        quads = _detect(page.crop((0, begin, page.width, end)), models) + np.array([0, begin], np.float32)
        middles = quads[:, :, 1].mean(axis=1)
        boxes.append(quads[(middles >= top) & (middles < top + step)])
    return np.concatenate(boxes)


def _resized(page: Image.Image, scale: float) -> Image.Image:
    size = (max(1, round(page.width * scale)), max(1, round(page.height * scale)))
    return page if size == page.size else page.resize(size, Image.Resampling.LANCZOS)


def _lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths: NDArray[np.float32] = np.hypot(vectors[:, 0], vectors[:, 1])
    return lengths


def _widths(corners: Corners) -> NDArray[np.float32]:
    return _lengths(corners[:, 1] - corners[:, 0])


def _heights(corners: Corners) -> NDArray[np.float32]:
    """The heights of the letters: the shorter side, as the box of a vertical line is higher than wide."""
    heights: NDArray[np.float32] = np.minimum(_widths(corners), _lengths(corners[:, 3] - corners[:, 0]))
    return heights


def _is_within(quad: NDArray[np.float32], others: Corners) -> bool:
    middle = quad.mean(axis=0)
    return bool(((others.min(axis=1) < middle) & (middle < others.max(axis=1))).all(axis=1).any())


# -- which side is up


def _is_sideways(corners: Corners) -> bool:
    """Whether most of the text runs down or up the page."""
    widths = _widths(corners)
    heights = _lengths(corners[:, 3] - corners[:, 0])
    vertical = heights > _VERTICAL_RATIO * widths
    return float(heights[vertical].sum()) > float(widths[~vertical].sum())


def _is_upside_down(page: Image.Image, corners: Corners, readings: Sequence[Reading], models: Models) -> bool:
    """Whether the longest lines are read with more confidence after half a turn; tried only if confidence is low.

    The package has a model for this, but it is wrong on most lines of English.
    """
    longest = np.argsort(-_widths(corners), kind="stable")[:_VOTERS]
    confidence: float = sum(readings[index][1] for index in longest)
    if confidence >= _CLEAR * len(longest):
        return False
    turned = (_cut_out(page, corners[index]).transpose(Image.Transpose.ROTATE_180) for index in longest)
    return sum(_read(line, models)[1] for line in turned) > confidence


# -- reading


def _cut_out(page: Image.Image, quad: NDArray[np.float32]) -> Image.Image:
    """Cut out a line as a level image, no higher than the model takes."""
    width, height = (max(1, round(float(np.linalg.norm(quad[to] - quad[0])))) for to in (1, 3))
    outline = tuple(float(number) for corner in (0, 3, 2, 1) for number in quad[corner])
    line = page.transform((width, height), Image.Transform.QUAD, outline, Image.Resampling.BICUBIC)
    if height > _LINE_HEIGHT:
        line = line.resize((max(1, width * _LINE_HEIGHT // height), _LINE_HEIGHT), Image.Resampling.LANCZOS)
    return line


def _read_all(page: Image.Image, corners: Corners, models: Models) -> tuple[Reading, ...]:
    return tuple(_read(_cut_out(page, quad), models) for quad in corners)


def _read(line: Image.Image, models: Models) -> Reading:
    """Read a line part by part."""
    if line.height > _VERTICAL_RATIO * line.width:
        line = line.transpose(Image.Transpose.ROTATE_90)
    text, weighted, start, after_gap = "", 0.0, 0, False
    for end, is_gap in _parts(line):
        part, confidence = models.read(line.crop((start, 0, end, line.height)))
        weighted += confidence * len(part)
        # between Chinese characters any gap is as wide as between words
        text += (" " if after_gap and not (_CHINESE.search(text[-1:]) or _CHINESE.search(part[:1])) else "") + part
        start, after_gap = end, is_gap
    return text, min(1.0, weighted / max(1, len(text)))


def _parts(line: Image.Image) -> Iterator[tuple[int, bool]]:
    """Yield where each part ends, and whether there is a word gap: nearly equal parts, cut at the widest gaps."""
    count = -(-line.width // (_MAX_LENGTH * line.height))
    inked = _inked(line) if count > 1 else np.zeros(0, np.bool_)
    for number in range(1, count):
        middle, reach = line.width * number // count, _GAP_SEARCH * line.height
        start = middle - reach
        gap_start, gap_end = _widest_gap(inked[start : middle + reach])
        yield start + (gap_start + gap_end) // 2, gap_end - gap_start > _WORD_GAP * line.height
    yield line.width, False


def _inked(line: Image.Image) -> NDArray[np.bool_]:
    """Which columns contain ink: pixels more than half as far from the background as the strongest ones."""
    grey = np.asarray(line.convert("L"), dtype=np.float32)
    contrast = np.abs(grey - np.median(grey))
    inked: NDArray[np.bool_] = (contrast > np.percentile(contrast, 98) / 2).mean(axis=0) > 0.04
    return inked


def _widest_gap(inked: NDArray[np.bool_]) -> tuple[int, int]:
    """The start and end of the longest run without ink; twice the middle if there is none."""
    edges = np.flatnonzero(np.diff(np.concatenate(([True], inked, [True])).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return len(inked) // 2, len(inked) // 2
    widest = int(np.argmax(ends - starts))
    return int(starts[widest]), int(ends[widest])
