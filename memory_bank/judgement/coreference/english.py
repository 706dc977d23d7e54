"""Follow-up questions in English: resolve pronouns, and complete fragments.

After "How long is Harlow Bridge?", "And when was it built?" becomes "When was Harlow Bridge built?", and "And Kelso
Bridge?" becomes "How long is Kelso Bridge?". What cannot be resolved stays as it was asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.judgement.coreference.pronouns import REACH, SURE, anaphoric_pronouns, with_antecedents
from memory_bank.text.phrases import VERBS, Phrase, phrases, stem

_LEADING = re.compile(r"(?:(?:and|but|so|or|then|also|ok|okay|well|now|plus)\b[,\s]*)+", re.IGNORECASE)
_WHAT_ABOUT = re.compile(r"(?:what|how) about\s+", re.IGNORECASE)
_CONTRACTION = re.compile(r"\b(it|that|he|she|they|there)['’](?:s|re)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|has|have|had|will|would|can|could|should|may|might|must"
    r"|(?:what|who|where|when|how)['’]s)\b",
    re.IGNORECASE,
)
_PREPOSITIONS = "in|on|at|for|to|from|with|by|after|before|during|since|until|under|over|near"
_QUESTION_WORD_ALONE = re.compile(
    rf"(?:(?:{_PREPOSITIONS}) )?(?:when|where|why|how|who|whom|what|which)\b"
    r"(?: (?:much|many|long|far|often|exactly|else))?(?: \w+)?[?.! ]*$",
    re.IGNORECASE,
)
_LONGEST_FRAGMENT = 4
"""Most words of a fragment that begins with "which", "what" or "how many": "How many guests then?"."""
_ADVERBIAL = re.compile(r"(?:when|where|why|how)\b(?! (?:much|many|long|far|old|often|tall|big|high|deep|wide))", re.I)
_YES_OR_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should)\b", re.IGNORECASE)
_QUESTION = re.compile(r"(?:when|where|why|how|who|whom|what|which)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:(?:this|last|next|every) (?:year|month|week|weekend|spring|summer|autumn|fall|winter|semester|quarter|time"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|today|tomorrow|yesterday|tonight)\b",
    re.IGNORECASE,
)
_WITH_PREPOSITION = re.compile(rf"({_PREPOSITIONS})\s+\S", re.IGNORECASE)


def is_follow_up(question: str) -> bool:
    """Whether a question does not stand alone: it refers to something earlier, or leaves out what it is about."""
    plain = _plain(question)
    return bool(list(anaphoric_pronouns(plain))) or _is_fragment(question, plain) or not phrases(plain)


def _is_fragment(question: str, plain: str) -> bool:
    """Whether only part of a question is asked: "And Kelso Bridge?", "Which hotel?"."""
    words = plain.split()
    if _VERB.search(plain) or any(stem(word) in VERBS for word in words):
        return bool(_WHAT_ABOUT.match(plain))
    if len(words) <= _LONGEST_FRAGMENT and re.match(r"(?:which|what|how (?:many|much))\b", plain, re.IGNORECASE):
        return True
    return bool(_QUESTION_WORD_ALONE.match(plain) or _LEADING.match(question) or _WHAT_ABOUT.match(plain))


def standing_alone(question: str, before: Sequence[PastTask]) -> str:
    """The question rewritten to stand alone. `before` are the earlier tasks, whose questions stand alone already."""
    if not is_follow_up(question) or not before:
        return question
    plain, last = _plain(question), before[-1].asked
    resolved = with_antecedents(plain, before)
    if not _is_fragment(question, resolved):
        has_topic = resolved != plain or bool(phrases(resolved)) or any(anaphoric_pronouns(plain))
        alone = resolved if has_topic else _with_topic(resolved, subject(before))
        return _capitalised(alone) if alone != plain else question
    if _QUESTION_WORD_ALONE.match(resolved):
        return _with_question_word(resolved.rstrip("?. "), last, subject(before)) or question
    rest = _WHAT_ABOUT.sub("", resolved).rstrip("?.! ")
    return _with_replacement(rest, last) or _about_topic(rest, subject(before)) or question


def subject(before: Sequence[PastTask]) -> str:
    """What a conversation was last about, in its own words; empty where that cannot be told."""
    for task in reversed(before[-REACH:]):
        options = phrases(task.asked)
        named = [phrase for phrase in options if phrase.named]
        definite = [phrase for phrase in options if phrase.definite]
        if options:
            return (named or definite or options)[0].text
    return ""


# -- fragments ---------------------------------------------------------------------------------------------------


def _with_replacement(rest: str, last: str) -> str:
    """The last question with another thing, time or place: "And Kelso Bridge?", "And in 2019?"; "" if none fits."""
    if _TIME.fullmatch(rest):
        return _TIME.sub(rest, last, count=1) if _TIME.search(last) else f"{last.rstrip('?.! ')} {rest}?"
    preposition = _WITH_PREPOSITION.match(rest)
    if preposition:
        same = re.search(rf"\b{preposition[1]}\s+[^?,]+?(?=\s+(?:{_PREPOSITIONS})\b|[?.,]|$)", last, re.IGNORECASE)
        if same:
            return last[: same.start()] + rest + last[same.end() :]
        return f"{last.rstrip('?.! ')} {rest}?"
    new = next(iter(phrases(f"about {rest}")), None)
    replaceable = [phrase for phrase in phrases(last) if new and _is_same_kind(phrase, new)]
    if not replaceable:
        return ""
    replaced = min(replaceable, key=lambda phrase: (phrase.start, phrase.end))
    return f"{last[: replaced.start]}{rest}{last[replaced.end :]}"


def _is_same_kind(phrase: Phrase, other: Phrase) -> bool:
    same = (phrase.named, phrase.definite) == (other.named, other.definite)
    return same and (phrase.person >= SURE) == (other.person >= SURE)


def _about_topic(rest: str, topic: str) -> str:
    """A question about a thing that is only named, and the topic: "What about the budget for the Hawaii trip?"."""
    return f"What about {rest} for {topic}?" if topic and phrases(f"about {rest}") else ""


def _with_question_word(word: str, last: str, topic: str) -> str:
    """The last question with another question word: "And why?" after "When was the launch delayed?"."""
    if re.fullmatch(rf"(?:(?:{_PREPOSITIONS}) )?(?:when|where|why|how|how (?:long|often))", word, re.IGNORECASE):
        adverbial = _ADVERBIAL.match(last)
        if adverbial:
            return _capitalised(f"{word}{last[adverbial.end() :]}")
        if _YES_OR_NO.match(last):
            return _capitalised(f"{word} {last[0].lower()}{last[1:]}")
    if not topic:
        return ""
    with_preposition = re.match(rf"(?:{_PREPOSITIONS})\s", word, re.IGNORECASE)
    return _capitalised(f"{topic}: {word}?" if with_preposition else f"{word} is {topic}?")


def _with_topic(question: str, topic: str) -> str:
    """A question that names nothing, with the topic added: "Who is paying for the wedding?"."""
    is_question = question.endswith("?") and (_YES_OR_NO.match(question) or _QUESTION.match(question))
    return f"{question.rstrip('?.! ')} for {topic}?" if topic and is_question else question


def _plain(question: str) -> str:
    """The question without a leading "And", and with "it's" written out."""
    flat = " ".join(question.split())
    rest = _LEADING.sub("", flat, count=1) if _LEADING.match(flat) else flat
    return _CONTRACTION.sub(lambda match: f"{match[1]} {'are' if match[1].lower() == 'they' else 'is'}", rest)


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
