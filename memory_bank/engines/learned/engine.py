"""The embedded engine in which a trained model judges what contradicts, says the same, supports and refutes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from memory_bank.agents.analysis import ANALYSIS
from memory_bank.agents.integration import INTEGRATION
from memory_bank.agents.react import EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.agents.structure import STRUCTURE
from memory_bank.bank.message import Turn
from memory_bank.engines.learned.analysis import analyse
from memory_bank.engines.learned.integration import integrate
from memory_bank.engines.learned.structure import structure
from memory_bank.engines.learned.verification.verify import verify
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.errors import AgentError
from memory_bank.judgement.judge import PairJudge
from memory_bank.modules.embedding import Embedder


class LearnedEngine(OfflineEngine):
    """The embedded engine; claims, contradictions and what stands after a verdict are the model's to judge."""

    def __init__(self, embedder: Embedder, judge: PairJudge) -> None:
        super().__init__(embedder)
        learned: dict[str, Callable[[Any], Any]] = {
            STRUCTURE.name: structure,
            ANALYSIS.name: lambda given: analyse(given, embedder, judge),
            INTEGRATION.name: lambda given: integrate(given, judge),
        }
        self._judgements |= learned


class LearnedFramework(OfflineFramework):
    """ReAct of the embedded engine; a conflict is verified by the model."""

    def __init__(self, embedder: Embedder, judge: PairJudge) -> None:
        super().__init__(embedder)
        self._judge = judge

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[Turn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task with the memory and the reference library, in one go."""
        if prompt.image is None and prompt.conflict is not None:
            return verify(prompt, prompt.conflict, tools, self._embedder, self._judge)
        return (yield from super().act(prompt, tools, turns, failed, lost))
