"""What is kept beyond one session, and what is looked for in what was kept (section 5): two judgements, set as one.

A model or the embedded engine makes them. Storing, comparing and forgetting is done by code, in `long_term/`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from memory_bank.agents.agent import Agent
from memory_bank.bank.value import Value

REMEMBER = "remember"
"""The two are set as one agent: they share its model."""

MOST_FACTS = 20
"""Facts of one extraction."""
LONGEST_QUERY = 500

Kind = Literal["semantic", "procedural"]
QueryMode = Literal["context", "rewrite", "hyde"]


class Utterance(Value):
    """One thing that somebody said, under an id of its own. The text is untrusted."""

    id: str
    speaker: str
    text: str
    at: datetime | None = None


class ExtractionGiven(Value):
    """What was said since the last extraction, and a little of what was said before it, so that it is understood.

    `about` is the task or the occasion. Nothing of `known`, what was recalled from memory, is to be extracted again.
    """

    about: str
    utterances: tuple[Utterance, ...]
    before: tuple[Utterance, ...] = ()
    known: tuple[str, ...] = ()


class ExtractedFact(Value):
    """A fact that stands alone: `content` a sentence, `context` of what it holds ("the trip to Hawaii"), or empty.

    `evidence` are the ids of the utterances that say so; `importance` is 0 to 1.
    """

    type: Kind = "semantic"
    content: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"\S")]
    context: Annotated[str, StringConstraints(max_length=200)] = ""
    evidence: tuple[str, ...]
    importance: float = Field(0.5, ge=0.0, le=1.0)


class Extraction(Value):
    """What is worth keeping of what was said; often nothing."""

    facts: tuple[ExtractedFact, ...] = Field((), max_length=MOST_FACTS)


class PastTask(Value):
    """A task of the same conversation: what was asked, and what was found."""

    asked: str
    found: str


class QueryGiven(Value):
    """What is asked now, and before it in the conversation, oldest first.

    `mode` says what is wanted: the question rewritten so that it stands alone, or a hypothetical fact that answers it.
    """

    question: Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
    conversation: tuple[PastTask, ...] = ()
    mode: Literal["rewrite", "hyde"] = "rewrite"


class Query(Value):
    """What memory is searched with: one sentence."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY, pattern=r"\S")]


REMEMBER_EXTRACTION = Agent("remember_extraction", ExtractionGiven, Extraction, temperature=0.1, top_p=0.8)
REMEMBER_QUERY = Agent("remember_query", QueryGiven, Query, temperature=0.1, top_p=0.8)
