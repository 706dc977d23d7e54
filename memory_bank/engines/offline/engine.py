"""The embedded engine and framework: every agent's judgement, deterministic, without a model server or network."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output
from memory_bank.agents.analysis import ANALYSIS
from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.integration import INTEGRATION
from memory_bank.agents.planning import PLANNING
from memory_bank.agents.react import REACT, EnhancedPrompt, ImageRead, Progress, StepResult, Tools, WaitingImage
from memory_bank.agents.remember import LONGEST_QUERY, REMEMBER_EXTRACTION, REMEMBER_QUERY, Query, QueryInput
from memory_bank.agents.research import RESEARCH_FINDINGS, RESEARCH_PLAN, RESEARCH_REFLECTION
from memory_bank.agents.structure import STRUCTURE, FoundClaim, StructureInput, StructureOutput
from memory_bank.bank.errors import AgentError, UnreadableDocumentError, UnreadableImageError, raise_disk_error
from memory_bank.bank.events import EngineChoice, Notice
from memory_bank.bank.message import StepTurn
from memory_bank.documents.pictures import read_pages
from memory_bank.engines.offline.analysis import analyse
from memory_bank.engines.offline.answering.question import answer
from memory_bank.engines.offline.classification import classify
from memory_bank.engines.offline.extraction import extract
from memory_bank.engines.offline.integration import SUMMARY_CHARACTERS, integrate
from memory_bank.engines.offline.planning import plan
from memory_bank.engines.offline.research import plan_research, reflect, select_findings
from memory_bank.engines.offline.verification.verify import verify
from memory_bank.judgement.coreference.question import standing_alone, with_context
from memory_bank.judgement.judge import PairJudge, shared_judge
from memory_bank.judgement.reader import shared_reader
from memory_bank.judgement.statement import statements_of
from memory_bank.search.embedding import Embedder
from memory_bank.text.iteration import Returning
from memory_bank.text.summary import summarise
from memory_bank.text.wording import Wording, one_line


class OfflineEngine:
    """Judges for every agent except ReAct, which is `OfflineFramework`."""

    remote = False

    def __init__(self, embedder: Embedder, judge: PairJudge | None = None) -> None:
        judge = judge or shared_judge()
        self.choice = EngineChoice(provider="offline", model=embedder.name)
        self._judgements: dict[str, Callable[[Any], Any]] = {
            CLASSIFICATION.name: lambda agent_input: classify(agent_input, embedder),
            STRUCTURE.name: structure,
            ANALYSIS.name: lambda agent_input: analyse(agent_input, embedder, judge),
            INTEGRATION.name: lambda agent_input: integrate(agent_input, judge),
            PLANNING.name: lambda agent_input: plan(agent_input, embedder),
            RESEARCH_PLAN.name: plan_research,
            RESEARCH_FINDINGS.name: select_findings,
            RESEARCH_REFLECTION.name: reflect,
            REMEMBER_QUERY.name: query,
            REMEMBER_EXTRACTION.name: lambda agent_input: extract(agent_input, embedder),
        }

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The agent's judgement. It makes no model call and quotes each document in its own language."""
        del language, failed
        return Judgement(self._judgements[agent.name](given))


def query(agent_input: QueryInput) -> Query:
    """The question with its references resolved; where that changes nothing, after the subject of the conversation.

    A hypothetical answer (the mode "hyde") takes a model: there is none here, so that the question is searched with.
    """
    question = standing_alone(agent_input.question, agent_input.conversation)
    if question == agent_input.question:
        question = with_context(agent_input.question, agent_input.conversation)
    return Query(text=(one_line(question) or agent_input.question.strip())[:LONGEST_QUERY].strip())


def structure(agent_input: StructureInput) -> StructureOutput:
    """Summary and claims of one cluster, both in its own words."""
    content = agent_input.content
    spans = [(turn.said, turn.end) for turn in agent_input.turns] or [(0, len(content))]
    claims = tuple(
        FoundClaim(text=placed.statement.text, start=start + placed.start, end=start + placed.end)
        for start, end in spans
        for placed in statements_of(content[start:end], short_joined=True)
    )
    claim_starts = {claim.start for claim in claims}
    return StructureOutput(summary=summarise(content, SUMMARY_CHARACTERS, claim_starts), claims=claims)


class OfflineFramework:
    """ReAct without a model: reads an image, verifies a conflict, or answers a question with quotations."""

    remote = False
    sees = True  # it recognises the text in images

    def __init__(self, embedder: Embedder, judge: PairJudge | None = None) -> None:
        self._embedder = embedder
        self._judge = judge or shared_judge()
        self._reader = shared_reader()
        self.choice = EngineChoice(provider="offline", model=embedder.name)

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task with the memory and the reference library, in one turn."""
        del turns, failed, lost
        if prompt.image is not None:
            return (yield from _read_image(prompt.image))
        if prompt.conflict is not None:
            return verify(prompt, prompt.conflict, tools, self._embedder, self._judge)
        return answer(prompt, tools, self._embedder, self._judge, self._reader)


def _read_image(image: WaitingImage) -> Generator[Notice, None, StepResult]:
    """Read an image as text. Yields a notice between two pages, where the caller may stop.

    `UnreadableImageError` if it is damaged or of a kind that is not read; `OSError` if the disk fails for now.
    """
    name = image.source.name
    reading = Returning(read_pages(image.path, name))
    try:
        for done, pages in reading:
            if done < pages:
                yield Notice(
                    message=Wording("Page {number} of {pages} of {file} is read.", number=done, pages=pages, file=name)
                )
    except UnreadableDocumentError as error:
        raise_disk_error(error)
        raise UnreadableImageError(REACT, error.reason) from error
    content = reading.result
    picture = content.picture
    facts = {  # sizes in pixels, the confidence of the recognised text from 0 to 1
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "taken_at": picture.metadata.taken_at,
        "camera": picture.metadata.camera,
        "confidence": None if content.described else round(content.recognised.confidence, 3),
    }
    known = {name: fact for name, fact in facts.items() if fact is not None}
    read = ImageRead(id=image.source.id, facts=known, described=content.described)
    return StepResult(answer=content.text, messages=(), image=read)
