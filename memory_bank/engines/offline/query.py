"""What memory is searched with, without a model: the question as it stands alone, or as the fact that answers it."""

from __future__ import annotations

from memory_bank.agents.remember import LONGEST_QUERY, Query, QueryGiven
from memory_bank.engines.offline.following.declarative import declarative
from memory_bank.engines.offline.following.question import standing_alone, with_context
from memory_bank.one_line import one_line


def query(given: QueryGiven) -> Query:
    """The question with what it points to in its words, or after its subject where that has no place in it."""
    asked = standing_alone(given.question, given.conversation)
    if asked == given.question:
        asked = with_context(given.question, given.conversation)
    text = one_line(declarative(asked) if given.mode == "hyde" else asked)[:LONGEST_QUERY].strip()
    return Query(text=text or given.question.strip()[:LONGEST_QUERY])
