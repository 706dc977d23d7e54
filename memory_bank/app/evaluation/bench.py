"""`bench`: all performance figures, each compared with a reference measured in the same run.

The times of the pages need a browser and are measured by `tests/browser/page_times.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory_bank.app.evaluation.bench_long_term import long_term_figures
from memory_bank.app.evaluation.bench_models import judgement_figures
from memory_bank.app.evaluation.bench_retrieval import retrieval_figures
from memory_bank.app.evaluation.bench_sessions import bank_figures, document_figures, ingestion_figures, session_figures
from memory_bank.app.evaluation.figures import Figure
from memory_bank.bank.errors import UsageError

PARTS: dict[str, Callable[[], list[Figure]]] = {
    "retrieval": retrieval_figures,
    "bank": bank_figures,
    "sessions": session_figures,
    "documents": document_figures,
    "judgement": judgement_figures,
    "ingestion": ingestion_figures,
    "long-term": long_term_figures,
}


def bench_figures(only: Sequence[str] = ()) -> list[Figure]:
    """Measure these parts, or all of them: a few minutes on two cores. Raises `UsageError` for an unknown part."""
    for name in only:
        if name not in PARTS:
            raise UsageError(f"bench has no part {name!r}; it has {', '.join(PARTS)}")
    return [figure for name in only or PARTS for figure in PARTS[name]()]
