"""Encode pairs of statements as token ids for the network: context and text of each side.

Values are compared in code, not learned: the second text's values are rewritten in the first's notation where they are
equal, and annotated with the first's value where they differ. So the network sees "eleven" and "11" as equal, 6,650
and 6,853 as not, and has to judge the words alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory_bank.judgement.statement import Statement
from memory_bank.text.emphasis import without_emphasis
from memory_bank.text.values.values import with_differences_marked

TEXT_TOKENS = 80
"""Tokens of a statement that the network reads, from its beginning."""
CONTEXT_BEGINNING, CONTEXT_END = 16, 24
"""Tokens of a context that the network reads: the beginning has the title, the end the sentence before."""
_MOST_CHARACTERS = 2000
BETWEEN = " | "
"""Separates a context from its statement."""

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Token ids, mask, and 1 on the tokens of the second text: pairs × tokens, padded with zeros in the mask."""


def encode(tokenizer: Tokenizer, pairs: Sequence[tuple[Statement, Statement]], *, compared: bool = True) -> Rows:
    """Pairs of statements as rows, padded to the longest; `compared` aligns values, which is not for questions."""
    first, last, pad = _special_tokens(tokenizer)
    sides = [side for pair in pairs for side in pair]
    texts = [_clean(side.text) for side in sides]
    if compared:
        texts[1::2] = [with_differences_marked(a, b) for a, b in zip(texts[::2], texts[1::2], strict=True)]
    contexts = [_clean(side.context) + BETWEEN if side.context else "" for side in sides]
    encoded = (tokenizer.encode_batch(each, add_special_tokens=False) for each in (contexts, texts))
    tokens = [_side(context.ids, text.ids) for context, text in zip(*encoded, strict=True)]
    rows = [([first, *a, last], [last, *b, last]) for a, b in zip(tokens[::2], tokens[1::2], strict=True)]
    ids = np.full((len(pairs), max((len(a) + len(b) for a, b in rows), default=1)), pad, np.int64)
    mask, second = np.zeros_like(ids), np.zeros_like(ids)
    for row, (a, b) in enumerate(rows):
        ids[row, : len(a) + len(b)] = [*a, *b]
        mask[row, : len(a) + len(b)] = 1
        second[row, len(a) : len(a) + len(b)] = 1
    return ids, mask, second


def words_of_second(tokenizer: Tokenizer, pair: tuple[Statement, Statement]) -> tuple[int, list[tuple[int, int]]]:
    """For a pair encoded without `compared`: the position of the second text's first token, and each token's span."""
    ids, _, _ = encode(tokenizer, [pair], compared=False)
    encoded = tokenizer.encode(_clean(pair[1].text), add_special_tokens=False)
    offsets = encoded.offsets[:TEXT_TOKENS]
    return ids.shape[1] - 1 - len(offsets), offsets


def _clean(text: str) -> str:
    """Replace lone surrogates, which the tokenizer refuses, and marks of emphasis, and cut what is never read."""
    return without_emphasis(text[:_MOST_CHARACTERS]).encode("utf-8", "replace").decode("utf-8")


def _side(context: list[int], text: list[int]) -> list[int]:
    """Token ids of one side: the context, shortened in its middle, then the beginning of the text."""
    if len(context) > CONTEXT_BEGINNING + CONTEXT_END:
        context = [*context[:CONTEXT_BEGINNING], *context[-CONTEXT_END:]]
    return [*context, *text[:TEXT_TOKENS]]


def _special_tokens(tokenizer: Tokenizer) -> tuple[int, int, int]:
    """Ids of the first, last and padding token, as named by XLM-R or BERT."""
    for names in (("<s>", "</s>", "<pad>"), ("[CLS]", "[SEP]", "[PAD]")):
        first, last, pad = (tokenizer.token_to_id(name) for name in names)
        if first is not None and last is not None and pad is not None:
            return first, last, pad
    raise ValueError("the tokenizer has neither XLM-R's nor BERT's special tokens")
