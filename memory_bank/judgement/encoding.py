"""How two texts are laid out for the network: context and words of either side, in token ids.

Values are read, not learned: those of the second text are written as the first writes the same ones, and those that
differ name the other, so that the network sees "eleven" and "11" as equal, 6,650 and 6,853 as not, and has to judge
the words alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from memory_bank.judgement.statement import Statement
from memory_bank.values.values import compared_with

TEXT_TOKENS = 80
"""How much of a statement the network reads, from its beginning."""
CONTEXT_BEGINNING, CONTEXT_END = 16, 24
"""How much of a context: its beginning has the title, its end the sentence before."""
_MOST_CHARACTERS = 2000
BETWEEN = " | "
"""Stands between a context and the words that it is the context of."""

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Token ids, mask, and 1 on the tokens of the second text: pairs × tokens, padded with zeros in the mask."""


def encode(tokenizer: Tokenizer, pairs: Sequence[tuple[Statement, Statement]], *, compared: bool = True) -> Rows:
    """Pairs of statements, padded to the longest of them; `compared` as above, which a question is not."""
    first, last, pad = _special(tokenizer)
    sides = [side for pair in pairs for side in pair]
    read = [_clean(side.text) for side in sides]
    if compared:
        read[1::2] = [compared_with(a, b) for a, b in zip(read[::2], read[1::2], strict=True)]
    words = tokenizer.encode_batch(read, add_special_tokens=False)
    before = [_clean(side.context) + BETWEEN if side.context else "" for side in sides]
    around = tokenizer.encode_batch(before, add_special_tokens=False)
    told = [_side(one, context) for one, context in zip(words, around, strict=True)]
    rows = [[first, *a, last] for a in told[::2]]
    others = [[last, *b, last] for b in told[1::2]]
    width = max((len(a) + len(b) for a, b in zip(rows, others, strict=True)), default=1)
    ids = np.full((len(pairs), width), pad, np.int64)
    mask, second = np.zeros_like(ids), np.zeros_like(ids)
    for number, (a, b) in enumerate(zip(rows, others, strict=True)):
        ids[number, : len(a) + len(b)] = [*a, *b]
        mask[number, : len(a) + len(b)] = 1
        second[number, len(a) : len(a) + len(b)] = 1
    return ids, mask, second


def words_of_second(tokenizer: Tokenizer, pair: tuple[Statement, Statement]) -> tuple[int, list[tuple[int, int]]]:
    """Where the second text's words begin in a pair that is not `compared`, and the characters of each token."""
    ids, _, _ = encode(tokenizer, [pair], compared=False)
    words = tokenizer.encode(_clean(pair[1].text), add_special_tokens=False)
    kept = words.offsets[:TEXT_TOKENS]
    return ids.shape[1] - 1 - len(kept), kept


def _clean(text: str) -> str:
    """Replace what is no character (half of a surrogate pair), which the tokenizer refuses; cut what is never read."""
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _side(words: Encoding, around: Encoding) -> list[int]:
    context = around.ids
    if len(context) > CONTEXT_BEGINNING + CONTEXT_END:
        context = [*context[:CONTEXT_BEGINNING], *context[-CONTEXT_END:]]
    return [*context, *words.ids[:TEXT_TOKENS]]


def _special(tokenizer: Tokenizer) -> tuple[int, int, int]:
    """First, last and padding token: those of XLM-R, or of BERT."""
    for names in (("<s>", "</s>", "<pad>"), ("[CLS]", "[SEP]", "[PAD]")):
        first, last, pad = (tokenizer.token_to_id(name) for name in names)
        if first is not None and last is not None and pad is not None:
            return first, last, pad
    raise ValueError("the tokenizer has neither XLM-R's nor BERT's special tokens")
