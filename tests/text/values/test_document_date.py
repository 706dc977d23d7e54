"""A document's own date is found at its head, and nowhere else."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.values.document_date import document_date, document_head


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
        ("", None),
    ],
)
def test_the_date_of_the_head_is_the_documents(text: str, found: date | None) -> None:
    assert document_date(text) == found


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (
            "From: Ann Hale\nTo: Ben\nSubject: roof\n\nDear Ben,\nThe roof leaks.\n\nAnn",
            "From: Ann Hale · To: Ben · Subject: roof · Dear Ben,",
        ),
        ("# Roof\n\n2023-11-02, Ann Hale\n\nThe roof leaks.", "# Roof · 2023-11-02, Ann Hale"),
        ("会议纪要\n记录人：王芳\n\n屋顶漏水。", "会议纪要 · 记录人：王芳"),
        ("The roof leaks.\nAnn Hale", ""),
        ("", ""),
    ],
)
def test_the_head_is_what_stands_before_the_first_sentence(text: str, head: str) -> None:
    assert document_head(text) == head


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert "\n" not in document_head(text)
    assert document_date(text) is None or isinstance(document_date(text), date)
