"""Stems of English words, and function words that carry no meaning of their own."""

from __future__ import annotations

from functools import lru_cache

from memory_bank.text.tokens import stem_of
from memory_bank.text.values.names import fold

FUNCTION_WORDS = frozenset(
    "a an the and or but of in on at by for from to with as is are was were be been being it its he his him she her "
    "they their them this that these those there here which who whom whose what when where while than then so such "
    "has have had having do does did will would can could may might shall should must also into onto over under about "
    "after before between during through per via not no nor s t if because although though since until upon within "
    "one some any each other more most very just only both all i we you my our your 's "
    "的 了 在 是 于 和 与 为 有 而 之 其".split()
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word in folded form; words of one or two letters, numbers and Chinese are not stemmed."""
    folded = fold(word)
    if len(folded) < 3 or not folded.isascii():
        return folded
    return stem_of(folded.removesuffix("'s"))
