"""`bench`: every performance figure, each against a reference of the same run."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.evaluation.bench_bank import bank_figures
from memory_bank.evaluation.bench_embedding import embedding_figures
from memory_bank.evaluation.bench_ingestion import ingestion_figures
from memory_bank.evaluation.bench_long_term import long_term_figures
from memory_bank.evaluation.bench_retrieval import retrieval_figures
from memory_bank.evaluation.bench_tokens import token_figures
from memory_bank.evaluation.figures import Figure


def bench_figures() -> list[Figure]:
    """All figures; a few minutes on two cores."""
    return [
        *retrieval_figures(),
        *embedding_figures(),
        *bank_figures(),
        *ingestion_figures(),
        *token_figures(),
        *long_term_figures(),
    ]


def bench_table(figures: Sequence[Figure]) -> str:
    """The figures as a table for people."""
    return "\n".join(_row(figure) for figure in figures)


def _row(figure: Figure) -> str:
    value = f"{figure.value:.4g} {figure.unit}"
    reference = "" if figure.reference is None else f"reference {figure.reference:.4g} {figure.unit}"
    ratio = "" if figure.ratio is None else f"ratio {figure.ratio:.3g}"
    held = "held" if figure.held else "MISSED"
    return f"{held:<7} {figure.name:<62} {value:<12} {reference:<22} {ratio:<12} target {figure.target}"
