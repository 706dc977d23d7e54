"""Read CSV and TSV: each row as a statement that can be understood alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from memory_bank.documents.decoding import clean_line
from memory_bank.documents.document import BY_SUFFIX, Document, suffix_of
from memory_bank.documents.plain import decode_text

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 20
# A column name stands before each cell, so long ones would inflate a small file.
_MAX_NAME = 200


def read_table(data: bytes, name: str) -> Document:
    """Read a table: each row becomes a paragraph, as in `row_statements`.

    A file that cannot be parsed as a table is kept as it is written.
    """
    text = decode_text(data, name)
    tabs = suffix_of(name) == ".tsv"
    media_type = BY_SUFFIX[".tsv" if tabs else ".csv"].media_type
    # the delimiter that gives the most rows of equal width; a comma if none gives two columns
    delimiters = "\t" if tabs else _DELIMITERS
    try:
        delimiter = max(delimiters, key=lambda delimiter: _equal_width_share(text, delimiter))
        rows = [row for row in _parse(text, delimiter) if any(cell.strip() for cell in row)]
    except csv.Error:
        return Document(name, text, media_type)
    return Document(name, "\n\n".join(row_statements(rows)), media_type)


def _parse(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _equal_width_share(text: str, delimiter: str) -> float:
    rows = [row for row, _ in zip(_parse(text, delimiter), range(_SAMPLE_ROWS), strict=False) if row]
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=widths.count, default=1)
    return widths.count(usual) / len(widths) if usual > 1 else 0.0


def row_statements(rows: list[list[str]]) -> Iterator[str]:
    """Write each row as `column: value; column: value`, without its empty cells.

    The first row is taken as column names if it looks like names; otherwise they are `column 1`, `column 2` and so on.
    """
    names: list[str] = []
    if len(rows) > 1 and _is_header(rows[0]):
        names, rows = [clean_line(cell) for cell in rows[0]], rows[1:]
    for row in rows:
        cells = (
            (names[number] if number < len(names) else f"column {number + 1}", clean_line(cell))
            for number, cell in enumerate(row)
        )
        yield "; ".join(f"{column}: {cell}" for column, cell in cells if cell)


def _is_header(row: list[str]) -> bool:
    cells = [cell.strip() for cell in row]
    if max(map(len, cells), default=0) > _MAX_NAME or not all(cells):
        return False
    return len(set(cells)) == len(cells) and not any(cell[0].isdigit() for cell in cells)
