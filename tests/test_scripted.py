"""The scripted engine and framework replay their scripts in order and record what they were given."""

from __future__ import annotations

import pytest

from memory_bank.agents.agent import Judgement
from memory_bank.agents.planning import PLANNING, PlanningInput, PlanningOutput
from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.agents.structure import STRUCTURE, StructureInput, StructureOutput
from memory_bank.bank.errors import AgentError
from memory_bank.bank.message import StepTurn
from tests.engines.offline.fake_tools import FakeTools
from tests.scripted import ONE_CALL, ScriptedEngine, ScriptedFramework

STRUCTURE_INPUT = StructureInput(content="The dam is tall.", context="", keywords=())
FIRST, SECOND = (StructureOutput(summary=summary, claims=()) for summary in ("first", "second"))

EMPTY_MEMORY = FakeTools({})
PROMPT = EMPTY_MEMORY.prompt("Find the year.")


def run(framework: ScriptedFramework) -> tuple[list[object], StepResult]:
    """The requests of each turn, and the result."""
    running, turns = framework.act(PROMPT, EMPTY_MEMORY), []
    while True:
        try:
            turn = next(running)
        except StopIteration as ended:
            return turns, ended.value
        assert isinstance(turn, StepTurn)
        turns.append(turn.calls)


def test_a_list_is_used_up_in_order_and_then_the_agent_fails() -> None:
    engine = ScriptedEngine({"structure": [FIRST, AgentError("structure", "busy"), SECOND]})
    assert engine.judge(STRUCTURE, STRUCTURE_INPUT) == Judgement(FIRST, ONE_CALL)
    with pytest.raises(AgentError, match="busy"):
        engine.judge(STRUCTURE, STRUCTURE_INPUT)
    assert engine.judge(STRUCTURE, STRUCTURE_INPUT).output == SECOND
    with pytest.raises(AgentError, match="no more to say"):
        engine.judge(STRUCTURE, STRUCTURE_INPUT)


def test_a_function_is_called_every_time_with_the_input() -> None:
    engine = ScriptedEngine({"structure": lambda given: StructureOutput(summary=given.content.upper(), claims=())})
    for _ in range(3):
        assert engine.judge(STRUCTURE, STRUCTURE_INPUT).output.summary == "THE DAM IS TALL."


def test_an_agent_without_a_script_fails_and_the_others_do_not() -> None:
    engine = ScriptedEngine({"structure": [FIRST]})
    with pytest.raises(AgentError, match="planning"):
        engine.judge(PLANNING, PlanningInput(insight_doc=PROMPT.insight_doc, new_nodes=(), open_conflicts=()))
    assert engine.judge(STRUCTURE, STRUCTURE_INPUT).output == FIRST


def test_every_call_is_recorded_failures_included() -> None:
    engine = ScriptedEngine({"structure": [AgentError("structure", "busy"), FIRST]})
    with pytest.raises(AgentError):
        engine.judge(STRUCTURE, STRUCTURE_INPUT)
    engine.judge(STRUCTURE, STRUCTURE_INPUT)
    assert engine.asked == [("structure", STRUCTURE_INPUT)] * 2


def test_agents_use_up_their_own_lists() -> None:
    done = PlanningOutput(completed=None, next_task=None)
    engine = ScriptedEngine({"structure": [FIRST, SECOND], "planning": [done]})
    planning = PlanningInput(insight_doc=PROMPT.insight_doc, new_nodes=(), open_conflicts=())
    outputs = [
        engine.judge(STRUCTURE, STRUCTURE_INPUT).output,
        engine.judge(PLANNING, planning).output,
        engine.judge(STRUCTURE, STRUCTURE_INPUT).output,
    ]
    assert outputs == [FIRST, done, SECOND]


def test_a_framework_acts_by_a_function_of_prompt_and_tools() -> None:
    def act(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        return StepResult(answer=f"{prompt.task.id}: {len(tools.conflicts())}", messages=())

    framework = ScriptedFramework(act)
    assert run(framework) == ([ONE_CALL], StepResult(answer="t1: 0", messages=()))
    assert framework.prompts == [PROMPT]


def test_a_framework_acts_by_a_list_of_results_and_errors() -> None:
    result = StepResult(answer="done", messages=())
    framework = ScriptedFramework([AgentError("react", "the line is dead"), result])
    with pytest.raises(AgentError, match="the line is dead"):
        run(framework)
    assert run(framework)[1] == result
    with pytest.raises(AgentError, match="react"):
        run(framework)


def test_engine_and_framework_are_recorded_as_scripted() -> None:
    for choice in (ScriptedEngine({}).choice, ScriptedFramework([]).choice):
        assert (choice.provider, choice.model) == ("scripted", "script")
