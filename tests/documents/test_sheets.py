"""XLSX: sheets are headings, rows are statements, hidden sheets are left out."""

from __future__ import annotations

import datetime as dt

import openpyxl

from tests.documents.writers import read, saved


def test_sheets_are_headings_and_rows_are_statements() -> None:
    source = openpyxl.Workbook()
    mills = source.active
    mills.title = "Mills"
    mills.append(["Mills of the valley"])
    mills.append(["Mill", "Closed", "Height", "Ruin"])
    mills.append(["Beacon Mill", dt.date(1921, 5, 1), 0.1 + 0.2, True])
    mills.append(["Corn Mill", dt.datetime(1955, 1, 1, 9, 30), 12.0, None])  # noqa: DTZ001 - a workbook has no zones
    source.create_sheet("Empty")
    hidden = source.create_sheet("Hidden")
    hidden.append(["secret"])
    hidden.sheet_state = "hidden"
    document = read(saved(source), "a.xlsx")
    assert document.text == (
        "Mills\n\nMills of the valley\n\nMill: Beacon Mill; Closed: 1921-05-01; Height: 0.3; Ruin: true\n\n"
        "Mill: Corn Mill; Closed: 1955-01-01 09:30:00; Height: 12"
    )
    assert [heading.title for heading in document.headings] == ["Mills"]
