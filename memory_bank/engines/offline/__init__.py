"""The embedded engine: every agent's judgement by embeddings, retrieval and classic language processing."""
