"""Two hundred steps, and many turns in one step: what was found early still answers, and all of it fits."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_bank.agents.planning import PLANNING, NextTask, PlanningInput, PlanningOutput
from memory_bank.agents.react import EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import TurnTaken
from memory_bank.bank.message import StepTurn
from memory_bank.bank.settings import Settings
from memory_bank.engines.offline.engine import OfflineFramework
from memory_bank.engines.offline.planning import plan
from memory_bank.engines.step.prompt import sent_tokens
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.session.step_blocks import MOST_TOKENS
from memory_bank.storage.session_store import Upload
from tests import competent_model
from tests.scripted import ScriptedEngine
from tests.scripted_model import ScriptedModel, ScriptedReply
from tests.step_clock import StepClock

ENDINGS = "wick ton ham ford by stead combe leigh worth field mouth ley dale hurst bury".split()
BEGINNINGS = "Alder Birch Cedar Dorn Elm Fir Gorse Hazel Ivy Juniper Kelp Linden Maple Nettle".split()
VILLAGES = [beginning + ending for ending in ENDINGS for beginning in BEGINNINGS][:200]
THIRD = VILLAGES[0]
TASK = f"When was {THIRD} Mill last worked?"
QUESTIONS = ["How many mills has the county?", "Where is the county?"]
QUESTIONS += [f"When was {name} Mill last worked?" for name in VILLAGES[:198]]
GUIDE = Upload("guide.txt", b"The county has 200 mills. The county is in the south.")
LIBRARY = [
    Upload(f"{name}.txt", f"{name} Mill was last worked in {1700 + number}.".encode())
    for number, name in enumerate(VILLAGES[:4])
]
count = HashEmbedder().count_tokens


class Watched(OfflineFramework):
    """The embedded engine; keeps what its steps were given."""

    def __init__(self) -> None:
        super().__init__(HashEmbedder())
        self.prompts: list[EnhancedPrompt] = []

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        self.prompts.append(prompt)
        return super().act(prompt, tools, turns, failed, lost)


def one_question_after_another(given: PlanningInput) -> PlanningOutput:
    """Two hundred questions, and then the one that is the goal."""
    completed = plan(given, HashEmbedder()).completed
    asked = [
        task
        for task in (*given.insight_doc.completed_tasks, *([completed] if completed else []))
        if "?" in task.description
    ]
    questions = [*QUESTIONS, TASK]
    following = questions[len(asked)] if len(asked) < len(questions) else None
    return PlanningOutput(completed=completed, next_task=following and NextTask(type="NORMAL", description=following))


@pytest.mark.slow
def test_after_two_hundred_steps_without_a_model_the_third_still_answers(tmp_path: Path) -> None:
    settings = Settings.model_validate({"embedding_model": "hash", "max_steps": 300})
    framework, standard = Watched(), Parts.standard(settings)
    planner = ScriptedEngine({PLANNING.name: one_question_after_another})
    parts = replace(
        standard, clock=StepClock(), framework=framework, engines={**standard.engines, PLANNING.name: planner}
    )
    session = Session.create(TASK, [GUIDE], LIBRARY, settings=settings, sessions=tmp_path, parts=parts)
    list(session.run())
    assert len(framework.prompts) == 201
    blocks = [prompt.text.partition("</task>")[0] for prompt in framework.prompts]
    assert max(map(count, blocks)) <= MOST_TOKENS + 60
    assert "earlier finished steps are not shown here" in blocks[-1]
    assert session.answer is not None
    assert session.answer.affirmed.startswith(f"“{THIRD} Mill was last worked in 1700.” [1]")
    (citation,) = session.answer.citations
    assert citation.source == f"{THIRD}.txt"
    first = next(entry for entry in session.bank.trees if entry.metadata.get("source") == citation.source)
    assert first.metadata["step"] == framework.prompts[2].task.id


def parts_on(model: ScriptedModel, settings: Settings) -> Parts:
    return replace(Parts.standard(settings, network=model), clock=StepClock())


class Looking:
    """A model that looks sixty times before it answers, whoever asks it."""

    def __init__(self) -> None:
        self.looked = 0
        self.shown: list[Any] = []

    def __call__(self, asked: dict[str, Any]) -> Any:
        if "response_format" in asked:
            return competent_model.reply(asked)
        self.shown.append(asked)
        self.looked += 1
        if self.looked <= 60:
            return ScriptedReply(text=f"Look {self.looked}.", tool_calls=[("search", {"query": f"mill {self.looked}"})])
        return f"<answer>{THIRD} Mill was last worked in 1700 [r1].</answer>"


@pytest.mark.parametrize("stopped_after", [7, 44])
@pytest.mark.slow
def test_a_session_that_dies_in_a_long_step_asks_the_same_when_it_goes_on(tmp_path: Path, stopped_after: int) -> None:
    settings = Settings.model_validate(
        {
            "embedding_model": "hash",
            "react": {"window": 2_048, "provider": "local"},
            "local": {"base_url": "http://models.test/v1", "model": "m"},
            "max_llm_call_per_run": 70,
        }
    )

    def begin(folder: Path, looking: Looking) -> Session:
        parts = parts_on(ScriptedModel(looking), settings)
        return Session.create(TASK, [GUIDE], LIBRARY, settings=settings, sessions=folder, session_id="s", parts=parts)

    whole, cut = Looking(), Looking()
    expected = begin(tmp_path / "whole", whole)
    list(expected.run())
    running = begin(tmp_path / "cut", cut).run()
    for event in running:
        if isinstance(event, TurnTaken) and event.number == stopped_after:
            running.close()
            break
    resumed = Session.open(
        "s", settings=settings, sessions=tmp_path / "cut", parts=parts_on(ScriptedModel(cut), settings)
    )
    list(resumed.run())
    assert cut.shown == whole.shown
    assert any("<earlier>" in str(asked) for asked in whole.shown[stopped_after:])
    sizes = [sent_tokens(asked["messages"], asked.get("tools", ()), count) for asked in whole.shown[:60]]
    assert max(sizes) <= 2_048
    assert resumed.answer == expected.answer
