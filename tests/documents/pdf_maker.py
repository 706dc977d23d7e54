"""PDFs written by hand: any text at any place, in a font whose letters are all as wide, and mean what the test says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Placed = tuple[float, float, str]
"""Points from the left and from the bottom, and what stands there from left to right."""

SIZE = 10
ADVANCE = 6
"""Points from one letter to the next."""
_FIRST_CODE = 33


def pdf_of(pages: Sequence[Iterable[Placed]], extra: Sequence[str] = (), catalog: str = "") -> bytes:
    """A PDF with these texts; `extra` are further objects, numbered from 5, `catalog` what is added to its root."""
    drawn = [list(page) for page in pages]
    letters = sorted({letter for page in drawn for _, _, text in page for letter in text})
    codes = {letter: code for code, letter in enumerate(letters, start=_FIRST_CODE)}
    assert len(codes) <= 256 - _FIRST_CODE, "a font of one byte has no room for so many letters"
    objects = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>", "", _font(), _stream(_to_unicode(codes)), *extra]
    kids = []
    for page in drawn:
        shown = "".join(
            f"1 0 0 1 {x} {y} Tm <{''.join(f'{codes[letter]:02x}' for letter in text)}> Tj\n" for x, y, text in page
        )
        objects.append(_stream(f"BT /F1 {SIZE} Tf\n{shown}ET"))
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    return assemble(objects)


def assemble(objects: Sequence[str]) -> bytes:
    """Number the objects from 1, the first one the root, and write the file around them."""
    body = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size, start = len(objects) + 1, len(body)
    body += f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode()
    body += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(body)


def lines_of(text: str, left: float = 72, top: float = 740, leading: float = 14) -> list[Placed]:
    """Each line of a text below the one before."""
    return [(left, top - leading * number, line) for number, line in enumerate(text.split("\n"))]


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def _font() -> str:
    widths = " ".join([str(1000 * ADVANCE // SIZE)] * 256)
    return (
        "<< /Type /Font /Subtype /TrueType /BaseFont /Courier /FirstChar 0 /LastChar 255 /ToUnicode 4 0 R "
        f"/Widths [{widths}] >>"
    )


def _to_unicode(codes: dict[str, int]) -> str:
    pairs = [f"<{code:02x}> <{letter.encode('utf-16-be').hex()}>" for letter, code in codes.items()]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    maps = "".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def /CMapName /T def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n{maps}endcmap end end"
    )
