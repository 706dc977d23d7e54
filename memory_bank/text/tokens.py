"""Split text into words: the one tokeniser of keyword search, for documents and questions alike.

`words` gives the words of a text (lower case, accents folded); `tokenize` gives the tokens to index: without stop
words, English words stemmed, numbers normalised. Chinese is segmented with jieba, which is loaded at the first Chinese
character and never before. Words of other languages are kept whole.
"""

from __future__ import annotations

import re
import threading
import unicodedata
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

import snowballstemmer

from memory_bank.text.parallel import loaded_once

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before being
    below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down
    during each either else every few for from further had hadn't has hasn't have haven't having he he'd
    he'll her here here's hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't
    it its itself just let's me more most my myself neither no nor not of off on once only or other our
    ours ourselves out over own per rather same shall she she'd she'll should shouldn't since so some such
    than that the their theirs them themselves then there there's these they they'd they'll they're
    they've this those through thus to too under until up upon very was wasn't we we'd we'll we're we've
    were weren't what what's when when's where where's whether which while who who's whom whose why why's
    will with within without won't would wouldn't yet you you'd you'll you're you've your yours yourself
    yourselves
    的 了 和 与 及 或 是 在 也 都 就 而 被 把 吗 呢 吧 啊 着 之 其 这 那 这个 那个 哪 哪个
    哪些 什么 谁 怎么 怎样 如何 为什么 多少 几 我 你 他 她 它 我们 你们 他们 她们 它们 一个 有
    为 对 于 从 到 由 以 等 哪里 哪儿 哪年 何时 何地 何处 何人 几个 请问 是否 一位 一座 一名 一种
    那座 这座 那位 这位 后来 并 但 但是 因为 所以 而且 以及 她的 他的 它的 该 此 个 位 座 并且
    """.split()
)
"""Words that say nothing about the topic. "us" is not one of them: it is a country as often as a pronoun."""

_ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th"))

_CHINESE = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)")
_WORD = re.compile(
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*[^\W_]*"  # 8,849 · 3.5 · 2.0.1 · 5km · 1990s
    r"|[^\W\d_][^\W_]*(?:'[^\W\d_]+)*"  # everest · don't · b2b
)
_INITIALS = re.compile(r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+(?![^\W_])")
_LEADING_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_ACCENTS = re.compile("[\u0300-\u036f]")
THOUSANDS_SPACES = "\u00a0\u2009\u202f"
"""Spaces that separate thousands: a no-break space, a thin one, a narrow no-break one."""
_SPACED_THOUSANDS = re.compile(rf"(?<=\d)[{THOUSANDS_SPACES}](?=\d{{3}}(?!\d))")
_REPLACEMENTS = str.maketrans(
    {"’": "'", "ʼ": "'", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
    | {"，": " "}  # the Chinese comma separates clauses, never thousands
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff")  # invisible characters, which do not separate words
)


def words(text: str) -> list[str]:
    """The words of a text in order: lower case, accents folded, nothing dropped, nothing stemmed.

    Thousands separators are removed ("8,849" is "8849"), and so is a possessive "'s". Chinese is split into words that
    do not overlap.
    """
    return _cut(text, lambda chinese: segmenter().lcut(chinese, HMM=False))


def tokenize(text: str) -> list[str]:
    """The tokens to index for a text, and to look up for a question, in order and with repetitions.

    Stop words are dropped, English is stemmed, a number with a unit attached is two tokens ("5km": "5", "km"), and the
    shorter words inside a long Chinese word are added, so that either finds the other.
    """
    cut = _cut(text, lambda chinese: segmenter().lcut_for_search(chinese, HMM=False))
    return [token for word in cut for token in _tokens_of(word)]


def is_chinese(word: str) -> bool:
    """Whether a word of `words` is Chinese: such a word is Chinese entirely or not at all."""
    return _CHINESE.match(word) is not None


def holds_chinese(text: str) -> bool:
    """Whether any character of a text is Chinese."""
    return _CHINESE.search(text) is not None


def _cut(text: str, cut_chinese: Callable[[str], list[str]]) -> list[str]:
    """Fold the text, then split its Chinese parts with `cut_chinese` and the other parts at spaces.

    Without jieba's hidden Markov model a name it does not know becomes single characters, but the same ones in a
    document and in a question; with the model the split depends on the text around the name.
    """
    if text.isascii():
        return _spaced_words(text.lower())
    parts: list[str] = []
    for index, part in enumerate(_CHINESE.split(_fold(text))):  # every second part is Chinese
        parts.extend(cut_chinese(part) if index % 2 else _spaced_words(part))
    return parts


def _fold(text: str) -> str:
    """The text in lower case, without accents, and with plain letters for full-width letters and ligatures."""
    text = _SPACED_THOUSANDS.sub(",", text.lower().translate(_REPLACEMENTS))
    text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text).casefold()


def _spaced_words(text: str) -> list[str]:
    """The words of folded text in a script with spaces between words."""
    # "u.s" is one word, so that it is found by "us".
    split: list[str] = _WORD.findall(_INITIALS.sub(lambda initials: initials[0].replace(".", ""), text))
    if "," in text:
        split = [word.replace(",", "") for word in split]
    if "'" in text:
        split = [word.removesuffix("'s") for word in split]
    return split


@lru_cache(maxsize=65_536)
def _tokens_of(word: str) -> tuple[str, ...]:
    """The tokens of one word: none, one, or two."""
    if word in STOP_WORDS:
        return ()
    number = _LEADING_NUMBER.match(word)
    if number is None:
        return (stem_of(word),) if word.isascii() else (word,)
    tail = word[number.end() :]
    if not tail:
        return (word,)
    is_unit = len(tail) > 1 and tail.isalpha() and tail not in _ORDINAL_ENDINGS
    return (number[0], tail if is_unit else word)


class _Stemmer(threading.local):
    """One stemmer for each thread, because a snowball stemmer stores the current word."""

    def __init__(self) -> None:
        self.stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord


_stemmer = _Stemmer()


def stem_of(word: str) -> str:
    """The stem of an English word in lower case."""
    return _stemmer.stem(word)


def import_jieba(module: str) -> ModuleType:
    """Import jieba or one of its modules without the warnings it raises: invalid escapes, and pkg_resources."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module(module)


@loaded_once
def segmenter() -> Any:  # noqa: ANN401 - jieba has no types
    """Jieba's tokeniser with its own dictionary; the first call loads it (0.5 s and 65 MB).

    The dictionary is read here and not by jieba's `initialize`, which logs to stderr and trusts a cache file that
    anyone may have put in the shared temporary folder.
    """
    tokenizer = import_jieba("jieba").Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer
