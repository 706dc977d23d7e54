"""The embedded engine: six judgements by embeddings, retrieval and classic language processing."""
