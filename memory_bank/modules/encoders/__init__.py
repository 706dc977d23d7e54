"""Models that turn tokens into vectors, as `sentence_embedder.py` runs them."""
