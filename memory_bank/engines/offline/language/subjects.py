"""What a sentence is about, as far as its words show it (specification section 7).

There is no parser here: the subject is what stands before the first verb, with brackets and an opening "In 1990,"
left out. A pronoun or "the mill" points to the document's topic, which the caller knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from memory_bank.engines.offline.language.attributes import AMOUNT, MEASURES
from memory_bank.engines.offline.language.tokens import STOPWORDS, Token, stem
from memory_bank.values.names import fold, name_words

VERBS = frozenset(
    stem(w)
    for w in (
        "is are was were be been has have had does did do can could may might will would shall should must became "
        "become born died founded established built located situated lies stands covers encompasses contains "
        "includes included opened closed released published played plays won joined moved served serves worked "
        "works began started ran runs made makes took takes directed wrote designed created produced recorded lived "
        "received attended studied graduated married held holds features featured stars peaked reached sold "
        "completed constructed erected remains remained consists comprises rises flows measures weighs employs "
        "attracted appointed elected named called known used listed added performed debuted formed "
        "open rose fell grew lost came went led brought killed employs cost costs weigh "
        "sank fought spoke spent taught drew numbered earns earned owns lasts lasted "
        "ends ended expires expired terminates departs departed leaves arrives arrived lands landed finishes finished "
        "是 位 为 有 成 建 生"
    ).split()
)
_AUXILIARIES = frozenset({"is", "are", "was", "were", "has", "have", "had", "did", "does"})
_LABELS = frozenset(
    stem(w) for w in ("born", "died", "founded", "established", "built", "opened", "closed", "released")
)
_PRONOUNS = frozenset(
    ["it", "he", "she", "they", "this", "these", "those", "that", "there", "who", "which", "we", "i", "you"]
)
_POSSESSIVES = frozenset({"his", "her", "their", "its", "my", "our", "your"})
# "Its summit", "the total area": the thing itself, measured.
_PARTS = frozenset(stem(w) for w in "total average maximum greatest overall official summit peak".split())
_TOTALS = frozenset(stem(w) for w in "total estimated further least most fewer around approximately nearly".split())
_DETERMINERS = frozenset({"the", "a", "an"})
_POINTING = frozenset({"the", "these", "those", "this", *_POSSESSIVES})
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
    COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a sentence: how it is named, its content words (stems), its tokens `start`…`verb`.

    `head` are its words before "of", where it has one: "ape house" of "the ape house of the zoo".
    COUNTED is a figure with what it counts ("31 people were killed in the fire"): the sentence is about something else.
    """

    kind: SubjectKind
    words: frozenset[str]
    start: int
    verb: int
    head: frozenset[str] = frozenset()


def _is_verb(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token reads as the first verb of a sentence: a common verb, or a past form after a noun."""
    token = tokens[index]
    labels = token.key in _LABELS
    if token.text[:1].isupper() and not labels:
        return False
    before = tokens[index - 1] if index else token
    if not labels and before.key in _DETERMINERS and (index == 1 or before.text.islower()):
        return False  # "the play", "a record"
    after = tokens[index + 1 : index + 2]
    if token.key not in _AUXILIARIES and after and after[0].key in _AUXILIARIES and not after[0].clause:
        return False  # "the study is", "its work was"
    past = token.text.endswith("ed") and len(token.text) > 4 and index > 0 and tokens[index - 1].content
    return token.key in VERBS or past


def _skip_opening(tokens: Sequence[Token]) -> int:
    """The first token after an opening phrase ("In 1990, …", "Built by John Parrish, …"), or 0."""
    if not tokens or not (
        tokens[0].key in _LEADING or tokens[0].text.endswith(("ed", "ing", "Built", "Born", "Begun"))
    ):
        return 0
    if len(tokens) > 2 and tokens[0].key in _LEADING and tokens[1].value and tokens[1].value.kind not in AMOUNT:
        return 2  # "In July 1970 the dam …"
    for index in range(1, min(len(tokens), 10)):
        if tokens[index].clause and index > 1:  # after one word a line was wrapped: "Harfed / Bridge is …"
            return index
        if tokens[index].key in _AUXILIARIES:
            return 0
    return 0


def find_subject(tokens: Sequence[Token]) -> Subject:
    """The subject of a sentence given as tokens; kind NONE for a fragment without one."""
    start = _skip_opening(tokens)
    end = next((i for i in range(start, min(len(tokens), start + _REACH)) if _is_verb(tokens, i)), None)
    if end is None or end == start:
        return Subject(SubjectKind.NONE, frozenset(), start, start)
    phrase = _until_bracket(tokens[start:end])
    words = frozenset(t.key for t in phrase if t.content and t.value is None and not _adjective(phrase, t))
    words |= _designations(phrase)
    words = words - MEASURES if words - MEASURES else words
    first = fold(phrase[0].text)
    measured = words <= MEASURES | _PARTS and (first in _POSSESSIVES or (first == "the" and words & MEASURES))
    counted = first in _POSSESSIVES and _is_counted(phrase[1:])  # "Its six arches are lovely": it has six
    if counted or (words and measured) or (len(phrase) == 1 and first in _PRONOUNS):
        kind, words = SubjectKind.PRONOUN, frozenset[str]()
    elif _is_counted(phrase):
        kind = SubjectKind.COUNTED
    elif first in _POSSESSIVES or _has_possessive(phrase):
        kind = SubjectKind.POSSESSIVE
    elif any(t.content and t.text[:1].isupper() for t in phrase[1:]) or phrase[0].content:
        kind = SubjectKind.NAME
    else:
        kind = SubjectKind.DEFINITE if words else SubjectKind.PRONOUN
    return Subject(kind, words, start, end, _head(phrase))


def _head(phrase: Sequence[Token]) -> frozenset[str]:
    of = next((i for i, t in enumerate(phrase) if t.key == "of"), 0)
    return frozenset(t.key for t in phrase[:of] if t.content and t.value is None)


def _is_counted(phrase: Sequence[Token]) -> bool:
    """Whether a phrase is a figure with what it counts: "31 people", "a total of 31 people", "half of the members"."""
    at = next((i for i, t in enumerate(phrase) if t.value and t.value.kind in AMOUNT), None)
    if at is None or any(t.content and t.key not in _TOTALS for t in phrase[:at]) or phrase[0].key in _POINTING:
        return False
    after = phrase[at + 1 :]
    return not any(t.joined for t in after[:1]) and not any(t.text[:1].isupper() for t in after)


def _adjective(phrase: Sequence[Token], token: Token) -> bool:
    """Whether a word is half of a measure before a noun: "storey" of "the 38-storey tower"."""
    return token.joined and any(t.value and t.end + 1 == token.start for t in phrase)


def _designations(phrase: Sequence[Token]) -> frozenset[str]:
    """The numbers and letters that are part of a name: "Highway 12", "Building A"."""
    return frozenset(
        after.text
        for before, after in pairwise(phrase)
        if (after.value or (after is phrase[-1] and len(after.text) == 1 and after.text.isupper()))
        and not after.clause
        and before.content
        and not before.value
        and before.text[:1].isupper()
    )


def _until_bracket(phrase: Sequence[Token]) -> Sequence[Token]:
    for index, token in enumerate(phrase):
        if index and token.clause:
            return phrase[:index]
    return phrase


def _has_possessive(phrase: Sequence[Token]) -> bool:
    return any(re.search(r"['’]s?$", t.text) for t in phrase)


_HAVING = frozenset({"has", "have", "had"})
_COPULAS = frozenset({"is", "was", "are", "were", "be"})
_PREDICATE = 14


def find_predicate(tokens: Sequence[Token], subject: Subject) -> tuple[Token, ...]:
    """What a sentence says its subject is: the words of "… is a 1979 British film"; empty for other sentences.

    Ends where a clause of its own begins ("that", "who", a full verb) or after a fixed number of words.
    """
    start = subject.verb
    if subject.kind is SubjectKind.NONE or start >= len(tokens):
        return ()
    if tokens[start].clause:  # "Ida Brandt (born 1920) is a painter": the first verb stands in brackets
        after = range(start + 1, min(len(tokens), start + _PREDICATE))
        start = next((i for i in after if tokens[i].clause and tokens[i].key in _COPULAS), start)
    if tokens[start].key not in _COPULAS:
        return ()
    if start + 1 >= len(tokens) or tokens[start + 1].key not in _ARTICLES:
        return ()
    found: list[Token] = []
    for token in tokens[start + 2 : start + 2 + _PREDICATE]:
        if token.key in _ENDS or token.key in VERBS:
            break
        if token.content and token.value is None:
            found.append(token)
    return tuple(found)


def says_what_it_is(tokens: Sequence[Token], subject: Subject) -> bool:
    """Whether a sentence says of a named subject what it is, where it is or what it has: "Down Home is a song"."""
    if subject.kind is not SubjectKind.NAME or subject.verb >= len(tokens):
        return False
    says = tokens[subject.verb].key in _COPULAS | _HAVING
    return says and any(token.content for token in tokens[subject.verb + 1 :])


_ARTICLES = frozenset({"a", "an", "the", "also", "in"})
_ENDS = frozenset("who which that where by at from about for best with of".split())


def topic_words(topic: str) -> frozenset[str]:
    """The stems that name a topic, what stands in brackets left out."""
    bare = re.sub(r"\([^)]*\)", " ", topic)
    return frozenset(stem(w) for w in name_words(bare) if stem(w) not in STOPWORDS)


def disambiguator(topic: str) -> frozenset[str]:
    """The stems in brackets of a title such as "Down Home (Joey Baron album)"."""
    inside = " ".join(re.findall(r"\(([^)]*)\)", topic))
    return frozenset(stem(w) for w in re.findall(r"\w+", inside) if stem(w) not in STOPWORDS)


def is_topic(subject: Subject, topic: frozenset[str], kinds: frozenset[str]) -> bool:
    """Whether a subject points to the topic: a pronoun, no subject, words of the topic's name or of what it is."""
    if subject.kind in (SubjectKind.PRONOUN, SubjectKind.NONE):
        return True
    if subject.kind is SubjectKind.POSSESSIVE:
        return False
    if only_points(subject, kinds):
        return True
    return bool(subject.words) and (subject.words <= topic or (bool(topic) and topic <= subject.words))


def only_points(subject: Subject, kinds: frozenset[str]) -> bool:
    """Whether a subject names nothing itself: a pronoun, or "the film" where the topic is a film."""
    if subject.kind in (SubjectKind.PRONOUN, SubjectKind.NONE):
        return True
    return subject.kind is SubjectKind.DEFINITE and bool(subject.words) and subject.words <= kinds


def same_words(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether one name holds all words of the other, short forms allowed ("Chris Kyle", "Christopher Scott Kyle")."""
    smaller, larger = sorted((a, b), key=len)
    return all(any(_short_form(word, other) for other in larger) for word in smaller) and bool(smaller & larger)


def _short_form(a: str, b: str) -> bool:
    return a == b or (min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a)))
