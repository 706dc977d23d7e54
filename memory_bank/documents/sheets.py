"""Read XLSX: the name of each sheet as a heading, its rows as statements."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from io import BytesIO

import openpyxl

from memory_bank.documents.document import BY_SUFFIX, Document, TextBuilder, choose_title
from memory_bank.documents.package import Package
from memory_bank.documents.table import row_statements


def read_xlsx(data: bytes, name: str) -> Document:
    """Read an XLSX file: values instead of formulas, numbers to the 15 digits that Excel shows, dates as ISO.

    Rows become statements as in CSV. Rows of one cell above the table are text. Hidden sheets are left out, because no
    reader sees them.
    """
    package = Package(data, name)
    builder = TextBuilder()
    with closing(openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)) as source:
        for sheet in source.worksheets:
            if sheet.sheet_state == "visible":
                sheet.reset_dimensions()  # a sheet may claim to be a million rows wide
                rows = sheet.iter_rows(values_only=True)
                add_rows(builder, sheet.title, ([_format_value(value) for value in row] for row in rows))
        title = choose_title(source.properties.title, ())  # the name of a sheet is none
    return replace(builder.document(name, BY_SUFFIX[".xlsx"].media_type, embedded=package.embedded()), title=title)


def add_rows(builder: TextBuilder, sheet: str, rows: Iterator[list[str]]) -> None:
    """Add the name of a sheet as a heading, and its rows; nothing if it is empty."""
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return
    builder.add_heading(sheet)
    table_start = next(
        (number for number, row in enumerate(filled) if sum(map(bool, map(str.strip, row))) > 1), len(filled)
    )
    for row in filled[:table_start]:
        builder.add("".join(row).strip())
    for statement in row_statements(filled[table_start:]):
        builder.add(statement)


def _format_value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    return str(value)
