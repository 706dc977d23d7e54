"""Filter chat passages by what a question asks: who said it, and on which days."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.search.dialogue import days_of
from memory_bank.text.written_dates import days_named

_SAYING = (
    r"(?:sa(?:y|ys|id)|tell|tells|told|mention\w*|writes?|wrote|ask\w*|thinks?|thought|reports?|reported|suggest\w*"
    r"|promise\w*|plans?|planned|wants?|wanted|answer\w*|repl(?:y|ies|ied)|complain\w*)"
)


def filter_by_days_asked(question: str, pool: Sequence[CandidatePassage]) -> list[CandidatePassage]:
    """The passages without what was said at other times than asked about, unless nothing is left."""
    spoken = [(passage, passage.turn) for passage in pool if passage.turn is not None]
    by_speaker = [pair for pair in spoken if asks_for_speaker(pair[0], question)] or spoken
    last_day = max((turn.day for _, turn in spoken if turn.day), default=None)
    asked_days = days_named(question, last_day) if last_day else []
    in_time = {
        id(passage)
        for passage, turn in by_speaker
        if any(asked.meets(days) for asked in asked_days for days in days_of(passage.text, turn.day))
    }
    return [passage for passage in pool if passage.turn is None or not in_time or id(passage) in in_time]


def asks_for_speaker(passage: CandidatePassage, question: str) -> bool:
    """Whether a question asks what the speaker of a passage said: "What did Ada say …", "according to Ada"."""
    if passage.turn is None:
        return False
    names = "|".join(re.escape(name) for name in {passage.turn.speaker, passage.turn.speaker.split(" ")[0]})
    before = rf"(?:\b(?:did|does|has|had)\s+(?:{names})\b.*\b{_SAYING}\b|\baccording to (?:{names})\b)"
    after = rf"(?:\b(?:{names})\s+{_SAYING}\b|(?:{names}).{{0,6}}(?:说|提到|觉得|认为|问|写))"
    return re.search(f"{before}|{after}", question, re.IGNORECASE) is not None
