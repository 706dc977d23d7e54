"""`bench`: every performance figure, each against a reference of the same run.

Those of the pages need a browser and are measured by `tests/browser/page_times.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory_bank.errors import UsageError
from memory_bank.evaluation.bench_bank import bank_figures
from memory_bank.evaluation.bench_documents import document_figures
from memory_bank.evaluation.bench_embedding import embedding_figures
from memory_bank.evaluation.bench_ingestion import ingestion_figures
from memory_bank.evaluation.bench_judgement import judgement_figures
from memory_bank.evaluation.bench_long_term import long_term_figures
from memory_bank.evaluation.bench_retrieval import retrieval_figures
from memory_bank.evaluation.bench_sessions import session_figures
from memory_bank.evaluation.bench_tokens import token_figures
from memory_bank.evaluation.figures import Figure

PARTS: dict[str, Callable[[], list[Figure]]] = {
    "retrieval": retrieval_figures,
    "embedding": embedding_figures,
    "bank": bank_figures,
    "sessions": session_figures,
    "documents": document_figures,
    "judgement": judgement_figures,
    "ingestion": ingestion_figures,
    "tokens": token_figures,
    "long-term": long_term_figures,
}


def bench_figures(only: Sequence[str] = ()) -> list[Figure]:
    """The figures of these parts, or all, which takes a few minutes on two cores. `UsageError`: no such part."""
    for name in only:
        if name not in PARTS:
            raise UsageError(f"bench has no part {name!r}; it has {', '.join(PARTS)}")
    return [figure for name in only or PARTS for figure in PARTS[name]()]
