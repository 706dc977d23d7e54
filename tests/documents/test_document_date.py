"""A document's own date is found at its head, and nowhere else."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.document_date import document_date


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Minutes of 4 March 2024\n\nThe roof is leaking.", date(2024, 3, 4)),
        ("From: Ann\nTo: Ben\nDate: Tue, 12 May 2026 09:10\nSubject: roof\n\nThe roof leaks.", date(2026, 5, 12)),
        ("# Roof\n\n2023-11-02, Ann Hale\n\nThe roof leaks.", date(2023, 11, 2)),
        ("Quarterly report\nMarch 2022\n\nSales rose.", date(2022, 3, 1)),
        ("会议纪要\n2024年5月6日\n\n屋顶漏水。", date(2024, 5, 6)),
        ("# The mill\n\nThe mill burnt down on 4 March 1911.", None),  # a sentence tells of something else
        ("# Report 2019\n\nSales rose.", None),  # a year alone is as often the subject
        ("# Minutes, 30 February 2024\n\nThe roof leaks.", None),
        ("The mill burnt down on 4 March 1911\nand was never built again.\n", None),  # a sentence over two lines
        ("---\ntitle: Roof\ndate: 2023-11-02\n---\n\n# Roof\n\nThe roof leaks.", date(2023, 11, 2)),
        ("# Report on the fire of 3 March 2024\n\nDate: 12 March 2024\n\nThe mill burnt.", date(2024, 3, 12)),
        ("Minutes of the meeting of 4 March 2024\nNext meeting: 2 April 2024\n\nThe roof leaks.", date(2024, 3, 4)),
        ("Report\n13/05/2023\n\nThe roof leaks.", date(2023, 5, 13)),
        ("Report\n12/05/2023\n\nThe roof leaks.", None),  # May or December
        ("Manual\nVersion 1.2.23\n\nPress the button.", None),
        ("", None),
    ],
)
def test_the_date_of_the_head_is_the_documents(text: str, found: date | None) -> None:
    assert document_date(text) == found


@pytest.mark.parametrize(
    ("language", "line", "found"),
    [
        ("de", "Stand: 3. Mai 2023", date(2023, 5, 3)),
        ("de", "Protokoll der Sitzung vom 12. August 2023", date(2023, 8, 12)),
        ("de", "Berlin, den 3. MÄRZ 2024", date(2024, 3, 3)),
        ("de", "Stand: Mai 2023", date(2023, 5, 1)),
        ("de", "Protokoll vom 03.05.2023", date(2023, 5, 3)),
        ("de", "30. Februar 2023", None),
        ("fr", "Paris, le 1er mai 2023", date(2023, 5, 1)),
        ("fr", "Le 03/05/2023", date(2023, 5, 3)),
        ("es", "Madrid, 3 de mayo de 2023", date(2023, 5, 3)),
        ("tr", "3 Kasım 2023", date(2023, 11, 3)),
        ("tr", "3 KASIM 2023", date(2023, 11, 3)),  # its I is that of "ı", which `lower` does not know
        ("en", "3 Aprİl 2023", date(2023, 4, 3)),
        ("xx", "12 May 2023", date(2023, 5, 12)),
    ],
)
def test_a_date_is_read_in_the_language_of_the_document(language: str, line: str, found: date | None) -> None:
    assert document_date(f"Title\n{line}\n\n", language) == found


@given(st.text(), st.sampled_from([None, "en", "de", "zh"]))
def test_no_text_is_too_odd(text: str, language: str | None) -> None:
    assert document_date(text, language) is None or isinstance(document_date(text, language), date)
