"""The engine that judges with a language model, for every agent but ReAct, which is in `react.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Language, Output, Several
from memory_bank.agents.analysis import ANALYSIS
from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.integration import INTEGRATION
from memory_bank.agents.planning import PLANNING
from memory_bank.agents.remember import REMEMBER_EXTRACTION, REMEMBER_QUERY
from memory_bank.agents.research import RESEARCH_FINDINGS, RESEARCH_PLAN, RESEARCH_REFLECTION
from memory_bank.agents.structure import STRUCTURE
from memory_bank.bank.errors import AgentError
from memory_bank.engines.client.client import ModelClient
from memory_bank.engines.llm.analysis import analyse
from memory_bank.engines.llm.classification import classify
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.extraction import extract
from memory_bank.engines.llm.integration import integrate
from memory_bank.engines.llm.planning import plan
from memory_bank.engines.llm.query import query
from memory_bank.engines.llm.research import find_facts, plan_research, reflect
from memory_bank.engines.llm.structure import structure
from memory_bank.judgement.grounding import Grounding
from memory_bank.judgement.judge import PairJudge
from memory_bank.search.embedding import Embedder


class ModelEngine:
    """Judges for an agent with a model; `window` is the most tokens that one request shows it.

    What needs no model is left to the `embedded` engine: the topics of a short text, a next step that follows from what
    is there. The embedder counts tokens; with the pair model it finds the passage that supports a sentence, and claims
    that are likely to contradict each other.
    """

    remote = True  # the model is asked over HTTP

    def __init__(
        self, client: ModelClient, window: int, embedder: Embedder, judge: PairJudge, embedded: Engine | None = None
    ) -> None:
        self._client, self.choice = client, client.choice
        self._window = window
        self._embedded = embedded
        self._count_tokens = embedder.count_tokens
        self._judgements: dict[str, Callable[[Any, Consultation], Any]] = {
            CLASSIFICATION.name: partial(classify, embedded=embedded),
            STRUCTURE.name: structure,
            ANALYSIS.name: partial(analyse, embedder=embedder, judge=judge),
            INTEGRATION.name: integrate,
            PLANNING.name: partial(plan, embedder=embedder, embedded=embedded),
            RESEARCH_PLAN.name: plan_research,
            RESEARCH_FINDINGS.name: partial(find_facts, grounding=Grounding(embedder, judge)),
            RESEARCH_REFLECTION.name: reflect,
            REMEMBER_QUERY.name: query,
            REMEMBER_EXTRACTION.name: partial(extract, embedder=embedder),
        }

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The agent's judgement, checked. `AgentError` when there is none."""
        consultation = Consultation(agent.name, self._client, self._window, self._count_tokens, language, failed)
        judge = self._judgements[agent.name]
        output: Any
        if agent.name not in _OF_SEVERAL:
            output = judge(given, consultation)
        elif isinstance(given, Several):
            output = Several(each=judge(given.each, consultation))
        else:
            (output,) = judge((given,), consultation)
        choice = self._embedded.choice if self._embedded is not None and not consultation.calls else None
        return Judgement(output, consultation.calls, consultation.remarks, consultation.reasoning, choice)


_OF_SEVERAL = (STRUCTURE.name, ANALYSIS.name)
"""The agents that are asked about several inputs at once."""
