"""Pages as a scanner gives them, drawn from text that is known, with fonts that come inside packages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import files
from pathlib import Path

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFont

LATIN = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
CHINESE = next(
    Path(str(file.locate())) for file in files("cvttf-notosanscjk-regular") or () if file.name.endswith(".otf")
)
INK, PAPER = 40, 248

RIVER = """The river rises in the mountains of the north and runs for nearly nine hundred kilometres to the sea.

The first survey was made in 1874 by a party of six engineers. They measured the depth at forty-two places, from \
the bridge at Harrow (12.5 m) to the old ferry, and found that the bed had risen by half a metre since the flood.

A second survey followed in 1926. It used better instruments, and its results differ from the first in three \
points: the length, the mean discharge and the number of islands."""

DAM = """水库的大坝于一九七〇年建成，坝高一百一十一米，全长三千八百三十米。

根据当年的报告，工程历时十年，先后有三万多名工人参加建设；其中许多人来自下游的村庄。

大坝建成以后，河谷里的洪水得到控制，发电量占全国的一半。不过每年的泥沙也被拦在水库里，下游的土地变得贫瘠。"""


def wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """The lines of a column: English breaks between words, Chinese anywhere."""
    lines = []
    for paragraph in text.split("\n"):
        gap = " " if " " in paragraph else ""
        line = ""
        for piece in paragraph.split(" ") if gap else paragraph:
            longer = f"{line}{gap}{piece}" if line else piece
            if font.getlength(longer) > width:
                lines.append(line)
                line = piece
            else:
                line = longer
        lines.append(line)
    return lines


def font_of(path: Path, points: float, dpi: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), round(points * dpi / 72))


def page(
    columns: Sequence[str], title: str = "", *, font: Path = LATIN, dpi: int = 150, angle: float = 0, noise: float = 10
) -> Image.Image:
    """A sheet of A5 with as many columns, read from the left, lying a little askew and with the noise of a scanner."""
    width, height, margin = (round(inches * dpi) for inches in (5.83, 6.2, 0.45))
    sheet = Image.new("L", (width, height), PAPER)
    draw, letters, heading = ImageDraw.Draw(sheet), font_of(font, 9, dpi), font_of(font, 15, dpi)
    draw.text((margin, margin), title, font=heading, fill=INK)
    top = margin + (round(0.45 * dpi) if title else 0)
    gutter = round(0.3 * dpi)
    wide = (width - 2 * margin - gutter * (len(columns) - 1)) / len(columns)
    for number, text in enumerate(columns):
        for row, line in enumerate(wrapped(text, letters, wide)):
            place = (margin + number * (wide + gutter), top + row * round(0.18 * dpi))
            draw.text(place, line, font=letters, fill=INK)
    return scanned(sheet, angle, noise)


def scanned(sheet: Image.Image, angle: float = 0, noise: float = 10) -> Image.Image:
    askew = np.asarray(sheet.rotate(angle, Image.Resampling.BICUBIC, fillcolor=PAPER), dtype=np.float32)
    grain = np.random.default_rng(1).normal(0, noise, askew.shape)
    return Image.fromarray((askew + grain).clip(0, 255).astype(np.uint8))


def line(text: str, size: int = 20, font: Path = LATIN) -> Image.Image:
    """One line of writing, and white around it."""
    letters = ImageFont.truetype(str(font), size)
    picture = Image.new("RGB", (round(letters.getlength(text)) + 4 * size, 4 * size), "white")
    ImageDraw.Draw(picture).text((2 * size, 1.4 * size), text, font=letters, fill="black")
    return picture
