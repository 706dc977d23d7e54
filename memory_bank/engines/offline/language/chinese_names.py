"""Proper names in Chinese text, which has no capitals: what stands in title marks, and what jieba tags as a name.

The tagger knows common names and guesses at others by the signs around them. It is loaded at the first Chinese
sentence (a second, 60 MB), and never before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Protocol

from memory_bank.modules.tokens import holds_chinese, segmenter

_MARKED = re.compile(r"[《「『“]([^《》「」『』“”]{2,30})[》」』”]")
_NAME = ("nr", "ns", "nt", "nz")  # a person, a place, an institution, another name
_NOUN = "n"
_KINDS = frozenset(
    "桥路街道巷河江湖海溪山岭谷村镇乡县市省州区岛港站厂场坊矿坝库校学院系馆社司局行会队团寺塔庙宫楼园店铁"
)
"""How a noun ends that says what kind of place or institution a name is of."""
_GIVEN = 2
"""Signs of the longest given name after a family name that the tagger took for a word by itself."""
_SHORTEST = 2


class _Word(Protocol):
    """A word, and its part of speech in jieba's letters."""

    word: str
    flag: str


class _Tagger(Protocol):
    def lcut(self, sentence: str) -> list[_Word]: ...


def chinese_names(text: str) -> Iterator[str]:
    """The names in a sentence, in order: titles in their marks first; nothing where there is no Chinese."""
    if not holds_chinese(text):
        return
    yield from _MARKED.findall(text)
    tagged = _tagger().lcut(_MARKED.sub("，", text))
    start = 0
    while start < len(tagged):
        length = _length(tagged, start)
        name = "".join(word.word for word in tagged[start : start + length])
        if len(name) >= _SHORTEST:
            yield name
        start += max(length, 1)


def tagged_words(text: str) -> list[tuple[str, str]]:
    """The words of a Chinese text, each with its part of speech in jieba's letters."""
    return [(word.word, word.flag) for word in _tagger().lcut(text)]


def _length(tagged: Sequence[_Word], start: int) -> int:
    """How many words from here on are one name: 0 where none begins."""
    first = tagged[start]
    if not first.flag.startswith(_NAME):
        return 0
    rest = list(islice(tagged, start + 1, None))
    if first.flag.startswith("nr"):
        is_family_name = len(first.word) == 1
        return 2 if is_family_name and rest and holds_chinese(rest[0].word) and len(rest[0].word) <= _GIVEN else 1
    following = next((place for place, word in enumerate(rest) if not _goes_on(word)), len(rest))
    return 1 + following


def _goes_on(word: _Word) -> bool:
    """Whether the name of a place or an institution goes on: another name, or what kind of thing it is."""
    return word.flag.startswith(_NAME) or (word.word[-1] in _KINDS and (word.flag == _NOUN or len(word.word) == 1))


@lru_cache(maxsize=1)
def _tagger() -> _Tagger:
    found = segmenter()
    from jieba import posseg  # noqa: PLC0415 - after the segmenter, which keeps its warnings in

    tagger = posseg.dt
    tagger.tokenizer = found  # not jieba's own, which would read a file that anyone may have left in a shared folder
    loaded: _Tagger = tagger
    return loaded
