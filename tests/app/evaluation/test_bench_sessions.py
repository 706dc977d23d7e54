from __future__ import annotations

import pytest

from memory_bank.app.evaluation.bench_bank import _file_figures
from memory_bank.app.evaluation.bench_ingestion import document_figures, long_pdf
from memory_bank.documents.pdf import read_pdf

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure() -> None:
    figures = _file_figures(20)
    assert [figure.name.split()[0] for figure in figures] == ["reopen", "export", "import"]
    assert all(figure.value > 0 and figure.ratio for figure in figures)
    assert "20 nodes" in figures[0].name


def test_reading_a_pdf_is_measured() -> None:
    (figure,) = document_figures(scale=0.01)
    assert figure.held
    assert "a PDF of 2 pages" in figure.name


def test_the_pdf_has_its_pages_and_they_are_full_of_prose() -> None:
    document = read_pdf(long_pdf(3), "long.pdf", None, lambda _done, _of: None)
    assert len(document.pages) == 3
    assert all(page.end - page.start > 2_000 for page in document.pages)
