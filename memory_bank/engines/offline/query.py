"""The query to search memory with, without a model: a question that stands alone, or a declarative sentence (HyDE)."""

from __future__ import annotations

from memory_bank.agents.remember import LONGEST_QUERY, Query, QueryInput
from memory_bank.judgement.coreference.declarative import declarative
from memory_bank.judgement.coreference.question import standing_alone, with_context
from memory_bank.text.one_line import one_line


def query(agent_input: QueryInput) -> Query:
    """The question with its references resolved; where that changes nothing, after the subject of the conversation."""
    question = standing_alone(agent_input.question, agent_input.conversation)
    if question == agent_input.question:
        question = with_context(agent_input.question, agent_input.conversation)
    text = one_line(declarative(question) if agent_input.mode == "hyde" else question)[:LONGEST_QUERY].strip()
    return Query(text=text or agent_input.question.strip()[:LONGEST_QUERY])
