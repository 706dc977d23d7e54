"""Follow-up questions in English: pronouns that point back, and questions of which only a part is said.

"And when was it built?" after "How long is Harlow Bridge?" is "When was Harlow Bridge built?"; "And Kelso Bridge?" is
"How long is Kelso Bridge?". What cannot be told is left as it was asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.engines.offline.following.pronouns import REACH, SURE, pointing, with_antecedents
from memory_bank.engines.offline.language.phrases import VERBS, Phrase, phrases
from memory_bank.engines.offline.language.tokens import stem

_LEADING = re.compile(r"(?:(?:and|but|so|or|then|also|ok|okay|well|now|plus)\b[,\s]*)+", re.IGNORECASE)
_ABOUT = re.compile(r"(?:what|how) about\s+", re.IGNORECASE)
_IS_SHORT = re.compile(r"\b(it|that|he|she|they|there)['’](?:s|re)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|has|have|had|will|would|can|could|should|may|might|must"
    r"|(?:what|who|where|when|how)['’]s)\b",
    re.IGNORECASE,
)
_PREPOSITIONS = "in|on|at|for|to|from|with|by|after|before|during|since|until|under|over|near"
_BARE = re.compile(
    rf"(?:(?:{_PREPOSITIONS}) )?(?:when|where|why|how|who|whom|what|which)\b"
    r"(?: (?:much|many|long|far|often|exactly|else))?(?: \w+)?[?.! ]*$",
    re.IGNORECASE,
)
_LONGEST_PART = 4
"""Words of a question without a verb that is a part of one: "How many guests then?"."""
_ADVERBIAL = re.compile(r"(?:when|where|why|how)\b(?! (?:much|many|long|far|old|often|tall|big|high|deep|wide))", re.I)
_YES_OR_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should)\b", re.IGNORECASE)
_QUESTION = re.compile(r"(?:when|where|why|how|who|whom|what|which)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:(?:this|last|next|every) (?:year|month|week|weekend|spring|summer|autumn|fall|winter|semester|quarter|time"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|today|tomorrow|yesterday|tonight)\b",
    re.IGNORECASE,
)
_WITH_PREPOSITION = re.compile(rf"({_PREPOSITIONS})\s+\S", re.IGNORECASE)


def vague(question: str) -> bool:
    """Whether a question does not stand alone: it points to what was said before, or leaves out what it is about."""
    asked = _plain(question)
    if list(pointing(asked)):
        return True
    return _fragment(question, asked) or not phrases(asked)


def _fragment(question: str, asked: str) -> bool:
    """Whether only a part is said: "And Kelso Bridge?", "Which hotel?"."""
    if _VERB.search(asked) or any(stem(word) in VERBS for word in asked.split()):
        return bool(_ABOUT.match(asked))
    part = len(asked.split()) <= _LONGEST_PART and re.match(r"(?:which|what|how (?:many|much))\b", asked, re.IGNORECASE)
    asks = _BARE.match(asked) or part
    return bool(asks or _LEADING.match(question) or _ABOUT.match(asked))


def standing_alone(question: str, before: Sequence[PastTask]) -> str:
    """The question as it reads by itself. `before` are the tasks before it, whose questions stand alone already."""
    if not vague(question) or not before:
        return question
    plain, last = _plain(question), before[-1].asked
    asked = with_antecedents(plain, before)
    if not _fragment(question, asked):
        says = asked != plain or bool(phrases(asked)) or any(pointing(plain))
        alone = asked if says else _with_subject(asked, subject(before))
        return _sentence(alone) if alone != plain else question
    if _BARE.match(asked):
        return _asked_otherwise(asked.rstrip("?. "), last, subject(before)) or question
    rest = _ABOUT.sub("", asked).rstrip("?.! ")
    return _with_other(rest, last) or _of_subject(rest, subject(before)) or question


def subject(before: Sequence[PastTask]) -> str:
    """What a conversation was last about, in its own words; empty where that cannot be told."""
    for task in reversed(before[-REACH:]):
        found = phrases(task.asked)
        named = [phrase for phrase in found if phrase.named]
        definite = [phrase for phrase in found if phrase.definite]
        if found:
            return (named or definite or found)[0].text
    return ""


# -- questions of which a part is said ---------------------------------------------------------------------------


def _with_other(rest: str, last: str) -> str:
    """The last question asked of another thing, time or place: "And Kelso Bridge?", "And in 2019?"."""
    if _TIME.fullmatch(rest):
        return _TIME.sub(rest, last, count=1) if _TIME.search(last) else f"{last.rstrip('?.! ')} {rest}?"
    preposition = _WITH_PREPOSITION.match(rest)
    if preposition:
        same = re.search(rf"\b{preposition[1]}\s+[^?,]+?(?=\s+(?:{_PREPOSITIONS})\b|[?.,]|$)", last, re.IGNORECASE)
        if same:
            return last[: same.start()] + rest + last[same.end() :]
        return f"{last.rstrip('?.! ')} {rest}?"
    other = next(iter(phrases(f"about {rest}")), None)
    alike = [one for one in phrases(last) if other and _alike(one, other)]
    if not alike:
        return ""
    replaced = min(alike, key=lambda phrase: (phrase.start, phrase.end))
    return f"{last[: replaced.start]}{rest}{last[replaced.end :]}"


def _of_subject(rest: str, about: str) -> str:
    """A thing that is only named, of what was spoken of: "the budget for the Hawaii trip"."""
    return f"What about {rest} for {about}?" if about and phrases(f"about {rest}") else ""


def _alike(one: Phrase, other: Phrase) -> bool:
    same = (one.named, one.definite) == (other.named, other.definite)
    return same and (one.person >= SURE) == (other.person >= SURE)


def _asked_otherwise(word: str, last: str, about: str) -> str:
    """The last question with another question word: "And why?" after "When was the launch delayed?"."""
    if re.fullmatch(rf"(?:(?:{_PREPOSITIONS}) )?(?:when|where|why|how|how (?:long|often))", word, re.IGNORECASE):
        adverbial = _ADVERBIAL.match(last)
        if adverbial:
            return _sentence(f"{word}{last[adverbial.end() :]}")
        if _YES_OR_NO.match(last):
            return _sentence(f"{word} {last[0].lower()}{last[1:]}")
    if not about:
        return ""
    with_preposition = re.match(rf"(?:{_PREPOSITIONS})\s", word, re.IGNORECASE)
    return _sentence(f"{about}: {word}?" if with_preposition else f"{word} is {about}?")


def _with_subject(asked: str, about: str) -> str:
    """A question that names nothing, of what was spoken of: "Who is paying for the wedding?"."""
    asks = asked.endswith("?") and (_YES_OR_NO.match(asked) or _QUESTION.match(asked))
    return f"{asked.rstrip('?.! ')} for {about}?" if about and asks else asked


def _plain(question: str) -> str:
    """The question without "And" before it, with "it's" written out."""
    said = " ".join(question.split())
    rest = _LEADING.sub("", said, count=1) if _LEADING.match(said) else said
    return _IS_SHORT.sub(lambda found: f"{found[1]} {'are' if found[1].lower() == 'they' else 'is'}", rest)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
