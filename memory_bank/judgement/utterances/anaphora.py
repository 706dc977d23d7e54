"""Detect anaphora: whether a sentence can be understood only with what was said before it."""

from __future__ import annotations

import re
from collections.abc import Collection

from memory_bank.judgement.utterances.information_content import content_words

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


def is_anaphoric(text: str, names: Collection[str] = ()) -> bool:
    """Whether a text begins with a word that stands for something said before, or has one after few content words."""
    if _ANAPHORIC_START.match(text):
        return True
    anaphor = _ANAPHOR.search(text)
    if anaphor is None:
        return False
    return anaphor.start() == 0 or len(content_words(text[: anaphor.start()], names)) < LEAST_BEFORE
