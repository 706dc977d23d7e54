"""Who or what a question describes instead of naming it: "the builder of Alder Mill" is told by a sentence elsewhere.

With the name in its place the question can be asked again, and what answers it may stand on quite another page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.language.chinese_names import chinese_names
from memory_bank.modules.titles import names, title_words
from memory_bank.modules.tokens import tokenize, words
from memory_bank.values.names import find_names

_DESCRIBED = (
    re.compile(r"\bthe (?P<role>[a-z]{4,}) of (?P<thing>(?:the )?[A-Z][\w'’-]*(?:(?: of| the)* [A-Z][\w'’-]*)*)"),
    re.compile(r"(?P<thing>[\u4e00-\u9fff]{2,12})的(?P<role>建造者|设计者|作者|创建者|发明者|导演|妻子|丈夫|出生地)"),
)
_SAID = {
    "author": "wrote written",
    "writer": "wrote",
    "architect": "designed",
    "engineer": "designed",
    "builder": "constructed erected",
    "creator": "made",
    "designer": "drew",
    "painter": "",
    "inventor": "",
    "founder": "established",
    "owner": "bought",
    "director": "",
    "producer": "",
    "composer": "wrote",
    "publisher": "",
    "discoverer": "found",
    "capital": "",
    "birthplace": "born",
    "wife": "married",
    "husband": "married",
    "建造者": "建 造 建成 建造 修建 兴建",
    "设计者": "设计",
    "作者": "写 著 所著 写成",
    "创建者": "创建 创办 建立",
    "发明者": "发明",
    "妻子": "娶 妻",
    "丈夫": "嫁 嫁给",
    "出生地": "出生 生于 出生于",
}
"""The roles that are understood, and words by which a sentence says so, besides words that begin as the role does."""
_BEFORE = re.compile(r"(?:\bby|由)\s*$", re.IGNORECASE)
_BEFORE_PLACE = re.compile(r"(?:\b(?:in|at)|[于在])\s*$", re.IGNORECASE)
_PLACES = frozenset(("birthplace", "出生地"))
_COMMON = 4
"""Letters with which a role and such a word both begin: "builder", "built"."""
_ASKING = frozenset(tokenize("name year called 名字 叫"))


@dataclass(frozen=True, slots=True)
class Link:
    """The question with a name for what it described, and the sentence that told the name."""

    question: str
    passage: Passage


def linked(question: str, pool: Sequence[Passage]) -> Link | None:
    """The first thing described whose name a sentence tells; None without any, or where the name is what is asked."""
    for described in (found for pattern in _DESCRIBED for found in pattern.finditer(question)):
        rest = f"{question[: described.start()]} {question[described.end() :]}"
        if described["role"] not in _SAID or not set(tokenize(rest)) - _ASKING:
            continue
        for passage in pool:
            name = _told(passage.text, described["role"], described["thing"])
            if name is not None:
                return Link(question[: described.start()] + name + question[described.end() :], passage)
    return None


def _told(sentence: str, role: str, thing: str) -> str | None:
    """The name that a sentence gives to what has a role towards a thing: after the right preposition, nearest to it."""
    if not names(words(sentence), title_words(thing)):
        return None
    said = [found.start() for found in re.finditer(r"[^\W\d_]+", sentence) if _says(found[0], role)]
    said += [sentence.find(word) for word in _SAID.get(role, "").split() if not word.isascii() and word in sentence]
    others = [(start, name) for start, name in _names(sentence) if not _overlap(name, thing)]
    if not said or not others:
        return None
    before = _BEFORE_PLACE if role in _PLACES else _BEFORE
    far = {name: min(abs(start - place) for place in said) for start, name in others}
    return min(others, key=lambda one: (before.search(sentence[: one[0]]) is None, far[one[1]]))[1]


def _says(word: str, role: str) -> bool:
    return word.isascii() and (word.lower()[:_COMMON] == role[:_COMMON] or word.lower() in _SAID.get(role, "").split())


def _names(sentence: str) -> Iterator[tuple[int, str]]:
    yield from ((name.start, " ".join(sentence[name.start : name.end].split())) for name in find_names(sentence, []))
    yield from ((sentence.find(name), name) for name in chinese_names(sentence))


def _overlap(name: str, thing: str) -> bool:
    return not set(words(name)).isdisjoint(words(thing)) or name in thing or thing in name
