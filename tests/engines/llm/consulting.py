"""Run a judgement against a scripted model, for tests of the agents' code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from memory_bank.agents.agent import Language
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.consultation import Consultation
from tests.engines.conftest import client
from tests.scripted_model import ScriptedModel

Input = TypeVar("Input")
Output = TypeVar("Output")


@dataclass
class Judged(Generic[Output]):
    """The result of a judgement: its output, its remarks, and the requests to the model."""

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
        """The remarks of a kind as one text."""
        return "\n".join(remark.what for remark in self.remarks if remark.kind == kind)


def consultation(
    agent: str, *replies: BaseModel, window: int = 8_000, language: Language = "en"
) -> tuple[Consultation, ScriptedModel]:
    """A consultation with a model that sends these replies, and the model; tokens are words."""
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
    """A judgement by a model that sends these replies. `AgentError` when there is none."""
    name = getattr(judgement, "__name__", "analysis")
    talk, model = consultation(name, *replies, window=window, language=language)
    output = judgement(given, talk)
    return Judged(output, talk.remarks, model.requests)
