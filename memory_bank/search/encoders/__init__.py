"""The models that `sentence_embedder.py` runs: token ids to vectors."""
