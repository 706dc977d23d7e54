"""The head of a document is what stands before its first sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.document_head import document_head


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
