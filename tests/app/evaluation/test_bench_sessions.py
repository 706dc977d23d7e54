from __future__ import annotations

import pytest

from memory_bank.app.evaluation.bench_sessions import bank_figures, document_figures, long_pdf
from memory_bank.documents.pdf import read_pdf

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure() -> None:
    adding, memory = bank_figures(scale=0.01)
    assert [adding.target, memory.target] == ["<= 1.5", "<= 200 MB"]
    assert adding.value > 0
    assert memory.value > 0


def test_reading_a_pdf_is_measured() -> None:
    (figure,) = document_figures(scale=0.01)
    assert figure.held
    assert "a PDF of 2 pages" in figure.name


def test_the_pdf_has_its_pages_and_they_are_full_of_prose() -> None:
    document = read_pdf(long_pdf(3), "long.pdf", None, lambda _done, _of: None)
    assert len(document.pages) == 3
    assert all(page.end - page.start > 2_000 for page in document.pages)
