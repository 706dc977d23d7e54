"""Whom a sentence is about, its speaker or its listener, and whether a verb is a past form."""

from __future__ import annotations

import re

_SPEAKER = re.compile(
    r"\b(?:i|i['’](?:m|ve|ll|d)|im|ive|me|my|mine|myself)\b|^our\b|[我俺咱]"
    r"|^(?:(?:\w+ly|then|after that|last \w+|yesterday|today|tomorrow|so),? )?we\b(?! (?:can|should|must|need"
    r"|have to|all)\b)|\bwe['’](?:re|ve|ll)\b"
    r"|\bwe (?:all |both |just |also )?(?:went|had|were|got|took|saw|did|made|met|\w+ed)\b",  # not "we" for everybody
    re.IGNORECASE,
)
_LISTENER = re.compile(r"\b(?:you|your|yours|yourself|u|ur|ya|y['’]all)\b|[你您]", re.IGNORECASE)
_SPEAKER_AS_SUBJECT = re.compile(
    r"(?:i|i['’](?:m|ve|d|ll)|we|we['’](?:re|ve)|my \w+|yesterday|last \w+|\w+ \w+ ago)\b(?=.{20})", re.IGNORECASE
)
_ABOUT_LISTENER = re.compile(
    r"(?:i|we)(?:['’](?:m|d|ll|ve|re))? (?:\w+ly |really |just |do |am |can |also |totally |so )*(?:think|hope|bet"
    r"|know|guess|believe|wish|love|see|get|understand|agree|appreciate|remember when|sure|glad|happy|proud|sorry"
    r"|excited|here|suggest|recommend|want|wanted|promise|admire|respect|imagine|thank|mean|feel|support"
    r"|rooting)\b[^.]{0,25}\b(?:you|ur|u)|(?:i|we)(?:['’]ll| will)\b|.*\b(?:if|when|whenever|as|like|what|which|that"
    r"|so|for|of|with|things|lets|makes?|helps?|helping|gives?|show|to) (?:you|your)\b",
    re.IGNORECASE,
)
_PAST = frozenset(
    "was were had did went got took made came saw said told gave found thought knew felt left met ran began brought "
    "bought built caught chose drew drove ate fell fought flew forgot froze grew heard held hid kept laid led lent "
    "lost meant paid rode rang rose sang sat sent shook shot slept sold spent spoke stood stole struck swam swore "
    "taught threw understood woke won wore wrote broke became bent bet bit blew dealt dug drank dreamt fed hung hurt "
    "knelt lit overcame put quit read set sought shone spread stuck swept tore wound withdrew cut hit let beat".split()
)
"""Irregular past forms, including those that are also present forms but mostly mean the past."""
_PRESENT_IN_ED = frozenset("need feed speed exceed proceed succeed embed bleed breed weed heed seed".split())


def is_past(verb: str) -> bool:
    """Whether an English verb form is a past form."""
    return verb in _PAST or (verb.endswith("ed") and verb not in _PRESENT_IN_ED)


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence is about its speaker."""
    return _SPEAKER.search(sentence) is not None


def mentions_listener(sentence: str) -> bool:
    """Whether a sentence mentions or addresses the listener."""
    return _LISTENER.search(sentence) is not None


def tells_listener_about_self(sentence: str) -> bool:
    """Whether the speaker tells the listener something about themselves: "I took a trip while you were away"."""
    return bool(_SPEAKER_AS_SUBJECT.match(sentence)) and not _ABOUT_LISTENER.match(sentence)
