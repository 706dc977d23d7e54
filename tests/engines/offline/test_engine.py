"""The embedded engine judges for every agent, without model calls and deterministically."""

from __future__ import annotations

from typing import Any

import pytest

from memory_bank.agents.agent import Agent
from memory_bank.agents.analysis import ANALYSIS, AnalysisInput
from memory_bank.agents.classification import CLASSIFICATION, ClassificationInput
from memory_bank.agents.integration import INTEGRATION, IntegrationInput
from memory_bank.agents.planning import PLANNING, PlanningInput
from memory_bank.agents.react import EnhancedPrompt, StepResult
from memory_bank.agents.remember import (
    REMEMBER_EXTRACTION,
    REMEMBER_QUERY,
    ExtractionInput,
    PastTask,
    QueryInput,
    Utterance,
)
from memory_bank.agents.research import (
    RESEARCH_FINDINGS,
    RESEARCH_PLAN,
    RESEARCH_REFLECTION,
    FindingsInput,
    MemoryPage,
    PlanInput,
    ReflectionInput,
)
from memory_bank.agents.structure import STRUCTURE, StructureInput
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.settings import AGENTS
from memory_bank.bank.usage import Usage
from memory_bank.bank.value import Value
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools
from tests.engines.offline.test_analysis import view
from tests.judgement.rule_judge import RuleJudge

GUIDE = "Beacon Mill stands near Benenden in Kent. Beacon Mill was built in 1772. It has four floors and no sails."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill was built in 1869. Wheat was ground there until the war."

MEMORY = FakeTools({"guide.txt": GUIDE, "leaflet.txt": LEAFLET}, {"register.txt": "Beacon Mill was built in 1869."})
CONFLICT = MEMORY.disagree("1772", "1869")
PAGE = MemoryPage(id="e1", title="Beacon Mill", text=GUIDE)
VIEWS = (view(1, GUIDE), view(2, LEAFLET))
JUDGEMENTS: list[tuple[Agent[Any, Any], Value]] = [
    (CLASSIFICATION, ClassificationInput(text=f"{GUIDE}\n\n{LEAFLET}", source="a.txt")),
    (STRUCTURE, StructureInput(content=GUIDE, context="", keywords=())),
    (ANALYSIS, AnalysisInput(node=VIEWS[1], candidates=VIEWS)),
    (INTEGRATION, IntegrationInput(nodes=VIEWS, neighbours=(), why="merge")),
    (PLANNING, PlanningInput(insight_doc=InsightDoc(doc_id="d", task_goal="When?"), new_nodes=(), open_conflicts=())),
    (RESEARCH_PLAN, PlanInput(question="When?", requests=("When?",), known=())),
    (RESEARCH_FINDINGS, FindingsInput(question="When?", findings=(), pages=(PAGE,))),
    (RESEARCH_REFLECTION, ReflectionInput(question="When?", findings=(), pages=(PAGE,), requests=("When?",))),
    (REMEMBER_EXTRACTION, ExtractionInput(about="A boat.", utterances=(Utterance(id="1", speaker="Ann", text=GUIDE),))),
    (REMEMBER_QUERY, QueryInput(question="And when?", conversation=(PastTask(asked="How long is it?", found="9 m"),))),
]


def test_every_agent_is_covered_by_the_engine_or_the_framework() -> None:
    judged = {agent.name.partition("_")[0] for agent, _ in JUDGEMENTS}
    assert judged | {"react"} == set(AGENTS)


@pytest.mark.parametrize("embedder", [HashEmbedder(), load_embedder()], ids=lambda embedder: embedder.name)
@pytest.mark.parametrize(("agent", "asked"), JUDGEMENTS, ids=lambda value: getattr(value, "name", ""))
def test_a_judgement_has_its_type_costs_no_call_and_is_deterministic(
    agent: Agent[Any, Any], asked: Value, embedder: Embedder
) -> None:
    judgement = OfflineEngine(embedder, RuleJudge()).judge(agent, asked)
    output = judgement.output
    assert type(output) is agent.output_type
    assert judgement.usage == Usage()
    assert OfflineEngine(embedder, RuleJudge()).judge(agent, asked) == judgement
    assert agent.output_type.model_validate(output.model_dump(mode="json")) == output


def test_the_record_names_the_embedding_model() -> None:
    for engine in (OfflineEngine(HashEmbedder(), RuleJudge()), OfflineFramework(HashEmbedder(), RuleJudge())):
        assert (engine.choice.provider, engine.choice.model) == ("offline", "hash")


def run_step(framework: OfflineFramework, prompt: EnhancedPrompt) -> StepResult:
    """The result of a step; it yields no turn."""
    with pytest.raises(StopIteration) as ended:
        next(framework.act(prompt, MEMORY))
    result: StepResult = ended.value.value
    return result


def test_a_task_about_a_conflict_is_verified_and_any_other_is_answered() -> None:
    framework = OfflineFramework(HashEmbedder(), RuleJudge())
    verified = run_step(framework, MEMORY.prompt("Verify x1.", CONFLICT))
    assert verified.verification is not None
    assert verified.verification.verdict == "second"
    answered = run_step(framework, MEMORY.prompt("How many floors has Beacon Mill?"))
    assert answered.verification is None
    assert answered.messages
