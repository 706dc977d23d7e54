"""Render a PDF page as PNG with a passage marked, or a picture file as PNG.

The passage comes from the text of the document, which differs from the characters on the page in white space, hyphens
at line ends, ligatures and accents. Therefore only letters and digits are compared.

Files are not trusted: a page of two kilobytes can take a day to render, and a picture decoder may crash.
`render_isolated` does the work in a separate process with limited time and memory.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import takewhile
from pathlib import Path
from typing import Literal

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageDraw

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.pictures import open_page
from memory_bank.documents.sandbox import limit, read_frame, start_module, write_frame
from memory_bank.text.wording import Wording, restored, stored

PixelBox = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

_PDFIUM = threading.Lock()
"""PDFium is not thread-safe."""

_MAX_PAGE_SIDE = 14_400
"""Points: the longest side that the PDF format allows."""
_MAX_IMAGE_SIDE = 4_000
_MAX_CHARACTERS = 200_000
_MIN_PART = 16
"""Letters and digits needed to search for a part of a passage alone."""
_CONTEXT = 40
_PADDING = 2
_MARK_COLOUR, _SHADE_OPACITY = (230, 159, 0), 85
_SECONDS, _MEMORY = 20, 2 << 30


@dataclass(frozen=True)
class PageImage:
    """A page as PNG, the page count of the file, and whether the passage was found on this page."""

    png: bytes
    pages: int = 1
    found: bool = False


def render_page(path: Path, page: int, passage: str, width: int, before: str = "") -> PageImage:
    """Render page `page` (from 1) of a PDF `width` pixels wide, with the passage marked, or the part of it found there.

    If the words occur several times, the occurrence that follows `before` is marked. An empty passage marks nothing.
    Raises `UnreadableDocumentError`, which names the file as it is stored.
    """
    with _PDFIUM, ExitStack() as opened:
        try:
            document = opened.enter_context(closing(pypdfium2.PdfDocument(path)))
            if not 1 <= page <= len(document):
                raise UnreadableDocumentError(path.name, Wording("it has no page {number}", number=page))
            pdf_page = opened.enter_context(closing(document.get_page(page - 1)))
            scale = _scale(path, page, pdf_page, width)
            bitmap = opened.enter_context(closing(pdf_page.render(scale=scale, may_draw_forms=False)))
            boxes = _merge_into_lines(_boxes(pdf_page, bitmap, passage, before))
            picture, pages = bitmap.to_pil().convert("RGB"), len(document)
        except pypdfium2.PdfiumError as error:
            protected = error.err_code == pdfium.FPDF_ERR_PASSWORD
            reason = Wording("it is protected by a password") if protected else Wording("it is damaged")
            raise UnreadableDocumentError(path.name, reason) from error
        except OSError as error:
            raise UnreadableDocumentError(path.name, Wording("the file cannot be opened")) from error
    _mark(picture, boxes)
    return PageImage(_as_png(picture), pages, found=bool(boxes))


def render_picture(path: Path, width: int) -> PageImage:
    """Render a picture file no wider than `width`. It is re-encoded, so nothing but the pixels is kept.

    Of several pages the first is rendered. Raises `UnreadableDocumentError` if the file is no picture, damaged or too
    large.
    """
    image = open_page(path, path.name)
    image.thumbnail((width, _MAX_IMAGE_SIDE))
    return PageImage(_as_png(image))


def _scale(path: Path, page: int, pdf_page: pypdfium2.PdfPage, width: int) -> float:
    """Pixels per point for the wanted width, or less if the picture would become too high."""
    page_width, page_height = pdf_page.get_size()
    if not (0 < page_width <= _MAX_PAGE_SIDE and 0 < page_height <= _MAX_PAGE_SIDE):
        raise UnreadableDocumentError(path.name, Wording("page {number} is too large to be drawn", number=page))
    return float(min(width / page_width, _MAX_IMAGE_SIDE / page_height))


def _as_png(picture: Image.Image) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


# -- finding the passage


def _boxes(pdf_page: pypdfium2.PdfPage, bitmap: pypdfium2.PdfBitmap, passage: str, before: str) -> Iterator[PixelBox]:
    """Yield the box of each character of the passage, in reading order."""
    wanted = _letters(passage)
    if not wanted:
        return
    with closing(pdf_page.get_textpage()) as layer:
        letters = list(_page_letters(layer))
        spans = _find("".join(letter for letter, _index in letters), wanted, _letters(before[-4 * _CONTEXT :]))
        to_bitmap = bitmap.get_posconv(pdf_page).to_bitmap
        for index in dict.fromkeys(letters[at][1] for start, end in spans for at in range(start, end)):
            left, bottom, right, top = layer.get_charbox(index)
            (x0, y0), (x1, y1) = to_bitmap(left, bottom), to_bitmap(right, top)
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _page_letters(layer: pypdfium2.PdfTextPage) -> Iterator[tuple[str, int]]:
    """Yield each letter and digit of a page with the index of its character."""
    count = layer.count_chars()
    if count > _MAX_CHARACTERS:  # nobody could read such a page
        return
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(layer, index)
        for letter in _letters(chr(code)) if code <= 0x10FFFF else "":
            yield letter, index


def _letters(text: str) -> str:
    """The letters and digits of a text, without accents and without case."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text).casefold() if letter.isalnum())


def _find(text: str, wanted: str, before: str) -> list[tuple[int, int]]:
    """The spans of the wanted letters: all of them, else their longest beginning and longest end that occur."""
    starts = [match.start() for match in re.finditer(f"(?={re.escape(wanted)})", text)]
    if starts:
        start = max(starts, key=lambda at: _common_suffix_length(text[max(0, at - _CONTEXT) : at], before))
        return [(start, start + len(wanted))]
    head = bisect_left(range(len(wanted)), 1, key=lambda length: wanted[: length + 1] not in text)
    tail = bisect_left(range(len(wanted)), 1, key=lambda length: wanted[-length - 1 :] not in text)
    parts = ((text.find(wanted[:head]), head), (text.rfind(wanted[-tail:]), tail))
    return [(start, start + length) for start, length in parts if length >= _MIN_PART]


def _common_suffix_length(text: str, before: str) -> int:
    pairs = zip(reversed(text), reversed(before), strict=False)
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], pairs))


# -- marking the passage


def _merge_into_lines(boxes: Iterable[PixelBox]) -> list[PixelBox]:
    """Merge the boxes of adjacent characters on one line."""
    lines: list[PixelBox] = []
    for box in boxes:
        if lines and _continues_line(lines[-1], box):
            old = lines[-1]
            lines[-1] = (min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]))
        else:
            lines.append(box)
    return lines


def _continues_line(line: PixelBox, box: PixelBox) -> bool:
    """Whether a character belongs to a line: at its height, and not far from its end."""
    height = max(1, min(line[3] - line[1], box[3] - box[1]))
    shared = min(line[3], box[3]) - max(line[1], box[1])
    gap = max(box[0] - line[2], line[0] - box[2])
    return shared >= height / 2 and gap <= 3 * (line[3] - line[1])


def _mark(picture: Image.Image, boxes: Iterable[PixelBox]) -> None:
    """Shade the boxes so that their text stays readable, and draw a thin line around each."""
    shade = Image.new("L", picture.size)
    on_shade, on_picture = ImageDraw.Draw(shade), ImageDraw.Draw(picture)
    for left, top, right, bottom in boxes:
        box = (left - _PADDING, top - _PADDING, right + _PADDING, bottom + _PADDING)
        on_shade.rectangle(box, fill=_SHADE_OPACITY)
        on_picture.rectangle(box, outline=_MARK_COLOUR)
    picture.paste(_MARK_COLOUR, mask=shade)


# -- in a separate process


def render_isolated(what: Literal["page", "picture"], path: Path, *arguments: object) -> PageImage:
    """Run `render_page` or `render_picture` in a separate process with a time limit.

    Raises `UnreadableDocumentError` as these do, and if the process takes too long or crashes.
    """
    request = json.dumps([what, str(path.resolve()), *arguments])
    try:
        with start_module(__name__) as process:
            try:
                output, _ = process.communicate(request.encode(), timeout=_SECONDS)
            except BaseException:
                process.kill()
                raise
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocumentError(path.name, Wording("drawing it takes too long")) from error
    except OSError as error:
        raise UnreadableDocumentError(path.name, Wording("it cannot be drawn")) from error
    frame = read_frame(BytesIO(output))
    if frame is None:  # the process crashed
        raise UnreadableDocumentError(path.name, Wording("it cannot be drawn"))
    facts, png = frame
    if "refused" in facts:
        raise UnreadableDocumentError(path.name, restored(facts["refused"]))
    return PageImage(png=png, **facts)


def _serve() -> None:
    """Read a request from standard input; write its facts and the PNG as a frame to standard output."""
    limit(_MEMORY, 2 * _SECONDS)
    what, path, *arguments = json.load(sys.stdin)
    try:
        facts = asdict((render_page if what == "page" else render_picture)(Path(path), *arguments))
    except UnreadableDocumentError as error:
        facts = {"refused": stored(error.reason), "png": b""}
    png = facts.pop("png")
    write_frame(sys.stdout.buffer, facts, png)


if __name__ == "__main__":
    _serve()
