"""The models that `sentence_embedder.py` runs: token ids to vectors.

Of a model, `tokenizer` is its tokenizer as JSON, `length` the most tokens that it reads, its special ones included, and
`padding` the id of the padding token. `encode` takes token ids and a mask, shape (texts, tokens), and returns the
texts' vectors; tokens whose mask is 0 have no influence.
"""
