"""Whether a sentence can only be understood with what was said before, and the subject of a fact that names none.

"The budget is $10,000" is about the trip to Hawaii.
"""

from __future__ import annotations

import re

from memory_bank.judgement.utterances.information_content import content_words
from memory_bank.judgement.utterances.prompt_injection import is_prompt_injection
from memory_bank.judgement.utterances.secret_detection import holds_secret
from memory_bank.judgement.utterances.utterance_type import is_question, is_request
from memory_bank.text.sentences import sentences
from memory_bank.text.wording import one_line

LEAST_BEFORE = 2
"""Content words before "it" or "they" from which these are taken to mean something in the same sentence."""

_ANAPHORIC_START = re.compile(
    r"(?:it|they|them|he|she|that|this|those|these|there(?!['’]s)|one|which|then|his|her|their|its|because|since|not"
    r"|both|same|all|some|none|most|either|neither|another|the other|especially|even|plus|just|helps|makes|keeps"
    r"|sounds|looks|seems|feels|means|gets|gives|reminds|such|somewhat|similar(?:ly)?|likewise|after that"
    r"|overall)\b(?! (?:year|month|week|weekend|day|morning|evening|summer|winter|spring|fall|autumn|of my|of our|my"
    r"|i|we)\b)|[他她它这那]|因为|所以|于是",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(
    r"\b(?:it|they|them|he|she|him|her|his|hers|their|theirs|its|ones|one to|there(?!['’]s| (?:is|are|was|were)))\b"
    r"|\b(?:(?:a few|some|many|any|two|three) more|another|here)\b(?= (?:at|in|on|for|from|too|last|sometimes)|\W*$)"
    r"|\b(?:this|that|the (?:last|first|other|same)) one\b|^\S+(?: \S+){0,4} (?:it|this|that|them)\W*$"
    r"|\bthat (?!i\b|we\b|he\b|she\b|they\b|you\b|it\b|the\b|my\b)\w+(?=[,.!]|$)|(?:^|[,;–-] |\b(?:and|but|so|because"
    r"|if|like|about|of|for|with|to|do|did|love|got|made) )(?:this|that|these|those)(?= (?:is|are|was|were|will|has"
    r"|have)\b|['’]s|[,.!;]|$)|[他她它这那]",
    re.IGNORECASE,
)
LONGEST = 100
"""Most characters of a topic."""

_VERB = r"(?:is|are|was|were|will|has|have|had|must|should|can|may|starts?|ends?|costs?|needs?|lasts?|takes?)"
_NAMES_SUBJECT = re.compile(
    rf"(?:the|our|my|an?)\s+[\w'’ -]{{2,40}}?\s(?:for|of)\s+(?:(?:the|our|my|an?)\s+)?([\w'’ -]{{3,60}}?)\s+{_VERB}\b",
    re.IGNORECASE,
)
_NAMES_SUBJECT_CHINESE = re.compile(r"([^我你您的，。\s]{2,20})的[^，。的]{1,10}?(?:是|为|有|定|共|不)")
_UNNAMED_SUBJECT = re.compile(
    r"(?:the|our|its|their|this) \w+[\w ]*? (?:is|are|was|were|will|has|must|should|can|may)\b"
    r"|(?:i|we) (?:keep|kept|choose|chose|pick|picked|prefer|take|took|want|believe|trust|go with|went with) (?:the )?"
    r"(?:first|second|third|last|other|former|latter|both|neither|one)\b",
    re.IGNORECASE,
)
_UNNAMED_SUBJECT_CHINESE = re.compile(r"[^，。我你]{1,8}(?:是|为|定为|共)")
_REQUEST_WORDS = re.compile(
    r"(?:please |now |then |kindly |can you |could you |would you |will you |help me (?:to )?|i want (?:you )?to "
    r"|i need to |i['’]d like (?:you )?to |(?:find|search|look|tell|give|show|list|plan|book|write|draft|recommend"
    r"|suggest|compare|check|make|create|prepare|explain|describe|summari[sz]e|research|review|choose|pick|get)\b ?"
    r"|for |me |us |out |up |about |an? |the |some |my |our |what (?:is|are|was|were) |which |who (?:is|was) "
    r"|where (?:is|are) |how (?:much|many|long) )+",
    re.IGNORECASE,
)
_REQUEST_WORDS_CHINESE = re.compile(
    r"(?:请|帮我|给我|为我|替我|告诉我|查一?下|找一?[个家下]?|安排|计划|规划|制定|推荐|比较一?下|总结|一下"
    r"|一[个份家]|我的|我们的)+"
)


def named_subject(sentence: str) -> str:
    """The subject that a sentence names itself: "the Hawaii trip" for the budget of it; empty where it names none."""
    match = _NAMES_SUBJECT.match(sentence) or _NAMES_SUBJECT_CHINESE.match(sentence)
    return match[1].strip() if match else ""


def lacks_subject(sentence: str) -> bool:
    """Whether a sentence speaks of "the budget" or the like without saying which."""
    return bool(_UNNAMED_SUBJECT.match(sentence) or _UNNAMED_SUBJECT_CHINESE.match(sentence))


def topic(about: str) -> str:
    """What a task is about: its request without the request words. Empty where that is unclear, unsafe or too long."""
    lines = [one_line(span.of(about)) for span in sentences(about)]
    asked = [text for text in lines if is_request(text) or is_question(text)] or (lines if len(lines) == 1 else [])
    if not asked or is_prompt_injection(about) or holds_secret(asked[0]):
        return ""
    text = asked[0].strip(" .?!。？！")
    for request_words in (_REQUEST_WORDS, _REQUEST_WORDS_CHINESE):
        match = request_words.match(text)
        text = text[match.end() :] if match else text
    return text if len(text) <= LONGEST else ""


def is_anaphoric(text: str) -> bool:
    """Whether a text begins with a word that stands for something said before, or has one after few content words."""
    if _ANAPHORIC_START.match(text):
        return True
    anaphor = _ANAPHOR.search(text)
    if anaphor is None:
        return False
    return anaphor.start() == 0 or len(content_words(text[: anaphor.start()])) < LEAST_BEFORE
