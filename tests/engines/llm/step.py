"""Run a ReAct step on a scripted model and collect what it yields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.agents.react import EnhancedPrompt, StepResult
from memory_bank.bank.errors import AgentError
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.settings import Settings
from memory_bank.engines.llm.react import ModelFramework
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.conftest import client
from tests.engines.offline.fake_tools import FakeTools
from tests.scripted_model import Script

MILL = FakeTools(
    {
        "guide.txt": "Beacon Mill stands in Kent. It was last worked in 1955.",
        "survey.txt": "Beacon Mill was last worked in 1921. It is a smock mill.",
    },
    {"register.txt": "Register of mills. Beacon Mill was last worked in 1921."},
)


@dataclass
class Acted:
    """What a step yielded and its result; `requests` are the requests to the model."""

    result: StepResult
    turns: list[StepTurn]
    text: str
    requests: list[dict[str, object]]

    @property
    def messages(self) -> list[Message]:
        return [message for turn in self.turns for message in turn.messages]


def act(
    script: Script,
    prompt: EnhancedPrompt | None = None,
    memory: FakeTools = MILL,
    *,
    native: bool = True,
    turns: Sequence[StepTurn] = (),
    failed: AgentError | None = None,
    **settings: object,
) -> Acted:
    asked, model = client(script, native_tools=native)
    framework = ModelFramework(asked, Settings.model_validate(settings), HashEmbedder(), NoJudge())
    running = framework.act(prompt or memory.prompt("When was Beacon Mill last worked?"), memory, turns, failed)
    taken: list[StepTurn] = []
    text = ""
    while True:
        try:
            progress = next(running)
        except StopIteration as ended:
            return Acted(ended.value, taken, text, model.requests)
        if isinstance(progress, StepTurn):
            taken.append(progress)
        else:
            text += progress
