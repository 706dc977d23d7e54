"""Reads many megabytes of mixed documents in one session: `python -m scripts.many_documents --megabytes 200`.

The documents are made of the pages of an invented survey and of pictures that do not shrink: PDF, DOCX, PPTX, HTML,
text and JPEG. Printed are their size, the time, and the most memory that it took.
"""

from __future__ import annotations

import argparse
import io
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import numpy as np
import pptx
from PIL import Image
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Image as Figure
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from memory_bank.bank.events import SourceIngested, SourceRefused
from memory_bank.bank.settings import Settings
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from scripts.long_document import make_survey

PAGES_IN_DOCUMENT = 3
_SIDE = (1600, 1200)

Page = tuple[str, ...]


def documents(megabytes: int) -> Iterator[Upload]:
    """Documents of all kinds in turn, until there are that many megabytes of them."""
    pictures = np.random.default_rng(1)
    makers: tuple[tuple[str, Callable[[list[Page], Callable[[], bytes]], bytes]], ...] = (
        ("pdf", _pdf),
        ("docx", _docx),
        ("jpg", lambda _pages, picture: picture()),
        ("pptx", _pptx),
        ("txt", _text),
        ("html", _html),
    )
    pages = list(make_survey(60).pages)
    size = number = 0
    while size < megabytes * 1_000_000:
        ending, make = makers[number % len(makers)]
        first = PAGES_IN_DOCUMENT * (number // len(makers) * 5 + number % len(makers)) % len(pages)
        upload = Upload(
            f"{number:03}.{ending}", make(pages[first : first + PAGES_IN_DOCUMENT], lambda: _photo(pictures))
        )
        size, number = size + len(upload.data), number + 1
        yield upload


def _photo(random: np.random.Generator) -> bytes:
    """A picture of noise, as large as a photograph of its size can be."""
    file = io.BytesIO()
    noise = random.integers(0, 256, (_SIDE[1], _SIDE[0], 3), dtype=np.uint8)
    Image.fromarray(noise).save(file, "JPEG", quality=85)
    return file.getvalue()


def _pdf(pages: list[Page], picture: Callable[[], bytes]) -> bytes:
    style = getSampleStyleSheet()["BodyText"]
    flow = []
    for page in pages:
        flow += [*(Paragraph(text, style) for text in page), Figure(io.BytesIO(picture()), 200, 150), PageBreak()]
    file = io.BytesIO()
    SimpleDocTemplate(file, pagesize=A5).build(flow)
    return file.getvalue()


def _docx(pages: list[Page], picture: Callable[[], bytes]) -> bytes:
    document = docx.Document()
    for heading, *paragraphs in pages:
        document.add_heading(heading)
        for text in paragraphs:
            document.add_paragraph(text)
        document.add_picture(io.BytesIO(picture()))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _pptx(pages: list[Page], picture: Callable[[], bytes]) -> bytes:
    show = pptx.Presentation()
    for heading, *paragraphs in pages:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(paragraphs)
        slide.shapes.add_picture(io.BytesIO(picture()), 0, 0)
    file = io.BytesIO()
    show.save(file)
    return file.getvalue()


def _text(pages: list[Page], _picture: Callable[[], bytes]) -> bytes:
    return "\n\n".join("\n\n".join(page) for page in pages).encode()


def _html(pages: list[Page], _picture: Callable[[], bytes]) -> bytes:
    body = "".join(f"<h1>{page[0]}</h1>" + "".join(f"<p>{text}</p>" for text in page[1:]) for page in pages)
    return f"<!doctype html><html><body>{body}</body></html>".encode()


def main() -> int:
    """Make the documents, read them, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    wanted = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for upload in documents(wanted):
            paths.append(Path(folder) / upload.name)
            paths[-1].write_bytes(upload.data)
        size = sum(path.stat().st_size for path in paths)
        sys.stdout.write(f"{len(paths)} documents, {size / 1e6:,.0f} MB; before: {_peak():,.0f} MB\n")
        began = time.perf_counter()
        settings = Settings(storage_dir=Path(folder) / "sessions")
        session = Session.create("When was Fedtandor Mill built?", paths, settings=settings)
        read = refused = 0
        for event in session.run():
            read += isinstance(event, SourceIngested)
            refused += isinstance(event, SourceRefused)
        seconds = time.perf_counter() - began
        sys.stdout.write(
            f"{read} read, {refused} refused, {len(session.bank.query_graph)} nodes, {seconds:,.0f} s\n"
            f"most memory: {_peak():,.0f} MB, and beside it one reader of documents at a time, which may have 700 MB\n"
        )
    return 0


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    sys.exit(main())
