"""`bench`, part `judgement`: the speed of the pair model."""

from __future__ import annotations

from memory_bank.app.evaluation.bench_sessions import prose
from memory_bank.app.evaluation.figures import Figure, time_alternating
from memory_bank.judgement.contradictions import candidates
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.sentence_embedder import SentenceEmbedder

PAIRS = 1_000
WORDS = 18
"""A statement is cut to this many words, about 24 tokens."""
PAIRS_PER_SECOND = 250
_JUDGED_CHARACTERS = 60_000


def judgement_figures(scale: float = 1.0) -> list[Figure]:
    """Time to judge the nearest pairs of real documentation, against embedding the same statements."""
    count = int(PAIRS * scale)
    embedder = SentenceEmbedder(cache_size=1)
    located = statements_of(prose(int(_JUDGED_CHARACTERS * scale)))
    statements = [Statement(" ".join(each.statement.text.split()[:WORDS])) for each in located]
    pairs = [(statements[i], statements[j]) for i, j in candidates(statements, statements, embedder)][:count]
    texts = [statement.text for pair in pairs for statement in pair]
    model = load_pair_model()

    def judge() -> None:
        model.forget()
        model.judge(pairs)

    costs = time_alternating(judge, lambda: embedder.embed(texts), repeats=3)
    return [
        Figure.of(f"judge {len(pairs):,} nearest pairs", "s", costs, ("most", len(pairs) / PAIRS_PER_SECOND)),
    ]
