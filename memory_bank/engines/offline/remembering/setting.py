"""Of what a fact holds, where its own words do not say: "The budget is $10,000" of the trip to Hawaii."""

from __future__ import annotations

import re

from memory_bank.engines.offline.remembering.saying import is_question, is_request
from memory_bank.engines.offline.remembering.secrecy import holds_secret
from memory_bank.engines.offline.remembering.steering import steers
from memory_bank.modules.sentences import sentences
from memory_bank.one_line import one_line

LONGEST = 100
"""Characters of a context."""

_VERB = r"(?:is|are|was|were|will|has|have|had|must|should|can|may|starts?|ends?|costs?|needs?|lasts?|takes?)"
_OF_A_THING = re.compile(
    rf"(?:the|our|my|an?)\s+[\w'’ -]{{2,40}}?\s(?:for|of)\s+(?:(?:the|our|my|an?)\s+)?([\w'’ -]{{3,60}}?)\s+{_VERB}\b",
    re.IGNORECASE,
)
_OF_A_THING_CHINESE = re.compile(r"([^我你您的，。\s]{2,20})的[^，。的]{1,10}?(?:是|为|有|定|共|不)")
_DEFINITE = re.compile(
    r"(?:the|our|its|their|this) \w+[\w ]*? (?:is|are|was|were|will|has|must|should|can|may)\b"
    r"|(?:i|we) (?:keep|kept|choose|chose|pick|picked|prefer|take|took|want|believe|trust|go with|went with) (?:the )?"
    r"(?:first|second|third|last|other|former|latter|both|neither|one)\b",
    re.IGNORECASE,
)
_DEFINITE_CHINESE = re.compile(r"[^，。我你]{1,8}(?:是|为|定为|共)")
_ASKING = re.compile(
    r"(?:please |now |then |kindly |can you |could you |would you |will you |help me (?:to )?|i want (?:you )?to "
    r"|i need to |i['’]d like (?:you )?to |(?:find|search|look|tell|give|show|list|plan|book|write|draft|recommend"
    r"|suggest|compare|check|make|create|prepare|explain|describe|summari[sz]e|research|review|choose|pick|get)\b ?"
    r"|for |me |us |out |up |about |an? |the |some |my |our |what (?:is|are|was|were) |which |who (?:is|was) "
    r"|where (?:is|are) |how (?:much|many|long) )+",
    re.IGNORECASE,
)
_ASKING_CHINESE = re.compile(
    r"(?:请|帮我|给我|为我|替我|告诉我|查一?下|找一?[个家下]?|安排|计划|规划|制定|推荐|比较一?下|总结|一下"
    r"|一[个份家]|我的|我们的)+"
)


def own_setting(sentence: str) -> str:
    """What a sentence itself says it is about: "the Hawaii trip" of its budget; empty where it says nothing."""
    found = _OF_A_THING.match(sentence) or _OF_A_THING_CHINESE.match(sentence)
    return found[1].strip() if found else ""


def needs_setting(sentence: str) -> bool:
    """Whether it speaks of "the budget" as if everybody knew which."""
    return bool(_DEFINITE.match(sentence) or _DEFINITE_CHINESE.match(sentence))


def topic(about: str) -> str:
    """What a task is about: its request without the words that ask; empty where that cannot be told or must not be."""
    spoken = [one_line(span.of(about)) for span in sentences(about)]
    asked = [text for text in spoken if is_request(text) or is_question(text)] or (spoken if len(spoken) == 1 else [])
    if not asked or steers(about) or holds_secret(asked[0]):
        return ""
    told = asked[0].strip(" .?!。？！")
    for asking in (_ASKING, _ASKING_CHINESE):
        found = asking.match(told)
        told = told[found.end() :] if found else told
    return told if len(told) <= LONGEST else ""
