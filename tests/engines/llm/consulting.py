"""A judgement's conversation with a scripted model, for tests of the agents' code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from memory_bank.agents.agent import Language
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.scripted_model import ScriptedModel
from tests.engines.llm.conftest import client

Input = TypeVar("Input")
Output = TypeVar("Output")


@dataclass
class Judged(Generic[Output]):
    """What came of a judgement: its output, what was noted, and what the model was shown."""

    output: Output
    remarks: tuple[Remark, ...]
    requests: list[dict[str, Any]]

    @property
    def system(self) -> str:
        return str(self.requests[0]["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.requests[0]["messages"][1]["content"])

    def noted(self, kind: str) -> str:
        """What was noted of a kind, as one text."""
        return "\n".join(remark.what for remark in self.remarks if remark.kind == kind)


def consultation(
    agent: str, *replies: BaseModel, window: int = 8_000, language: Language = "en"
) -> tuple[Consultation, ScriptedModel]:
    """A conversation with a model that says this, and the model; tokens are words."""
    said = [reply.model_dump() for reply in replies]
    speaker, model = client(said)
    return Consultation(agent, speaker, window, lambda text: len(text.split()), language), model


def judge(
    judgement: Callable[[Input, Consultation], Output],
    given: Input,
    *replies: BaseModel,
    window: int = 8_000,
    language: Language = "en",
) -> Judged[Output]:
    """A judgement by a model that says this. `AgentError` when it comes to none."""
    name = getattr(judgement, "__name__", "analysis")
    talk, model = consultation(name, *replies, window=window, language=language)
    output = judgement(given, talk)
    return Judged(output, talk.remarks, model.requests)
