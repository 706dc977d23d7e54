"""What a sentence is about, as far as its words show it (specification section 7).

There is no parser here: the subject is what stands before the first verb, with brackets and an opening "In 1990,"
left out. A pronoun or "the mill" points to the document's topic, which the caller knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory_bank.engines.offline.names import fold, name_words
from memory_bank.engines.offline.tokens import STOPWORDS, Token, stem

_VERBS = frozenset(
    stem(w)
    for w in (
        "is are was were be been has have had does did do can could may might will would shall should must became "
        "become born died founded established built located situated lies stands covers encompasses contains "
        "includes included opened closed released published played plays won joined moved served serves worked "
        "works began started ran runs made makes took takes directed wrote designed created produced recorded lived "
        "received attended studied graduated married held holds features featured stars peaked reached sold "
        "completed constructed erected remains remained consists comprises rises flows measures weighs employs "
        "attracted appointed elected named called known used listed added performed debuted formed "
        "是 位 为 有 成 建 生"
    ).split()
)
_PRONOUNS = frozenset(
    ["it", "he", "she", "they", "this", "these", "those", "that", "there", "who", "which", "we", "i", "you"]
)
_POSSESSIVES = frozenset({"his", "her", "their", "its", "my", "our", "your"})
_REACH = 14
_LEADING = frozenset(
    "in on at by from since during after before as until for with under around when while about through".split()
)


class SubjectKind(StrEnum):
    """How a sentence names what it is about."""

    NONE = "none"
    PRONOUN = "pronoun"
    DEFINITE = "definite"
    POSSESSIVE = "possessive"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a sentence: how it is named, its content words (stems), and where its verb stands."""

    kind: SubjectKind
    words: frozenset[str]
    verb: int


def _skip_opening(tokens: Sequence[Token]) -> int:
    """The first token after an opening adverbial ("In 1990, …"), or 0."""
    if not tokens or tokens[0].key not in _LEADING:
        return 0
    for index in range(1, min(len(tokens), 9)):
        if tokens[index].clause:
            return index
        if tokens[index].key in _VERBS:
            return 0
    return 0


def find_subject(tokens: Sequence[Token]) -> Subject:
    """The subject of a sentence given as tokens; kind NONE for a fragment without one."""
    start = _skip_opening(tokens)
    end = next((i for i in range(start, min(len(tokens), start + _REACH)) if tokens[i].key in _VERBS), None)
    if end is None or end == start:
        return Subject(SubjectKind.NONE, frozenset(), start)
    phrase = _until_bracket(tokens[start:end])
    words = frozenset(t.key for t in phrase if t.content and t.value is None)
    first = fold(phrase[0].text)
    if len(phrase) == 1 and first in _PRONOUNS:
        return Subject(SubjectKind.PRONOUN, frozenset(), end)
    if first in _POSSESSIVES or _has_possessive(phrase):
        return Subject(SubjectKind.POSSESSIVE, words, end)
    if any(t.content and t.text[:1].isupper() for t in phrase[1:]) or phrase[0].content:
        return Subject(SubjectKind.NAME, words, end)
    if not words:
        return Subject(SubjectKind.PRONOUN, frozenset(), end)
    return Subject(SubjectKind.DEFINITE, words, end)


def _until_bracket(phrase: Sequence[Token]) -> Sequence[Token]:
    for index, token in enumerate(phrase):
        if index and token.clause:
            return phrase[:index]
    return phrase


def _has_possessive(phrase: Sequence[Token]) -> bool:
    return any(re.search(r"['’]s?$", t.text) for t in phrase)


def topic_words(topic: str) -> frozenset[str]:
    """The stems that name a topic, what stands in brackets left out."""
    bare = re.sub(r"\([^)]*\)", " ", topic)
    return frozenset(stem(w) for w in name_words(bare) if stem(w) not in STOPWORDS)


def disambiguator(topic: str) -> frozenset[str]:
    """The stems in brackets of a title such as "Down Home (Joey Baron album)"."""
    inside = " ".join(re.findall(r"\(([^)]*)\)", topic))
    return frozenset(stem(w) for w in re.findall(r"\w+", inside) if stem(w) not in STOPWORDS)


def is_topic(subject: Subject, topic: frozenset[str]) -> bool:
    """Whether a subject points to the topic: a pronoun, no subject, or words of the topic's name."""
    if subject.kind in (SubjectKind.PRONOUN, SubjectKind.NONE):
        return True
    if subject.kind is SubjectKind.POSSESSIVE:
        return False
    return bool(subject.words) and (subject.words <= topic or (bool(topic) and topic <= subject.words))
