"""Find the noun phrases of an English question, without a parser, and how likely each is a person.

A phrase is a name, or the words after an article or "my", up to a verb or a preposition; what follows "of" or "for"
belongs to it. The phrases inside a longer one are found as well: "the architect of Harlow Bridge", "Harlow Bridge".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

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


VERBS = frozenset(
    stem(w)
    for w in (
        "is are was were be been has have had does did do can could may might will would shall should must became "
        "become born died founded established built located situated lies stands covers encompasses contains "
        "includes opened closed released published played won joined moved served worked "
        "began started ran runs made makes took takes directed wrote designed created produced recorded lived "
        "received attended studied graduated married held holds features stars peaked reached sold "
        "completed constructed erected remains consists comprises rises flows measures weighs employs "
        "attracted appointed elected named called known used listed added performed debuted formed "
        "rose fell grew lost came went led brought killed cost sank fought spoke spent taught drew numbered earns owns "
        "lasts ends expires terminates departs leaves arrives lands finishes "
        "是 位 为 有 成 建 生"
    ).split()
)
"""Stems of verbs, each by one of its words. A verb mostly ends the subject of a question."""
_WORD = re.compile(r"[^\W_]+(?:[-.&][^\W_]+)*(?:['’][^\W\d_]+)?|[?!.,;:()\"“”]")
_PUNCTUATION = frozenset('?!.,;:()"“”')
_DETERMINERS = frozenset("the a an my our your this that these those his her its their".split())
_MAYBE_PRONOUNS = frozenset("this that these those her his its their".split())
_PRONOUNS = frozenset("i we you he she they it who".split())
_DO_OR_MODAL = frozenset("do does did will would can could should shall may might must".split())
_AUXILIARIES = frozenset("is are was were am be been has have had".split())
_PREPOSITIONS = frozenset("of for with to from in at on about".split())
_PLACE_PREPOSITIONS = frozenset("in at to from on near into".split())
_PREDICATE_ENDINGS = ("er", "est", "ing", "ed")
"""Endings of a word that describes a thing after "is" ("is older", "is coming")."""
_NOUN_OR_VERB = frozenset(
    "number numbers cost costs play plays work works record records name names use list start release stay".split()
)
"""Words that are nouns, and verbs only after "did" or "will"."""
_NEVER_IN_PHRASE = frozenset(
    (
        "how many much far long tall high deep wide old big large heavy fast often late early soon please ever yet "
        "now then still again else so too even really actually exactly due ready open closed finished available "
        "possible okay ok up out off down away back more most less ago last next first second third tell me us him "
        "them let lets want need know think say said get got give make made buy bought happen happened mean means like "
        "about monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
        "september october november december "
    ).split()
)
_OUTSIDE = _PUNCTUATION | _NEVER_IN_PHRASE | _PRONOUNS | _DO_OR_MODAL | _AUXILIARIES
_THING_NOUNS = frozenset(
    "bridge mill river street road avenue lane square lake sea mount mountain hill valley island park garden hotel inn "
    "house hall museum gallery library school college university hospital church cathedral castle palace tower dam "
    "lighthouse station airport harbour harbor port stadium theatre theater restaurant cafe bar shop market factory "
    "project plan team group club company inc ltd corp bank agency institute society festival award treaty act law "
    "report book album film song ship boat train car trip tour meeting conference course town city county "
    "district".split()
)
_PERSON_NOUNS = frozenset(
    "sister brother mother father mum mom dad wife husband son daughter child friend boss colleague partner doctor "
    "dentist teacher professor architect engineer author writer director manager neighbour neighbor uncle aunt cousin "
    "grandmother grandfather nephew niece lawyer nurse singer actor actress painter composer designer founder inventor "
    "builder mayor president minister king queen landlord plumber electrician chef coach captain pilot owner client "
    "customer student assistant secretary leader head man woman boy girl person candidate speaker guest".split()
)


class Phrase(NamedTuple):
    """A noun phrase: `text` is exactly `question[start:end]`.

    `named`: it contains a name. `definite`: it begins with an article or a possessive. `before`: the word before it.
    `head`: its last word before a preposition.
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
        """How likely it is a person, 0 to 1."""
        head = self.head.lower()
        if head in _PERSON_NOUNS:
            return 1.0
        if not self.head[0].isupper() or not _THING_NOUNS.isdisjoint(self.text.lower().split()):
            return 0.0
        if self.definite or self.before in _PLACE_PREPOSITIONS:
            return 0.2
        return 0.7


def phrases(question: str) -> list[Phrase]:
    """The noun phrases of a question in order, each before those inside it."""
    simple = _PhraseReader(question).read()
    joined: list[Phrase] = []
    for index, phrase in enumerate(simple):
        whole = phrase
        for other in simple[index + 1 :]:
            between = question[whole.end : other.start].split()
            if len(between) != 1 or between[0].lower() not in _PREPOSITIONS:
                break
            if not (phrase.definite or between[0] == "of"):
                break
            text, named = question[whole.start : other.end], whole.named | other.named
            whole = whole._replace(text=text, end=other.end, named=named)
        joined += [whole, phrase] if whole != phrase else [phrase]
    return joined


class _PhraseReader:
    """Reads a question word by word; a word that cannot belong to the current phrase ends it."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._words = list(_WORD.finditer(question))
        self._current: list[re.Match[str]] = []
        self._phrases: list[Phrase] = []
        self._after_do = False  # between "did" and the end of the subject, whose last word may be the verb

    def read(self) -> list[Phrase]:
        """The phrases in order, none inside another."""
        for index, match in enumerate(self._words):
            word = match[0].lower()
            if word in _DETERMINERS and not self._is_pronoun(index):
                self._end_phrase()
                self._current = [match]
            elif self._is_outside(index):
                self._end_phrase(at_verb=self._is_verb(word))
                self._after_do = word in _DO_OR_MODAL or (self._after_do and word not in _PRONOUNS)
            else:
                self._current.append(match)
        self._end_phrase()
        return self._phrases

    def _before(self, index: int) -> str:
        return self._words[index - 1][0].lower() if index else ""

    def _is_pronoun(self, index: int) -> bool:
        """Whether "that" or "her" stands alone: "When was that?", "Who told her about the plan?"."""
        if self._words[index][0].lower() not in _MAYBE_PRONOUNS:
            return False
        after = self._words[index + 1][0].lower() if index + 1 < len(self._words) else "?"
        return after in _PUNCTUATION or after in FUNCTION_WORDS or after in _NEVER_IN_PHRASE or stem(after) in VERBS

    def _is_outside(self, index: int) -> bool:
        """Whether a word belongs to no phrase: a function word, a verb, or punctuation."""
        text = self._words[index][0]
        word = text.lower()
        if word in _OUTSIDE:
            return True
        capitalised = text[0].isupper() and index > 0 and word not in FUNCTION_WORDS
        if capitalised or text[0].isdigit():
            return False
        if word in FUNCTION_WORDS or (not self._current and (stem(word) in VERBS or index == 0)):
            return True
        if self._current:
            return self._ends_before(word)
        before = self._before(index)  # "we decide", "to drive", "is older"
        return before in _PRONOUNS or before == "to" or (before in _AUXILIARIES and word.endswith(_PREDICATE_ENDINGS))

    def _ends_before(self, word: str) -> bool:
        """Whether the current phrase ends before a lower-case word: a verb, or any after a name without an article."""
        last = self._current[-1][0]
        definite = self._current[0][0].lower() in _DETERMINERS
        if not definite and last[0].isupper():
            return not last.lower().endswith(("'s", "’s"))
        return len(self._current) > definite and self._is_verb(word)

    def _is_verb(self, word: str) -> bool:
        is_noun = word in _NOUN_OR_VERB and not self._after_do
        return not is_noun and (word.endswith("ed") or stem(word) in VERBS)

    def _end_phrase(self, *, at_verb: bool = False) -> None:
        """Add the current phrase; after "did", the last word of "the parcel arrive" is the verb and is left out."""
        matches, self._current = self._current, []
        definite = bool(matches) and matches[0][0].lower() in _DETERMINERS
        if self._after_do and not at_verb and definite and len(matches) > 2 and matches[-1][0].islower():
            matches = matches[:-1]
        if len(matches) <= definite:
            return
        self._after_do = False
        start, end = matches[0].start(), matches[-1].end()
        content = matches[1:] if definite else matches
        named = any(match[0][0].isupper() for match in content)
        before = self._before(self._words.index(matches[0]))
        self._phrases.append(Phrase(self._question[start:end], start, end, named, definite, before, content[-1][0]))
