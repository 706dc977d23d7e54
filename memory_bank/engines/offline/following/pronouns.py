"""English pronouns of a question: which of them point back to the conversation, and what they mean there.

Without a parser: a pronoun has its antecedent in the question itself where a phrase that fits stands before it, in
another clause, as its owner, or far enough away. Else it means what the last question was about or, where that asked
for somebody or for one of several things, what was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.engines.offline.language.phrases import VERBS, Phrase, phrases
from memory_bank.engines.offline.language.tokens import STOPWORDS, stem
from memory_bank.modules.sentences import sentences

REACH = 3
"""Tasks back in which a pronoun finds what it points to."""
SURE = 0.5
"""How likely a phrase must be somebody to be taken for one."""
_APART = 3
"""Words between a phrase and an object that can mean it."""
_SUBJECTS = frozenset({"it", "he", "she", "they"})
_OTHERS_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they", "it"})
_PRONOUN = re.compile(
    r"\b(?:it|its|he|him|his|she|her|they|them|their|this|that|these|those|there)\b(?!['’-])", re.IGNORECASE
)
_SHE = frozenset({"he", "him", "his", "she", "her"})
_THEY = frozenset({"they", "them", "their", "these", "those"})
_POSSESSIVE = frozenset({"its", "his", "her", "their"})
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})
_NOT_POINTING = re.compile(
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
_GOES = re.compile(r"\b(?:go|get|going|travel|drive|fly|move|come|walk|return|back)\s$", re.IGNORECASE)


def pointing(asked: str) -> Iterator[re.Match[str]]:
    """The pronouns of a question for which nothing stands in the question itself."""
    silent = [found.span() for found in _NOT_POINTING.finditer(asked)]
    own = phrases(asked)
    for pronoun in _PRONOUN.finditer(asked):
        inside = any(start <= pronoun.start() < end for start, end in silent)
        if not inside and not _determines(asked, pronoun) and not _explained(asked, pronoun, own):
            yield pronoun


def _determines(asked: str, pronoun: re.Match[str]) -> bool:
    """Whether "that" is an article ("that hotel") or joins clauses ("the plan that Anna made")."""
    if pronoun[0].lower() not in _DEMONSTRATIVE:
        return False
    after = re.match(r"\s+(\w+)(\s+\w)?", asked[pronoun.end() :])
    before = re.search(r"(\w+)\W+$", asked[: pronoun.start()])
    linked = before is None or before[1].lower() in _LINKING
    if after is None:
        return not linked
    low = after[1].lower()
    predicate = after[2] is None and before is not None and before[1].lower() in _BE  # "Is that right?"
    alone = predicate or low in STOPWORDS | _ACTIONS or stem(low) in VERBS
    return low in _OTHERS_SUBJECTS or not (alone and linked)


_BE = frozenset({"is", "are", "was", "were"})
_ACTIONS = frozenset("happen happened mean cost take work help look sound depend change".split())


def _explained(asked: str, pronoun: re.Match[str], own: Sequence[Phrase]) -> bool:
    """Whether a phrase before it is what a pronoun means: its owner, or one in another clause or far enough away.

    After "did" a pronoun is the subject of the question, and points back.
    """
    low = pronoun[0].lower()
    before = re.search(r"(\w+)\W+$", asked[: pronoun.start()])
    if before is None or (low in _SUBJECTS and before[1].lower() in _AUXILIARIES):
        return False
    for phrase in own:
        if phrase.end <= pronoun.start() and _fits(low, phrase):
            between = asked[phrase.end : pronoun.start()]
            owner = low in _POSSESSIVE or "'s" in phrase.text
            if low in _SUBJECTS - {"it"} or owner or _CLAUSE.search(between) or len(between.split()) >= _APART:
                return True
    return False


def _fits(pronoun: str, phrase: Phrase) -> bool:
    if pronoun in _SHE:
        return phrase.person > 0 or "'s" in phrase.text
    return pronoun in _THEY or phrase.person < SURE


def with_antecedents(asked: str, before: Sequence[PastTask]) -> str:
    """The question with what each pronoun means in its place, as far as that can be told."""
    parts: list[str] = []
    end = 0
    for pronoun in pointing(asked):
        meant = _meant(pronoun[0].lower(), before)
        if meant and meant.lower() not in asked.lower():
            parts += [asked[end : pronoun.start()], _inflected(meant, asked, pronoun)]
            end = pronoun.end()
    return "".join([*parts, asked[end:]])


def _inflected(meant: str, asked: str, pronoun: re.Match[str]) -> str:
    low = pronoun[0].lower()
    after = re.match(r"\s+(\w+)", asked[pronoun.end() :])
    noun_follows = after is not None and after[1].lower() not in STOPWORDS
    owns = low in _POSSESSIVE and (low != "her" or noun_follows)
    article = meant[0].lower() + meant[1:] if re.match(r"(?:The|A|An|My|Our) [a-z]", meant) else meant
    where = "" if low != "there" else "to " if _GOES.search(asked[: pronoun.start()]) else "in "
    return f"{where}{article}{'’s' if owns else ''}".replace("’s", "'s")


def _meant(pronoun: str, before: Sequence[PastTask]) -> str:
    """What a pronoun means: in the last question first, or in what was found where that was asked for."""
    for task in reversed(before[-REACH:]):
        options = _options(pronoun, task)
        if options:
            return options[0]
    last = phrases(before[-1].asked)
    return last[0].text if last and pronoun not in _SHE else ""


def _options(pronoun: str, task: PastTask) -> list[str]:
    """What a pronoun can mean after a task, likeliest first."""
    asked, told = phrases(task.asked), _told(task)
    if pronoun in _SHE:
        people, found = [*_people(asked), *_OWNER.findall(task.asked)], _people(told)
        return [*found, *people] if _ASKS_WHO.search(task.asked) else [*people, *found]
    if pronoun == "there":
        chosen = [phrase for phrase in asked if phrase.person < SURE and phrase.before in _AT]
        chosen += [phrase for phrase in asked if phrase.named and phrase.person < SURE]
        chosen = [*told, *chosen] if _ASKS_WHERE.search(task.asked) else chosen
    elif pronoun in _THEY:
        several = [phrase for phrase in asked if phrase.head.endswith("s") or phrase.head in ("people", "team")]
        chosen = [*several, *(told if _ASKS_WHICH.search(task.asked) else ()), *asked]
    else:
        chosen = _things(task.asked, asked, told)
    return [phrase.text for phrase in chosen]


def _things(question: str, asked: Sequence[Phrase], told: Sequence[Phrase]) -> list[Phrase]:
    """The things of a question, names first; before them what was found where it asked for one of several."""
    things = [phrase for phrase in asked if phrase.person < SURE and phrase.head.lower() not in _ASPECTS]
    ranked = sorted(things, key=lambda phrase: (phrase.before in _AT, not phrase.named, not phrase.definite))
    if not _ASKS_WHICH.search(question) or any(phrase.definite for phrase in things):
        return ranked
    return [*(phrase for phrase in told if phrase.person <= SURE or not things), *ranked]


_AT = frozenset({"in", "at", "to", "from", "near"})
_ASPECTS = frozenset("name date time address price number length height age colour color size rest".split())
"""What a thing has: "it" means the thing."""


def _people(options: Sequence[Phrase]) -> list[str]:
    people = sorted((one for one in options if one.person >= SURE), key=lambda phrase: -phrase.person)
    return [phrase.text for phrase in people]


def _told(task: PastTask) -> list[Phrase]:
    """The names in the first sentence of what was found that were not in the question."""
    spans = sentences(task.found)[:1]
    first = spans[0].of(task.found) if spans else ""
    return [phrase for phrase in phrases(f"about {first}") if phrase.named and phrase.text not in task.asked]
