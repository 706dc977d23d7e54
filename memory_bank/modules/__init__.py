"""Plain code without judgement: documents, chunking, sentences, embedding, retrieval, layout."""
