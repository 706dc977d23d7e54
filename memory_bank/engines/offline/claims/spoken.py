"""What people say to each other: its sentences, and which of them claim something that others may contradict.

"I have two cats" of one person and "I have three" of another are no contradiction, nor are two opinions, nor what was
so "today" on two days. Such sentences are found and quoted; as claims they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_bank.engines.offline.language.subjects import SubjectKind, find_subject
from memory_bank.engines.offline.language.tokens import tokenise
from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span

_OF_THE_SPEAKER = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|me|my|mine|myself|you|your|yours|yourself|we|us|our|ours|let's)\b|[我你您咱俺]",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:think|believe|guess|feels?|felt|hope|wish|prefer|love|hate|adore|like|imo|imho|maybe|probably|seems?|sounds?|"
    r"looks?|should|ought|best|worst|better|worse|great|lovely|awful|terrible|amazing|nice|boring|beautiful|ugly)\b"
    r"|觉得|认为|希望|喜欢|讨厌|好像|大概|应该|最好|真好|太",
    re.IGNORECASE,
)
_OF_THE_MOMENT = re.compile(
    r"\b(?:now|today|tonight|tomorrow|yesterday|currently|still|yet|already|again|soon|just|here|"
    r"(?:this|last|next|past) (?:morning|afternoon|evening|night|week|weekend|month|year|spring|summer|autumn|fall"
    r"|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|ago)\b"
    r"|今天|今晚|明天|昨天|昨晚|前天|后天|现在|刚才|上周|下周|上个|下个|这里|去年|明年",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"\W*(?:(?:he|she|it|they|this|that|these|those|there|yes|yeah|no|not|so|and|but|oh|ok|okay|well|then|gone)\b"
    r"|[他她它这那]|是的|不)",
    re.IGNORECASE,
)


def said_sentences(text: str, said: Iterable[tuple[int, int]]) -> list[Span]:
    """The sentences of some stretches of a text, each said by one person: none reaches over two of them."""
    return [Span(start + span.start, start + span.end) for start, end in said for span in sentences(text[start:end])]


def holds_for_all(text: str) -> bool:
    """Whether a sentence claims something whoever says it, and whenever: neither opinion nor of speaker or moment.

    It must name what it is about: in a chat "she" and "on Thursday" may be anybody and any week.
    """
    if _LEANING.match(text) or any(found.search(text) for found in (_OF_THE_SPEAKER, _OPINION, _OF_THE_MOMENT)):
        return False
    tokens, _values = tokenise(text)
    return find_subject(tokens).kind in (SubjectKind.NAME, SubjectKind.DEFINITE)
