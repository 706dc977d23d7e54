"""Tell whom a sentence is about: its speaker or the listener; and whether it only expresses a feeling."""

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
_MOOD = re.compile(
    r"\b(?:excited|thrilled|stoked|pumped|looking forward|can['’]?t wait|cannot wait|grateful|thankful|lucky"
    r"|fortunate|blessed|proud|determined|rollercoaster|give up|giving up|keep (?:going|pushing|plugging|trying"
    r"|at it)|optimistic|hop(?:e|es|ing)|wish|tempted|curious|motivat\w+|inspir\w+|rewarding|appreciate|glad"
    r"|honou?red|overwhelm\w+|nervous|anxious|stress\w*|emotions?|means? (?:a lot|the world|so much)|feel(?:s|ing)?"
    r"|felt|worth it|believe|mak(?:e|es|ing) me|remind\w*|imagine)\b|希望|期待|感动|激动|骄傲|幸运",
    re.IGNORECASE,
)


def is_mood(sentence: str) -> bool:
    """Whether a sentence expresses a feeling, and perhaps nothing else."""
    return _MOOD.search(sentence) is not None


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence is about its speaker."""
    return _SPEAKER.search(sentence) is not None


def mentions_listener(sentence: str) -> bool:
    """Whether a sentence mentions or addresses the listener."""
    return _LISTENER.search(sentence) is not None


def tells_listener_about_self(sentence: str) -> bool:
    """Whether the speaker tells the listener something about themselves: "I took a trip while you were away"."""
    return bool(_SPEAKER_AS_SUBJECT.match(sentence)) and not _ABOUT_LISTENER.match(sentence)
