"""A page of a PDF as a picture with the place of a passage marked, and a picture file made fit to be shown.

The passage comes from another reader than the one that draws, so only letters and digits are compared: white space,
hyphens at line ends, ligatures and accents may differ.

Files are not to be trusted: a page of two kilobytes can take a day to draw, and a decoder of pictures may crash.
`apart` has the work done in a process of its own, which may use so much time and memory and no more.
"""

from __future__ import annotations

import json
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

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.child_process import ROOT, command_of, environment, limit
from memory_bank.modules.pictures import open_pixels

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

_PDFIUM = threading.Lock()
"""PDFium must not be used by two threads at once."""

_LARGEST_SIDE = 14_400
"""Points: the longest side that the format allows."""
_LONGEST_SIDE = 4_000
_MOST_CHARACTERS = 200_000
_LEAST_PART = 16
"""Letters and digits that a part of a passage must have to be recognised by itself."""
_BEFORE = 40
_PADDING = 2
_MARK, _SHADE = (230, 159, 0), 85
_SECONDS, _MEMORY = 20, 2 << 30
_REFUSED = 3
"""The exit status of a process that says why there is no picture."""


@dataclass(frozen=True)
class PageImage:
    """A page as PNG, its size in pixels, how many pages the file has, and whether the passage was found on this one."""

    png: bytes
    width: int
    height: int
    pages: int = 1
    found: bool = False


def render_page(path: Path, page: int, passage: str, width: int, before: str = "") -> PageImage:
    """Page `page` of a PDF, from 1, so many pixels wide, with the passage marked, or as much of it as is there.

    Of several places with these words it is the one that follows `before`. An empty passage marks nothing.
    `UnreadableDocumentError` says why there is no picture; it names the file as it is stored.
    """
    with _PDFIUM, ExitStack() as opened:
        try:
            document = opened.enter_context(closing(pypdfium2.PdfDocument(path)))
            if not 1 <= page <= len(document):
                raise UnreadableDocumentError(path.name, f"it has no page {page}")
            sheet = opened.enter_context(closing(document.get_page(page - 1)))
            scale = _scale(path, page, sheet, width)
            bitmap = opened.enter_context(closing(sheet.render(scale=scale, may_draw_forms=False)))
            boxes = _lines(_boxes(sheet, bitmap, passage, before))
            picture, pages = bitmap.to_pil().convert("RGB"), len(document)
        except pypdfium2.PdfiumError as error:
            raise UnreadableDocumentError(path.name, _reason(error)) from error
        except OSError as error:
            raise UnreadableDocumentError(path.name, "the file cannot be opened") from error
    _mark(picture, boxes)
    return _finished(picture, pages=pages, found=bool(boxes))


def render_picture(path: Path, width: int) -> PageImage:
    """A picture file, no wider than `width` and written anew: nothing of the file is kept but what is seen.

    Of several pages it is the first. `UnreadableDocumentError` if it is none, is damaged or too large.
    """
    shown = open_pixels(path, path.name).image
    shown.thumbnail((width, _LONGEST_SIDE))
    return _finished(shown, pages=1, found=False)


def _reason(error: pypdfium2.PdfiumError) -> str:
    if error.err_code == pdfium.FPDF_ERR_PASSWORD:
        return "it is protected by a password"
    return "it is damaged"


def _scale(path: Path, page: int, sheet: pypdfium2.PdfPage, width: int) -> float:
    """Pixels to a point: of the wanted width, unless the page would be endless."""
    across, down = sheet.get_size()
    if not (0 < across <= _LARGEST_SIDE and 0 < down <= _LARGEST_SIDE):
        raise UnreadableDocumentError(path.name, f"page {page} is too large to be drawn")
    return float(min(width / across, _LONGEST_SIDE / down))


def _finished(picture: Image.Image, *, pages: int, found: bool) -> PageImage:
    written = BytesIO()
    picture.save(written, "PNG")
    return PageImage(written.getvalue(), picture.width, picture.height, pages, found)


# -- where a passage stands


def _boxes(sheet: pypdfium2.PdfPage, bitmap: pypdfium2.PdfBitmap, passage: str, before: str) -> Iterator[Box]:
    """The box of each character of the passage, in reading order."""
    wanted = _letters(passage)
    if not wanted:
        return
    with closing(sheet.get_textpage()) as text:
        read = list(_characters(text))
        spans = _find("".join(letter for letter, _index in read), wanted, _letters(before[-4 * _BEFORE :]))
        to_bitmap = bitmap.get_posconv(sheet).to_bitmap
        for index in dict.fromkeys(read[at][1] for start, end in spans for at in range(start, end)):
            left, bottom, right, top = text.get_charbox(index)
            (x0, y0), (x1, y1) = to_bitmap(left, bottom), to_bitmap(right, top)
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _characters(text: pypdfium2.PdfTextPage) -> Iterator[tuple[str, int]]:
    """Each letter and digit of a page, with the number of the character that it is of."""
    count = text.count_chars()
    if count > _MOST_CHARACTERS:  # a page that nobody could read
        return
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text, index)
        for letter in _letters(chr(code)) if code <= 0x10FFFF else "":
            yield letter, index


def _letters(text: str) -> str:
    """The letters and digits of a text, without accents and without case."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text).casefold() if letter.isalnum())


def _find(text: str, wanted: str, before: str) -> list[tuple[int, int]]:
    """Where the wanted letters stand: all of them, else the most of their beginning and of their end."""
    starts = list(_occurrences(text, wanted))
    if starts:
        start = max(starts, key=lambda at: _in_common(text[max(0, at - _BEFORE) : at], before))
        return [(start, start + len(wanted))]
    head = bisect_left(range(len(wanted)), 1, key=lambda length: wanted[: length + 1] not in text)
    tail = bisect_left(range(len(wanted)), 1, key=lambda length: wanted[-length - 1 :] not in text)
    found = []
    if head >= _LEAST_PART:
        start = text.find(wanted[:head])
        found.append((start, start + head))
    if tail >= _LEAST_PART:
        start = text.rfind(wanted[-tail:])
        found.append((start, start + tail))
    return found


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _in_common(text: str, before: str) -> int:
    """How many letters two texts have in common at their ends."""
    pairs = zip(reversed(text), reversed(before), strict=False)
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], pairs))


# -- marking it


def _lines(boxes: Iterable[Box]) -> list[Box]:
    """The boxes of characters that stand beside each other as one."""
    lines: list[Box] = []
    for box in boxes:
        if lines and _beside(lines[-1], box):
            old = lines[-1]
            lines[-1] = (min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]))
        else:
            lines.append(box)
    return lines


def _beside(line: Box, box: Box) -> bool:
    """Whether a character goes on a line: at its height, and not far from its end."""
    height = max(1, min(line[3] - line[1], box[3] - box[1]))
    shared = min(line[3], box[3]) - max(line[1], box[1])
    gap = max(box[0] - line[2], line[0] - box[2])
    return shared >= height / 2 and gap <= 3 * (line[3] - line[1])


def _mark(picture: Image.Image, boxes: Iterable[Box]) -> None:
    """Shade the boxes so that what is in them can still be read, and put a thin line around each."""
    shade = Image.new("L", picture.size)
    on_shade, on_picture = ImageDraw.Draw(shade), ImageDraw.Draw(picture)
    for left, top, right, bottom in boxes:
        box = (left - _PADDING, top - _PADDING, right + _PADDING, bottom + _PADDING)
        on_shade.rectangle(box, fill=_SHADE)
        on_picture.rectangle(box, outline=_MARK)
    picture.paste(_MARK, mask=shade)


# -- in a process of its own


def apart(what: Literal["page", "picture"], path: Path, *given: object) -> PageImage:
    """`render_page` or `render_picture`, done in a process that is ended when it takes too long.

    `UnreadableDocumentError` as of these, and where the process came to no end or crashed.
    """
    request = json.dumps([what, str(path.resolve()), *given])
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            command_of(__name__),
            cwd=ROOT,
            env=environment(),
            input=request.encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocumentError(path.name, "drawing it takes too long") from error
    except OSError as error:
        raise UnreadableDocumentError(path.name, "it cannot be drawn") from error
    if done.returncode == _REFUSED:
        raise UnreadableDocumentError(path.name, done.stdout.decode())
    if done.returncode != 0:
        raise UnreadableDocumentError(path.name, "it cannot be drawn")
    facts, _, png = done.stdout.partition(b"\n")
    return PageImage(png=png, **json.loads(facts))


def _serve() -> int:
    """Do what is asked on the standard input; the facts as a line, then the picture, on the standard output."""
    limit(_MEMORY, 2 * _SECONDS)
    what, path, *given = json.load(sys.stdin)
    try:
        made = (render_page if what == "page" else render_picture)(Path(path), *given)
    except UnreadableDocumentError as error:
        sys.stdout.write(error.reason)
        return _REFUSED
    facts = asdict(made)
    png = facts.pop("png")
    sys.stdout.buffer.write(json.dumps(facts).encode() + b"\n" + png)
    return 0


if __name__ == "__main__":
    sys.exit(_serve())
