"""Text search: embedding models, keyword and vector indices, and research over a large memory."""
