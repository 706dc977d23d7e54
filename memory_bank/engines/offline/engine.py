"""The embedded engine: every agent's judgement, deterministic, with no model to call and no network."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output
from memory_bank.agents.analysis import ANALYSIS
from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.integration import INTEGRATION
from memory_bank.agents.planning import PLANNING
from memory_bank.agents.react import EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.agents.remember import REMEMBER_EXTRACTION, REMEMBER_QUERY
from memory_bank.agents.research import RESEARCH_FINDINGS, RESEARCH_PLAN, RESEARCH_REFLECTION
from memory_bank.agents.structure import STRUCTURE
from memory_bank.bank.message import Turn
from memory_bank.engines.offline.analysis import analyse
from memory_bank.engines.offline.answering.question import answer
from memory_bank.engines.offline.classification import classify
from memory_bank.engines.offline.extraction import extract
from memory_bank.engines.offline.image import read_image
from memory_bank.engines.offline.integration import integrate
from memory_bank.engines.offline.planning import plan
from memory_bank.engines.offline.query import query
from memory_bank.engines.offline.research import find, plan_research, reflect
from memory_bank.engines.offline.structure import structure
from memory_bank.engines.offline.verification.verify import verify
from memory_bank.errors import AgentError
from memory_bank.events import EngineChoice
from memory_bank.judgement.judge import PairJudge, shared_judge
from memory_bank.judgement.reader import Reader, shared_reader
from memory_bank.modules.embedding import Embedder
from memory_bank.task_kind import TaskKind


class OfflineEngine:
    """Five of the six judgements, and those of research; the sixth, ReAct, is `OfflineFramework`."""

    def __init__(self, embedder: Embedder, judge: PairJudge | None = None) -> None:
        judge = judge or shared_judge()
        self._choice = EngineChoice(provider="offline", model=embedder.name)
        self._judgements: dict[str, Callable[[Any], Any]] = {
            CLASSIFICATION.name: lambda given: classify(given, embedder),
            STRUCTURE.name: structure,
            ANALYSIS.name: lambda given: analyse(given, embedder, judge),
            INTEGRATION.name: lambda given: integrate(given, judge),
            PLANNING.name: lambda given: plan(given, embedder),
            RESEARCH_PLAN.name: plan_research,
            RESEARCH_FINDINGS.name: find,
            RESEARCH_REFLECTION.name: reflect,
            REMEMBER_QUERY.name: query,
            REMEMBER_EXTRACTION.name: lambda given: extract(given, embedder),
        }

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return self._choice

    @property
    def remote(self) -> bool:
        """Never: it judges in this process."""
        return False

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The agent's judgement; it costs no call and quotes each document in its own language."""
        del language, failed
        return Judgement(self._judgements[agent.name](given))


class OfflineFramework:
    """ReAct without a model: reads an image, verifies a conflict, or answers a question with quotations."""

    def __init__(
        self,
        embedder: Embedder,
        judge: PairJudge | None = None,
        reader: Reader | None = None,
        kind: TaskKind | None = None,
    ) -> None:
        """`kind` is what every task is taken for; by default the reader says."""
        self._embedder = embedder
        self._judge = judge or shared_judge()
        self._reader = reader or shared_reader()
        self._kind = kind
        self._choice = EngineChoice(provider="offline", model=embedder.name)

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return self._choice

    @property
    def remote(self) -> bool:
        """Never: it acts in this process."""
        return False

    @property
    def sees(self) -> bool:
        """Always: it reads what is written in images."""
        return True

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[Turn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task with the memory and the reference library, in one go."""
        del turns, failed, lost
        if prompt.image is not None:
            return (yield from read_image(prompt.image))
        if prompt.conflict is not None:
            return verify(prompt, prompt.conflict, tools, self._embedder, self._judge)
        return answer(prompt, tools, self._embedder, self._judge, self._reader, self._kind)
