"""English pronoun resolution: find the pronouns that refer back to the conversation, and their antecedents there.

Works without a parser. A pronoun has its antecedent in the question itself where a fitting phrase stands before it: in
another clause, as its owner, or far enough away. Otherwise it means what the last question was about or, where that
asked for a person or for one of several things, what was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.text.phrases import FUNCTION_WORDS, VERBS, Phrase, phrases, stem
from memory_bank.text.sentences import sentences

REACH = 3
"""How many tasks back an antecedent is looked for."""
SURE = 0.5
"""Probability from which a phrase counts as a person."""
_MIN_DISTANCE = 3
"""Least words between a phrase and an object pronoun of the same clause that means it."""
_THIRD_PERSON_SUBJECTS = frozenset({"it", "he", "she", "they"})
_ALL_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they", "it"})
_PRONOUN = re.compile(
    r"\b(?:it|its|he|him|his|she|her|they|them|their|this|that|these|those|there)\b(?!['’-])", re.IGNORECASE
)
_SINGULAR_PERSON = frozenset({"he", "him", "his", "she", "her"})
_PLURAL = frozenset({"they", "them", "their", "these", "those"})
_POSSESSIVE = frozenset({"its", "his", "her", "their"})
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})
_NOT_REFERRING = re.compile(
    r"\bwhat time is it\b|\b(?:is|was|will) it (?:be |rain|snow|true|possible|ok|okay|safe|worth|likely|necessary)"
    r"|\bhow(?: is|'s) it going\b|\bit (?:takes?|took|costs?)\b[^?]*?\bto [a-z]+|\b(?:is|are|was|were|will) there\b"
    r"|\bthere (?:is|are|was|were|will|have|has)\b",
    re.IGNORECASE,
)
_AUXILIARIES = frozenset("is are was were do does did will would can could should has have had".split())
_LINKING = _AUXILIARIES | frozenset(
    "in on at of for with to from about after before since like than why how what when where and but".split()
)
_CLAUSE = re.compile(r"[,;]|\b(?:and|but|when|while|because|if|that|who|which|where|how|why)\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_ASKS_WHERE = re.compile(r"\b(?:where|(?:which|what) (?:city|town|country|place|village|island))\b", re.IGNORECASE)
_ASKS_WHICH = re.compile(r"\bwhich\b|\bwhat (?!is\b|was\b|are\b|were\b|do\b|does\b|did\b|about\b|\W)|\bname of\b", re.I)
_OWNER = re.compile(r"\b(?!(?:What|Where|When|Who|How|That|It)\b)([A-Z]\w+(?: [A-Z]\w+)*)['’]s\b")
_VERB_OF_MOTION = re.compile(r"\b(?:go|get|going|travel|drive|fly|move|come|walk|return|back)\s$", re.IGNORECASE)


def anaphoric_pronouns(asked: str) -> Iterator[re.Match[str]]:
    """The pronouns of a question that have no antecedent in the question itself."""
    not_referring = [match.span() for match in _NOT_REFERRING.finditer(asked)]
    own_phrases = phrases(asked)
    for pronoun in _PRONOUN.finditer(asked):
        excluded = any(start <= pronoun.start() < end for start, end in not_referring)
        if not (excluded or _is_determiner(asked, pronoun) or _has_own_antecedent(asked, pronoun, own_phrases)):
            yield pronoun


def _is_determiner(asked: str, pronoun: re.Match[str]) -> bool:
    """Whether "that" determines a noun ("that hotel") or joins clauses ("the plan that Anna made")."""
    if pronoun[0].lower() not in _DEMONSTRATIVE:
        return False
    after = re.match(r"\s+(\w+)(\s+\w)?", asked[pronoun.end() :])
    before = re.search(r"(\w+)\W+$", asked[: pronoun.start()])
    linked = before is None or before[1].lower() in _LINKING
    if after is None:
        return not linked
    next_word = after[1].lower()
    predicate = after[2] is None and before is not None and before[1].lower() in _BE  # "Is that right?"
    alone = predicate or next_word in FUNCTION_WORDS | _ACTIONS or stem(next_word) in VERBS
    return next_word in _ALL_SUBJECTS or not (alone and linked)


_BE = frozenset({"is", "are", "was", "were"})
_ACTIONS = frozenset("happen happened mean cost take work help look sound depend change".split())


def _has_own_antecedent(asked: str, pronoun: re.Match[str], own_phrases: Sequence[Phrase]) -> bool:
    """Whether the question itself names what a pronoun means: its owner, a phrase in another clause, or far before it.

    After "did" a pronoun is the subject of the question, and refers back.
    """
    low = pronoun[0].lower()
    before = re.search(r"(\w+)\W+$", asked[: pronoun.start()])
    if before is None or (low in _THIRD_PERSON_SUBJECTS and before[1].lower() in _AUXILIARIES):
        return False
    for phrase in own_phrases:
        if phrase.end <= pronoun.start() and _fits(low, phrase):
            between = asked[phrase.end : pronoun.start()]
            owner = low in _POSSESSIVE or "'s" in phrase.text
            far = len(between.split()) >= _MIN_DISTANCE
            if low in _THIRD_PERSON_SUBJECTS - {"it"} or owner or _CLAUSE.search(between) or far:
                return True
    return False


def _fits(pronoun: str, phrase: Phrase) -> bool:
    if pronoun in _SINGULAR_PERSON:
        return phrase.person > 0 or "'s" in phrase.text
    return pronoun in _PLURAL or phrase.person < SURE


def with_antecedents(asked: str, before: Sequence[PastTask]) -> str:
    """The question with each pronoun replaced by its antecedent, where that can be told."""
    parts: list[str] = []
    end = 0
    for pronoun in anaphoric_pronouns(asked):
        antecedent = _antecedent(pronoun[0].lower(), before)
        if antecedent and antecedent.lower() not in asked.lower():
            parts += [asked[end : pronoun.start()], _inflected(antecedent, asked, pronoun)]
            end = pronoun.end()
    return "".join([*parts, asked[end:]])


def _inflected(antecedent: str, asked: str, pronoun: re.Match[str]) -> str:
    """The antecedent in the form of the pronoun: "the bridge's" for "its", "in Rome" for "there"."""
    low = pronoun[0].lower()
    after = re.match(r"\s+(\w+)", asked[pronoun.end() :])
    noun_follows = after is not None and after[1].lower() not in FUNCTION_WORDS
    owns = low in _POSSESSIVE and (low != "her" or noun_follows)
    starts_with_article = re.match(r"(?:The|A|An|My|Our) [a-z]", antecedent)
    noun = antecedent[0].lower() + antecedent[1:] if starts_with_article else antecedent
    preposition = "" if low != "there" else "to " if _VERB_OF_MOTION.search(asked[: pronoun.start()]) else "in "
    return f"{preposition}{noun}{'’s' if owns else ''}".replace("’s", "'s")


def _antecedent(pronoun: str, before: Sequence[PastTask]) -> str:
    """What a pronoun means: in the last question first, or in what was found where that was asked for."""
    for task in reversed(before[-REACH:]):
        options = _options(pronoun, task)
        if options:
            return options[0]
    last = phrases(before[-1].asked)
    return last[0].text if last and pronoun not in _SINGULAR_PERSON else ""


def _options(pronoun: str, task: PastTask) -> list[str]:
    """What a pronoun can mean after a task, likeliest first."""
    asked, found = phrases(task.asked), _new_names(task)
    if pronoun in _SINGULAR_PERSON:
        people_asked, people_found = [*_people(asked), *_OWNER.findall(task.asked)], _people(found)
        return [*people_found, *people_asked] if _ASKS_WHO.search(task.asked) else [*people_asked, *people_found]
    if pronoun == "there":
        options = [phrase for phrase in asked if phrase.person < SURE and phrase.before in _AT]
        options += [phrase for phrase in asked if phrase.named and phrase.person < SURE]
        options = [*found, *options] if _ASKS_WHERE.search(task.asked) else options
    elif pronoun in _PLURAL:
        several = [phrase for phrase in asked if phrase.head.endswith("s") or phrase.head in ("people", "team")]
        options = [*several, *(found if _ASKS_WHICH.search(task.asked) else ()), *asked]
    else:
        options = _things(task.asked, asked, found)
    return [phrase.text for phrase in options]


def _things(question: str, asked: Sequence[Phrase], found: Sequence[Phrase]) -> list[Phrase]:
    """The things in a question, names first; what was found comes before them if one of several was asked for."""
    things = [phrase for phrase in asked if phrase.person < SURE and phrase.head.lower() not in _ASPECTS]
    ranked = sorted(things, key=lambda phrase: (phrase.before in _AT, not phrase.named, not phrase.definite))
    if not _ASKS_WHICH.search(question) or any(phrase.definite for phrase in things):
        return ranked
    return [*(phrase for phrase in found if phrase.person <= SURE or not things), *ranked]


_AT = frozenset({"in", "at", "to", "from", "near"})
_ASPECTS = frozenset("name date time address price number length height age colour color size rest".split())
"""Attributes of a thing: after a question for one, "it" means the thing."""


def _people(options: Sequence[Phrase]) -> list[str]:
    people = sorted((phrase for phrase in options if phrase.person >= SURE), key=lambda phrase: -phrase.person)
    return [phrase.text for phrase in people]


def _new_names(task: PastTask) -> list[Phrase]:
    """The names in the first sentence of what was found that are not in the question."""
    spans = sentences(task.found)[:1]
    first = spans[0].of(task.found) if spans else ""
    return [phrase for phrase in phrases(f"about {first}") if phrase.named and phrase.text not in task.asked]
