"""The models that `sentence_embedder.py` runs: token ids to vectors.

Of a model, `identity` is unique to it and the way it is run: a part of the key under which a vector is cached.
`tokenizer` is its tokenizer as JSON, `length` the most tokens that it reads, its special ones included, and `padding`
the id of the padding token. `encode` takes token ids and a mask, shape (texts, tokens), and returns the texts' vectors;
tokens whose mask is 0 have no influence.
"""
