"""`bench`, tokens: what a task on a large set of documents makes models read.

The model is scripted, behind the real client and the real prompts; tokens are counted by the embedding model's
tokenizer. The reference is an agent without a memory, which reads all documents with every request.
"""

from __future__ import annotations

import json
import re
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from memory_bank.agents.research import RESEARCH
from memory_bank.engines.llm.scripted_model import Said, ScriptedModel
from memory_bank.evaluation.bench_ingestion import prose
from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.timing import Pairs
from memory_bank.modules.chunking import chunk
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import AGENTS, ProviderSettings, Settings

TOKENS = 60_000
DOCUMENTS = 12
STEPS = (
    "What is a decorator, and what is it applied to?",
    "How does a with statement leave its block?",
    "How are exceptions raised and chained?",
    "What does broadcasting do with shapes that differ?",
    "How do integers compare with floats?",
    "Which names does an import statement bind?",
)
PASSAGES_A_TOPIC = 6
LARGEST_REQUEST = 8_000


def token_figures(scale: float = 1.0) -> list[Figure]:
    """The largest request of the acting agent, and all that a task makes models read, by documents of 60,000 tokens."""
    six = _Run.of(scale, models=tuple(name for name in AGENTS if name != RESEARCH))
    lean = _Run.of(scale, models=("planning", "react"))
    researching = _Run.of(scale, models=("planning", "react", RESEARCH))
    steps = f"{len(STEPS)} steps on {round(six.documents, -3):,} tokens"
    acting = max(six.acting, lean.acting, researching.acting, key=max)
    largest = f"largest ReAct request over documents of {round(six.documents, -3):,} tokens"
    return [
        Figure.most(largest, "tokens", max(acting), LARGEST_REQUEST),
        six.against_all(f"{steps}, the six agents on a model, against sending all"),
        lean.against_all(f"{steps}, Planning and ReAct on a model, against sending all"),
        researching.against_all(f"{steps}, Planning, ReAct and research on a model, against sending all"),
    ]


class _Run:
    """A task that was worked on: how many tokens its documents have, and each of its requests."""

    def __init__(self, documents: int, requests: list[tuple[str, int]]) -> None:
        self.documents = documents
        self.acting = [tokens for agent, tokens in requests if agent == "react"]
        self.total = sum(tokens for _agent, tokens in requests)

    @classmethod
    def of(cls, scale: float, models: tuple[str, ...]) -> _Run:
        offline: dict[str, Any] = {name: {"provider": "offline"} for name in AGENTS if name not in models}
        openai = ProviderSettings(api_key=SecretStr("none"))
        settings = Settings(llm_provider="openai", openai=openai, **offline)
        model = ScriptedModel(_PlainModel())
        parts = Parts.standard(settings, network=model)
        uploads = _documents(int(TOKENS * scale), parts.embedder)
        with tempfile.TemporaryDirectory() as folder:
            session = Session.create("Explain.", uploads, settings=settings, sessions=Path(folder), parts=parts)
            for _event in session.run():
                pass
        tokens = parts.embedder.count_tokens
        documents = sum(tokens(upload.data.decode()) for upload in uploads)
        return cls(documents, [(_agent(asked), _size(asked, parts.embedder)) for asked in model.requests])

    def against_all(self, name: str) -> Figure:
        """All tokens, against the documents in every request of the acting agent."""
        sending_all = self.documents * len(self.acting)
        return Figure.within(name, "tokens", Pairs.of([(self.total, sending_all)]), 1 / 3)


def _documents(tokens: int, embedder: Embedder) -> list[Upload]:
    text = prose(8 * tokens)
    size = chunk(text, tokens, embedder.count_tokens)[0].end // DOCUMENTS
    return [Upload(f"part-{n}.txt", text[n * size : (n + 1) * size].encode()) for n in range(DOCUMENTS)]


def _agent(asked: dict[str, Any]) -> str:
    wanted = asked.get("response_format")
    return str(wanted["json_schema"]["name"]) if wanted else "react"


def _size(asked: dict[str, Any], embedder: Embedder) -> int:
    messages = (str(message["content"]) for message in asked["messages"])
    tools = json.dumps(asked["tools"]) if "tools" in asked else ""
    return sum(embedder.count_tokens(text) for text in (*messages, tools))


class _PlainModel:
    """Answers as a model of no great talent: topics of a few passages, the first sentences, two looks, an answer."""

    def __init__(self) -> None:
        self._steps = count()

    def __call__(self, asked: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever the agent is asked for
        text = str(asked["messages"][1]["content"])
        match _agent(asked):
            case "classification":
                return _topics(text)
            case "structure":
                said = " ".join(text.rsplit("<document>", maxsplit=1)[-1].split())
                return {"key_information": said[:400], "evidence": "", "logic": "", "claims": [said[:150]]}
            case "analysis":
                return {"relations": [], "new_context": "", "new_keywords": []}
            case "planning":
                return self._plan()
            case "research_plan":
                need = {"fact": "the rest", "keywords": "rest", "sentence": "The rest is said."}
                return {"needs": [need], "open_pages": [1]}
            case "research_findings":
                return {"findings": [{"text": _first_of_page(text), "pages": [1]}]}
            case "research_reflection":
                return {"missing": "the rest", "enough": False, "follow_ups": ["What is said next?"]}
        return _act(asked["messages"])

    def _plan(self) -> dict[str, Any]:
        number = next(self._steps)
        return {
            "finished_context": "It was explained.",
            "done": number == len(STEPS),
            "next_type": "NORMAL",
            "next_description": STEPS[number] if number < len(STEPS) else "",
            "conflict": 0,
        }


def _topics(text: str) -> dict[str, Any]:
    numbers = [int(number) for number in re.findall(r"^\[(\d+)\]", text, re.MULTILINE)]
    groups = [numbers[start : start + PASSAGES_A_TOPIC] for start in range(0, len(numbers), PASSAGES_A_TOPIC)]
    return {
        "should_cluster": len(groups) > 1,
        "clusters": [{"passages": group, "context": "A part of the text.", "keywords": ["part"]} for group in groups],
    }


def _first_of_page(text: str) -> str:
    """The first sentence of the first page."""
    page = text.partition('<page number="1">\n')[2].partition("\n</page>")[0]
    return sentences(page)[0].of(page)


def _act(messages: list[dict[str, Any]]) -> Said | str:
    """Looks at the first node it was given, asks the memory once more, then answers."""
    looks = sum(message["role"] == "tool" for message in messages)
    node = re.search(r"\[(n\d+)\]", str(messages[1]["content"]))
    if looks == 0 and node:
        return Said(tool_calls=[("deep_retrieval", {"node_id": node[1]})])
    if looks < 2:
        return Said(tool_calls=[("research", {"question": "What else is said?"})])
    return f"<answer>It is explained there [{node[1] if node else 'n1'}].</answer>"
