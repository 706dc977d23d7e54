"""The client of language models, and each judgement, on a real server with a model that is far too small."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from memory_bank.agents.agent import Agent
from memory_bank.agents.analysis import ANALYSIS, AnalysisInput, AnalysisOutput, NodeView
from memory_bank.agents.classification import CLASSIFICATION, ClassificationInput, ClassificationOutput
from memory_bank.agents.integration import INTEGRATION, IntegrationInput, IntegrationOutput
from memory_bank.agents.planning import PLANNING, PlanningInput, PlanningOutput, StepReport
from memory_bank.agents.research import (
    MOST_FOLLOW_UPS,
    RESEARCH_FINDINGS,
    RESEARCH_PLAN,
    RESEARCH_REFLECTION,
    Finding,
    Findings,
    FindingsInput,
    MemoryPage,
    PlanInput,
    Reflection,
    ReflectionInput,
    ResearchPlan,
)
from memory_bank.agents.structure import STRUCTURE, StructureInput, StructureOutput
from memory_bank.bank.errors import (
    InvalidOutputError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from memory_bank.bank.settings import Settings
from memory_bank.engines.client.client import ModelClient, ModelReply, Request, ask_to_end
from memory_bank.engines.client.endpoint import endpoint_of
from memory_bank.engines.llm.engine import ModelEngine
from memory_bank.judgement.alignment import numbers
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.hash_embedder import HashEmbedder
from tests.builders import make_node
from tests.engines.offline.fake_tools import FakeTools
from tests.model_server.conftest import ModelServer, free_port

pytestmark = pytest.mark.model_server


class Weighed(BaseModel):
    """A shape that no model hits by chance."""

    verdict: Literal["first", "second", "inconclusive"]
    certain: bool
    year: int
    side: Literal["left", "right"]


SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search the reference library.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


def client_of(server: ModelServer, max_tokens: int = 128, **changed: Any) -> ModelClient:
    """A client as the settings make it, with something else in the provider's settings."""
    provider = server.provider.model_dump() | changed
    settings = Settings.model_validate({"llm_provider": "local", "local": provider})
    return ModelClient(
        replace(endpoint_of(settings, "structure"), max_tokens=max_tokens), count_tokens=lambda text: len(text) // 4
    )


def asking(text: str, reply_type: type[BaseModel] | None = None, **more: Any) -> Request[BaseModel]:
    return Request("structure", [{"role": "user", "content": text}], reply_type, **more)


@pytest.fixture
def client(model_server: ModelServer) -> ModelClient:
    return client_of(model_server)


# -- what a model says ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "task", ["Write a poem about the sea.", "写一首关于大海的诗。", 'Which is right? {"year": "soon"}']
)
def test_the_answer_has_the_shape_that_was_asked_for(client: ModelClient, task: str) -> None:
    answered = ask_to_end(client.ask(asking(task, Weighed)))
    assert isinstance(answered.value, Weighed)
    assert not answered.cut


def test_what_the_server_does_not_know_is_found_out_once(client: ModelClient) -> None:
    first, second = (ask_to_end(client.ask(asking("Which is right?", Weighed))) for _ in range(2))
    assert [call.retry for call in first.calls] == ["no", *["parameter"] * (len(first.calls) - 1)]
    assert [call.retry for call in second.calls] == ["no"]


def test_the_servers_own_count_of_tokens_is_taken(client: ModelClient) -> None:
    short, long = (ask_to_end(client.ask(asking(text))).calls[-1] for text in ("Hello.", "Hello. " * 50))
    assert 0 < short.prompt_tokens < 50 < long.prompt_tokens
    assert 0 < short.completion_tokens <= 128
    assert short.model == "smollm2"


def test_text_comes_in_pieces_that_add_up_to_the_answer(client: ModelClient) -> None:
    pieces: list[str] = []
    answering = client.ask(asking("Tell me about the sea.", stream=True))
    while True:
        try:
            pieces.append(next(answering))
        except StopIteration as ended:
            answered: ModelReply[BaseModel] = ended.value
            break
    assert len(pieces) > 1
    assert "".join(pieces).strip() == answered.text.strip()


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_was_cut_off_is_marked(model_server: ModelServer, stream: bool) -> None:  # noqa: FBT001
    answered = ask_to_end(client_of(model_server, 8).ask(asking("Tell me a long story.", stream=stream)))
    assert answered.cut
    assert answered.text


def test_a_shape_that_was_cut_off_is_no_answer(model_server: ModelServer) -> None:
    with pytest.raises(InvalidOutputError) as caught:
        ask_to_end(client_of(model_server, 8).ask(asking("Which is right?", Weighed)))
    assert caught.value.said.lstrip().startswith("{")
    assert caught.value.calls


@pytest.mark.parametrize("stream", [False, True])
def test_tools_in_the_request_do_no_harm(client: ModelClient, stream: bool) -> None:  # noqa: FBT001
    answered = ask_to_end(client.ask(asking("When was the dam finished? Use search.", tools=[SEARCH], stream=stream)))
    assert answered.text or answered.tool_calls


def test_several_may_ask_at_a_time(client: ModelClient) -> None:
    answers: list[ModelReply[BaseModel]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask_to_end(client.ask(asking("Which is right?", Weighed)))))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3


def test_an_answer_that_breaks_off_for_another_is_not_taken_for_a_whole_one(model_server: ModelServer) -> None:
    """As it is started by default, this server ends a stream without a word when another request comes."""
    other = client_of(model_server)
    answering = client_of(model_server, 4_000).ask(asking("Tell me a long story.", stream=True))
    next(answering)
    other.check()
    with pytest.raises(ModelUnavailableError):
        ask_to_end(answering)


# -- what a server refuses -----------------------------------------------------------------------------------


def test_a_wrong_key_is_refused_and_not_shown(model_server: ModelServer) -> None:
    with pytest.raises(ModelRefusedError, match="LOCAL_API_KEY") as caught:
        client_of(model_server, api_key="a-wrong-key").check()
    assert "a-wrong-key" not in str(caught.value)
    assert len(caught.value.calls) == 1


def test_a_wrong_path_is_refused(model_server: ModelServer) -> None:
    with pytest.raises(ModelRefusedError, match="LOCAL_BASE_URL"):
        client_of(model_server, base_url=model_server.url.replace("/v1", "/v9")).check()


def test_a_wrong_port_is_somebody_not_there(model_server: ModelServer) -> None:
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        client_of(model_server, base_url=f"http://127.0.0.1:{free_port()}/v1").check()


def test_more_than_the_model_can_hold_is_refused_with_the_reason(client: ModelClient) -> None:
    with pytest.raises(ModelRequestError, match="maximum context length is 8192 tokens"):
        ask_to_end(client.ask(asking("word " * 9_000)))


def test_the_check_of_the_connection_passes(client: ModelClient) -> None:
    assert client.check() == "smollm2"


# -- the judgements ------------------------------------------------------------------------------------------

MILL = FakeTools(
    {
        "guide.txt": "Beacon Mill was built in 1772. It has four floors and stands near Benenden.",
        "leaflet.txt": "Beacon Mill was built in 1869. It grinds wheat on Sundays.",
    }
)
MILL.disagree("1772", "1869")


def views() -> tuple[NodeView, ...]:
    return tuple(
        NodeView(id=node.id, summary=node.summary, context=node.context, keywords=("mill",), claims=node.claims)
        for node in MILL.nodes
    )


def classification() -> ClassificationInput:
    text = "\n\n".join(node.summary for node in MILL.nodes)
    return ClassificationInput(text=text, source="guide.txt", task="When was the mill built?")


def holds_all(given: ClassificationInput, output: ClassificationOutput) -> None:
    spans = sorted(span for cluster in output.clusters for span in cluster.spans)
    assert "".join(given.text[start:end] for start, end in spans) == given.text
    assert all(cluster.context and cluster.keywords for cluster in output.clusters)


def structure() -> StructureInput:
    node = MILL.nodes[0]
    return StructureInput(content=node.summary, context=node.context, keywords=("mill",))


def quotes(given: StructureInput, output: StructureOutput) -> None:
    assert output.summary
    assert all(claim.text == given.content[claim.start : claim.end] != "" for claim in output.claims)


def analysis() -> AnalysisInput:
    return AnalysisInput(node=views()[1], candidates=views())


def names_what_is_there(given: AnalysisInput, output: AnalysisOutput) -> None:
    claims = {claim.id: node.id for node in given.candidates for claim in node.claims}
    assert {relation.existing_id for relation in output.relations} <= {node.id for node in given.candidates}
    for relation in output.relations:
        assert 0 <= relation.confidence <= 1
        assert bool(relation.contradictions) == (relation.relation == "conflict")
        for contradiction in relation.contradictions:
            assert claims[contradiction.new_claim] == given.node.id
            assert claims[contradiction.existing_claim] == relation.existing_id


def integration() -> IntegrationInput:
    conflict = MILL.found[0].model_copy(update={"status": "resolved", "verdict": "first"})
    neighbour = make_node("n9", "Kent.").model_copy(update={"keywords": ("kent",)})
    return IntegrationInput(nodes=views(), neighbours=(neighbour,), why="conflict", conflict=conflict)


def invents_nothing(given: IntegrationInput, output: IntegrationOutput) -> None:
    assert output.summary
    assert output.context
    assert set(output.claims) <= {claim for node in given.nodes for claim in node.claims}
    assert given.conflict is not None
    assert not set(output.claims) & set(given.conflict.refuted)
    assert {update.node_id for update in output.neighbour_updates} <= {"n9"}


def planning() -> PlanningInput:
    report = StepReport(failed=False, found=MILL.nodes[0].summary, new_nodes=1)
    doc = MILL.prompt("When was the mill built?").insight_doc
    return PlanningInput(insight_doc=doc, new_nodes=tuple(MILL.nodes), last_step=report, open_conflicts=())


def plans_what_can_be_done(given: PlanningInput, output: PlanningOutput) -> None:
    assert output.completed is not None
    following = output.next_task
    if following is not None:
        assert following.description
        assert (following.type == "CROSS_VALIDATE") == (following.conflict_id is not None)
        assert following.conflict_id in {None, *(conflict.id for conflict in given.open_conflicts)}


PAGES = tuple(
    MemoryPage(id=f"e{n}", title=f"Page {n}", text=node.summary) for n, node in enumerate(MILL.nodes, start=41)
)
MILL_FOUND = (Finding(text="It has four floors and stands near Benenden.", page_ids=("e41",)),)


def research_plan() -> PlanInput:
    known = tuple(MemoryPage(id=page.id, title=page.title, text=page.text) for page in PAGES)
    return PlanInput(question="When was the mill built?", requests=("When was the mill built?",), known=known)


def opens_what_was_listed(given: PlanInput, output: ResearchPlan) -> None:
    assert output.needs
    assert all(need.keywords and need.sentence for need in output.needs)
    assert set(output.page_ids) <= {page.id for page in given.known}


def research_findings() -> FindingsInput:
    return FindingsInput(question="When was the mill built?", findings=MILL_FOUND, pages=PAGES)


def rests_on_its_pages(given: FindingsInput, output: Findings) -> None:
    for finding in output.findings:
        assert set(finding.page_ids) <= {page.id for page in given.pages}
        assert numbers(finding.text) <= numbers(" ".join(page.text for page in given.pages) + " 4")


def research_reflection() -> ReflectionInput:
    question = "When was the mill built?"
    return ReflectionInput(question=question, findings=MILL_FOUND, pages=PAGES, requests=(question,))


def ends_or_asks_more(given: ReflectionInput, output: Reflection) -> None:
    assert not (output.enough and output.follow_ups)
    assert len(output.follow_ups) <= MOST_FOLLOW_UPS
    assert not set(output.follow_ups) & set(given.requests)


@pytest.mark.parametrize(
    ("agent", "make", "check"),
    [
        (CLASSIFICATION, classification, holds_all),
        (STRUCTURE, structure, quotes),
        (ANALYSIS, analysis, names_what_is_there),
        (INTEGRATION, integration, invents_nothing),
        (PLANNING, planning, plans_what_can_be_done),
        (RESEARCH_PLAN, research_plan, opens_what_was_listed),
        (RESEARCH_FINDINGS, research_findings, rests_on_its_pages),
        (RESEARCH_REFLECTION, research_reflection, ends_or_asks_more),
    ],
    ids=["classification", "structure", "analysis", "integration", "planning", "plan", "findings", "reflection"],
)
def test_a_weak_judgement_obeys_the_rules_or_is_refused(
    model_server: ModelServer,
    agent: Agent[Any, Any],
    make: Callable[[], Any],
    check: Callable[[Any, Any], None],
) -> None:
    engine = ModelEngine(client_of(model_server, 256), 4_000, HashEmbedder(), NoJudge())
    given = make()
    failed: InvalidOutputError | None = None
    for _attempt in range(2):
        try:
            judgement = engine.judge(agent, given, failed=failed)
        except InvalidOutputError as error:  # a healthy server gives no cause for another
            failed = error
        else:
            check(given, judgement.output)
            assert judgement.usage.tokens > 0
            return
    assert failed is not None
    assert failed.said
    assert failed.calls
