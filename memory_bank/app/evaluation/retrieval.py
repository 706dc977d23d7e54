"""`eval retrieval`: recall of the gold passages of questions, for each retrieval mode and for research."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from memory_bank.agents.research import MemoryPage
from memory_bank.app.evaluation.items import Items, mean, read_records
from memory_bank.bank.settings import Settings
from memory_bank.bank.value import Value
from memory_bank.search.research.library import PageLibrary
from memory_bank.search.research.researcher import research_question
from memory_bank.search.retrieval import Mode, NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.session.session import Parts

DEPTH = 8
MODES: tuple[Mode, ...] = ("keyword", "embedding", "hybrid")


class RetrievalQuestion(Value):
    """A question; `gold_passages` is used for the scores only."""

    id: str
    question: str
    gold_passages: tuple[str, ...]


def evaluate_retrieval(file: Path, settings: Settings, items: Items) -> dict[str, Any]:
    """The scores of one file for each mode, as the data's README defines them."""
    records = list(read_records(file, {"passage": MemoryPage, "question": RetrievalQuestion}))
    passages = {record.id: record for record in records if isinstance(record, MemoryPage)}
    questions = [record for record in records if isinstance(record, RetrievalQuestion)][: items.limit]
    parts = Parts.asking(settings)
    index = RetrievalIndex(parts.embedder, lambda key: NodeText(f"{passages[key].title}\n{passages[key].text}"))
    for passage_id in passages:
        index.mark(passage_id)
    index.refresh()
    modes, seconds = {}, {}
    for mode, rank in _rankers(index, parts, passages.values(), settings).items():
        started = time.perf_counter()
        ranked = [rank(question.question) for question in questions]
        modes[mode] = scores(ranked, [question.gold_passages for question in questions])
        seconds[mode] = round(time.perf_counter() - started, 2)
    return {"questions": len(questions), "passages": len(passages), "modes": modes, "seconds": seconds}


def _rankers(
    index: RetrievalIndex, parts: Parts, passages: Iterable[MemoryPage], settings: Settings
) -> dict[str, Callable[[str], list[str]]]:
    """For each mode, a function that ranks passages for a question; `research` searches the passages as pages."""

    def retrieve(mode: Mode, question: str) -> list[str]:
        retrieval = RetrievalSettings(k=DEPTH, alpha=settings.retrieval_alpha, mode=mode)
        return [hit.id for hit in index.retrieve(question, retrieval)]

    library = PageLibrary(index, parts.embedder, holder=lambda page_id: page_id, held=lambda page_id: (page_id,))
    for passage in passages:
        library.add(passage)
    research = partial(research_question, library, parts.researcher())
    rankers: dict[str, Callable[[str], list[str]]] = {mode: partial(retrieve, mode) for mode in MODES}
    return rankers | {"research": lambda question: [page.id for page in research(question).pages]}


def scores(ranked: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> dict[str, float]:
    """Mean recall at 2, 5 and 8, and the share of questions with all gold passages among the first 8."""
    both = [(r, set(g)) for r, g in zip(ranked, gold, strict=True)]
    result = {
        f"recall@{depth}": mean([len(g.intersection(r[:depth])) / len(g) if g else 0.0 for r, g in both])
        for depth in (2, 5, 8)
    }
    result["all_gold@8"] = mean([float(g <= set(r[:DEPTH])) for r, g in both])
    return result
