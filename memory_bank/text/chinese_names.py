"""Proper names in Chinese text, which has no capitals: quoted titles, and words that jieba tags as names.

The tagger knows common names and guesses others from the characters around them. It is loaded at the first Chinese
sentence (1 s, 60 MB), and never before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from memory_bank.text.tokens import holds_chinese, import_jieba, segmenter

_QUOTED_TITLE = re.compile(r"[《「『“]([^《》「」『』“”]{2,30})[》」』”]")
_NAME_TAGS = ("nr", "ns", "nt", "nz")  # a person, a place, an institution, another name
_TYPE_ENDINGS = frozenset(
    "桥路街道巷河江湖海溪山岭谷村镇乡县市省州区岛港站厂场坊矿坝库校学院系馆社司局行会队团寺塔庙宫楼园店铁"
)
"""The last characters of nouns that name a type of place or institution, such as 桥 (bridge)."""


def chinese_names(text: str) -> Iterator[str]:
    """The names in a sentence: quoted titles first, then the others in order; none if it has no Chinese."""
    if not holds_chinese(text):
        return
    yield from _QUOTED_TITLE.findall(text)
    tagged = _tagger().lcut(_QUOTED_TITLE.sub("，", text))
    start = 0
    while start < len(tagged):
        length = _name_length(tagged, start)
        name = "".join(word.word for word in tagged[start : start + length])
        if len(name) > 1:
            yield name
        start += max(length, 1)


def tagged_words(text: str) -> list[tuple[str, str]]:
    """The words of a Chinese text, each with jieba's part-of-speech tag."""
    return [(word.word, word.flag) for word in _tagger().lcut(text)]


def _name_length(tagged: Sequence[Any], start: int) -> int:
    """The number of words, from `start` on, that form one name; 0 if no name begins there."""
    first, rest = tagged[start], tagged[start + 1 :]
    if not first.flag.startswith(_NAME_TAGS):
        return 0
    if first.flag.startswith("nr"):  # the tagger takes a given name after a family name for a separate word
        given = rest[0].word if rest and len(first.word) == 1 else ""
        return 2 if holds_chinese(given) and len(given) <= 2 else 1
    length = 1
    for word in rest:  # the name of a place or institution goes on with another name, or a noun for its type
        of_type = word.word[-1] in _TYPE_ENDINGS and (word.flag == "n" or len(word.word) == 1)
        if not (of_type or word.flag.startswith(_NAME_TAGS)):
            break
        length += 1
    return length


@lru_cache(maxsize=1)
def _tagger() -> Any:  # noqa: ANN401 - jieba has no types
    tokenizer = segmenter()
    posseg = import_jieba("jieba.posseg")
    posseg.dt.tokenizer = tokenizer  # jieba's own would read a cache file that anyone may have put in a shared folder
    return posseg.dt
