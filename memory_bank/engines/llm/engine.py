"""Five of the six judgements on a language model, and those of research; the sixth, ReAct, is `react.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output
from memory_bank.agents.analysis import ANALYSIS
from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.integration import INTEGRATION
from memory_bank.agents.planning import PLANNING
from memory_bank.agents.remember import REMEMBER_EXTRACTION, REMEMBER_QUERY
from memory_bank.agents.research import RESEARCH_FINDINGS, RESEARCH_PLAN, RESEARCH_REFLECTION
from memory_bank.agents.structure import STRUCTURE
from memory_bank.engines.llm.analysis import analyse
from memory_bank.engines.llm.classification import classify
from memory_bank.engines.llm.client import ModelClient
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.extraction import extract
from memory_bank.engines.llm.grounding import Grounding
from memory_bank.engines.llm.integration import integrate
from memory_bank.engines.llm.planning import plan
from memory_bank.engines.llm.query import query
from memory_bank.engines.llm.research import find, plan_research, reflect
from memory_bank.engines.llm.structure import structure
from memory_bank.errors import AgentError
from memory_bank.events import EngineChoice
from memory_bank.judgement.judge import PairJudge
from memory_bank.modules.embedding import Embedder


class ModelEngine:
    """An agent's judgement by a model; `window` is how many tokens it is given at most.

    The embedder counts tokens; with the pair model it tells which passage bears a sentence, and which claims are likely
    to contradict each other.
    """

    def __init__(self, client: ModelClient, window: int, embedder: Embedder, judge: PairJudge) -> None:
        self._client = client
        self._window = window
        self._count_tokens = embedder.count_tokens
        self._judgements: dict[str, Callable[[Any, Consultation], Any]] = {
            CLASSIFICATION.name: classify,
            STRUCTURE.name: structure,
            ANALYSIS.name: partial(analyse, embedder=embedder, judge=judge),
            INTEGRATION.name: integrate,
            PLANNING.name: plan,
            RESEARCH_PLAN.name: plan_research,
            RESEARCH_FINDINGS.name: partial(find, grounding=Grounding(embedder, judge)),
            RESEARCH_REFLECTION.name: reflect,
            REMEMBER_QUERY.name: query,
            REMEMBER_EXTRACTION.name: partial(extract, embedder=embedder),
        }

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return self._client.choice

    @property
    def remote(self) -> bool:
        """Always: a model is a server away."""
        return True

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The agent's judgement, checked. `AgentError` when none can be had."""
        consultation = Consultation(agent.name, self._client, self._window, self._count_tokens, language, failed)
        output: Output = self._judgements[agent.name](given, consultation)
        return Judgement(output, consultation.calls, consultation.remarks, consultation.reasoning)
