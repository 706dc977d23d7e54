"""Long-term memory: extract facts worth keeping beyond a session, and write queries for them.

Both judgements are made by a model or the embedded engine. Code in `long_term/` stores, compares and deletes facts.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from memory_bank.agents.agent import Agent
from memory_bank.bank.value import Value

REMEMBER = "remember"
"""The name under which both judgements share their settings, including the model."""

MOST_FACTS = 20
"""The most facts of one extraction."""
LONGEST_QUERY = 500

Kind = Literal["semantic", "procedural"]
QueryMode = Literal["context", "rewrite", "hyde"]


class Utterance(Value):
    """One thing that somebody said, with an id. The text is untrusted."""

    id: str
    speaker: str
    text: str
    at: datetime | None = None


class ExtractionInput(Value):
    """The utterances since the last extraction, and a few `before` them for context.

    `about` is the task or the occasion. `known` was recalled from memory and must not be extracted again.
    """

    about: str
    utterances: tuple[Utterance, ...]
    before: tuple[Utterance, ...] = ()
    known: tuple[str, ...] = ()


class ExtractedFact(Value):
    """A self-contained fact: `content` is a sentence, `context` its occasion ("the trip to Hawaii") or empty.

    `evidence` are the ids of the utterances that state it; `importance` is 0 to 1.
    """

    type: Kind = "semantic"
    content: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"\S")]
    context: Annotated[str, StringConstraints(max_length=200)] = ""
    evidence: tuple[str, ...]
    importance: float = Field(0.5, ge=0.0, le=1.0)


class Extraction(Value):
    """The facts worth keeping; often none."""

    facts: tuple[ExtractedFact, ...] = Field((), max_length=MOST_FACTS)


class PastTask(Value):
    """An earlier task of the same conversation: what was asked, and what was found."""

    asked: str
    found: str


class QueryInput(Value):
    """The current question, and the earlier tasks of the conversation, oldest first.

    `mode` is what to write: the question made self-contained, or a hypothetical fact that answers it.
    """

    question: Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
    conversation: tuple[PastTask, ...] = ()
    mode: Literal["rewrite", "hyde"] = "rewrite"


class Query(Value):
    """A query for the memory search: one sentence."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY, pattern=r"\S")]


REMEMBER_EXTRACTION = Agent("remember_extraction", ExtractionInput, Extraction, temperature=0.1, top_p=0.8)
REMEMBER_QUERY = Agent("remember_query", QueryInput, Query, temperature=0.1, top_p=0.8)
