"""Files for the tests, made here: nothing is downloaded and nothing is copied from elsewhere."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_bank.documents import Document, read_document

Read = Callable[[bytes | str, str], Document]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write the content to a file of another name, and read it under the name given."""

    def write_and_read(content: bytes | str, name: str) -> Document:
        path = tmp_path / "stored"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_document(path, name)

    return write_and_read


@pytest.fixture
def make_pdf() -> Callable[..., bytes]:
    """Write a PDF by hand: a page for each text, a line for each line of it."""
    return _pdf


def _pdf(*texts: str, title: str | None = None, outline: tuple[tuple[str, int], ...] = ()) -> bytes:
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in texts:
        lines = "".join(f"({line}) Tj T* " for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {lines}ET" if text else ""
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        kids.append(len(objects) + 1)
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {len(objects)} 0 R >>"
        )
    references = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{references}] >>"
    body = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    body += (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n"
        f"{len(body)}\n%%EOF\n"
    ).encode()
    if title is None and not outline:
        return body
    writer = PdfWriter(clone_from=PdfReader(BytesIO(body)))
    if title is not None:
        writer.add_metadata({"/Title": title})
    for entry, page in outline:
        writer.add_outline_item(title=entry, page_number=page)
    written = BytesIO()
    writer.write(written)
    return written.getvalue()
