"""What an English question is about: its noun phrases, found without a parser, and which of them a pronoun means.

A phrase is a name, or words after an article or "my", up to a verb or a preposition; what follows "of" or "for" belongs
to it. Every phrase inside a longer one is told as well: "the architect of Harlow Bridge", "Harlow Bridge".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory_bank.engines.offline.language.tokens import STOPWORDS, stem

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
"""Words after which, mostly, nothing more of a question's subject stands."""
_WORD = re.compile(r"[^\W_]+(?:[-.&][^\W_]+)*(?:['’][^\W\d_]+)?|[?!.,;:()\"“”]")
_BREAKS = frozenset('?!.,;:()"“”')
_OPENERS = frozenset("the a an my our your this that these those his her its their".split())
_POINTING = frozenset("this that these those her his its their".split())
_PERSONAL = frozenset("i we you he she they it who".split())
_DO_SUPPORT = frozenset("do does did will would can could should shall may might must".split())
_BE = frozenset("is are was were am be been has have had".split())
_JOINS = frozenset("of for with to from in at on about".split())
_PLACES = frozenset("in at to from on near into".split())
_TELLING = ("er", "est", "ing", "ed")
"""How a word ends that tells of a thing, after "is"."""
_NOUNS_TOO = frozenset(
    "number numbers cost costs play plays work works record records name names use list start release stay".split()
)
"""Verbs only where "did" or "will" stands before."""
_NEVER = frozenset(
    (
        "how many much far long tall high deep wide old big large heavy fast often late early soon please ever yet "
        "now then still again else so too even really actually exactly due ready open closed finished available "
        "possible okay ok up out off down away back more most less ago last next first second third tell me us him "
        "them let lets want need know think say said get got give make made buy bought happen happened mean means like "
        "about monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
        "september october november december "
    ).split()
)
_THINGS = frozenset(
    "bridge mill river street road avenue lane square lake sea mount mountain hill valley island park garden hotel inn "
    "house hall museum gallery library school college university hospital church cathedral castle palace tower dam "
    "lighthouse station airport harbour harbor port stadium theatre theater restaurant cafe bar shop market factory "
    "project plan team group club company inc ltd corp bank agency institute society festival award treaty act law "
    "report book album film song ship boat train car trip tour meeting conference course town city county "
    "district".split()
)
_PERSONS = frozenset(
    "sister brother mother father mum mom dad wife husband son daughter child friend boss colleague partner doctor "
    "dentist teacher professor architect engineer author writer director manager neighbour neighbor uncle aunt cousin "
    "grandmother grandfather nephew niece lawyer nurse singer actor actress painter composer designer founder inventor "
    "builder mayor president minister king queen landlord plumber electrician chef coach captain pilot owner client "
    "customer student assistant secretary leader head man woman boy girl person candidate speaker guest".split()
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Exactly `question[start:end]`. `named` holds a name, `definite` opens with an article or a possessive.

    `before` is the word before it. `head` is its last word before "of" and the like.
    """

    text: str
    start: int
    end: int
    named: bool
    definite: bool
    before: str
    head: str

    @property
    def person(self) -> float:
        """How likely it is somebody, 0 to 1."""
        head = self.head.lower()
        if head in _PERSONS:
            return 1.0
        if not self.head[0].isupper() or not _THINGS.isdisjoint(self.text.lower().split()):
            return 0.0
        if self.definite or self.before in _PLACES:
            return 0.2
        return 0.7


def phrases(question: str) -> list[Phrase]:
    """The noun phrases of a question in order, each before those inside it."""
    found = list(_Reader(question).read())
    joined: list[Phrase] = []
    for place, phrase in enumerate(found):
        whole = phrase
        for other in found[place + 1 :]:
            between = question[whole.end : other.start].split()
            if len(between) != 1 or between[0].lower() not in _JOINS or not (phrase.definite or between[0] == "of"):
                break
            whole = replace(
                whole, text=question[whole.start : other.end], end=other.end, named=whole.named | other.named
            )
            whole = replace(whole, head=phrase.head)
        joined += [whole, phrase] if whole != phrase else [phrase]
    return joined


class _Reader:
    """Reads a question word by word; a phrase is closed by what cannot belong to it."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._words = list(_WORD.finditer(question))
        self._open: list[re.Match[str]] = []
        self._found: list[Phrase] = []
        self._supported = False  # after "did" until the subject has come: its last word is the verb

    def read(self) -> list[Phrase]:
        """Its phrases in order, none inside another."""
        for place, word in enumerate(self._words):
            low = word[0].lower()
            if low in _OPENERS and not self._points(place):
                self._close()
                self._open = [word]
            elif self._closes(place, word[0], low):
                self._close(at_verb=self._is_verb(low))
                self._supported = low in _DO_SUPPORT or (self._supported and low not in _PERSONAL)
            else:
                self._open.append(word)
        self._close()
        return self._found

    def _before(self, place: int) -> str:
        return self._words[place - 1][0].lower() if place else ""

    def _points(self, place: int) -> bool:
        """Whether "that" or "her" stands alone: "When was that?", "Who told her about the plan?"."""
        low = self._words[place][0].lower()
        after = self._words[place + 1][0].lower() if place + 1 < len(self._words) else "?"
        return low in _POINTING and (after in _BREAKS or after in STOPWORDS or after in _NEVER or stem(after) in VERBS)

    def _closes(self, place: int, text: str, low: str) -> bool:
        """Whether a word is of no phrase: of grammar, a verb, or a mark."""
        if low in _BREAKS or low in _NEVER or low in _PERSONAL or low in _DO_SUPPORT | _BE:
            return True
        capital = text[0].isupper() and place > 0 and low not in STOPWORDS
        if capital or text[0].isdigit():
            return False
        if low in STOPWORDS or (not self._open and (stem(low) in VERBS or place == 0)):
            return True
        before = self._before(place)
        if not self._open and (before in _PERSONAL or before == "to" or (before in _BE and low.endswith(_TELLING))):
            return True  # "we decide", "to drive", "is older"
        return bool(self._open) and self._ends_at(low)

    def _ends_at(self, low: str) -> bool:
        """Whether a phrase that is open ends before a small word: at a verb, or after a name that has no article."""
        last = self._open[-1][0]
        definite = self._open[0][0].lower() in _OPENERS
        if not definite and last[0].isupper():
            return not last.lower().endswith(("'s", "’s"))
        return len(self._open) > definite and self._is_verb(low)

    def _is_verb(self, low: str) -> bool:
        noun = low in _NOUNS_TOO and not self._supported
        return not noun and (low.endswith("ed") or stem(low) in VERBS)

    def _close(self, *, at_verb: bool = False) -> None:
        """End the phrase that is open; of "the parcel arrive", after "did", the last word is the verb."""
        taken, self._open = self._open, []
        definite = bool(taken) and taken[0][0].lower() in _OPENERS
        if self._supported and not at_verb and definite and len(taken) > 2 and taken[-1][0].islower():
            taken = taken[:-1]
        if len(taken) > definite:
            self._supported = False
            before = self._before(self._words.index(taken[0]))
            self._found.append(_phrase(self._question, taken, definite=definite, before=before))


def _phrase(question: str, taken: list[re.Match[str]], *, definite: bool, before: str) -> Phrase:
    start, end = taken[0].start(), taken[-1].end()
    content = taken[1:] if definite else taken
    named = any(word[0][0].isupper() for word in content)
    return Phrase(question[start:end], start, end, named, definite, before, content[-1][0])
