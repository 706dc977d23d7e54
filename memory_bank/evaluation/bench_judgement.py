"""`bench`, judgement: pairs of statements through the trained networks, and what these take of memory."""

from __future__ import annotations

from memory_bank.evaluation.bench_ingestion import prose
from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.process_memory import memory_of_networks
from memory_bank.evaluation.timing import by_turns
from memory_bank.judgement.contradictions import candidates
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.modules.sentence_embedder import SentenceEmbedder

PAIRS = 1_000
WORDS = 18
"""Words of a statement that are taken: about 24 tokens of each side."""
A_SECOND = 250
_CHARACTERS, _REPEATS = 60_000, 3


def judgement_figures(scale: float = 1.0) -> list[Figure]:
    """Nearest pairs of real documentation, as the engine looks at them, against embedding the same statements."""
    count = int(PAIRS * scale)
    embedder = SentenceEmbedder(cache_size=1)
    found = statements_of(prose(int(_CHARACTERS * scale)))
    statements = [Statement(" ".join(one.statement.text.split()[:WORDS])) for one in found]
    pairs = [(statements[i], statements[j]) for i, j in candidates(statements, statements, embedder)][:count]
    texts = [one.text for pair in pairs for one in pair]
    model = load_pair_model()

    def judge() -> None:
        model.forget()
        model.judge(pairs)

    costs = by_turns(judge, lambda: embedder.embed(texts), repeats=_REPEATS)
    return [
        Figure.below(f"judge {len(pairs):,} nearest pairs", "s", costs, len(pairs) / A_SECOND),
        Figure.most("memory of both networks, above the embedding model", "MB", memory_of_networks(), 250),
    ]
