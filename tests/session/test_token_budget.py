"""How many tokens a task on a large set of documents sends to models.

The model is scripted, but client and prompts are the real ones. Tokens are counted by the embedding model's tokenizer.
The reference is an agent without a memory, which sends all documents with every request.
"""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from memory_bank.agents.research import RESEARCH
from memory_bank.app.evaluation.bench_sessions import prose
from memory_bank.bank.errors import ModelFileError
from memory_bank.bank.settings import AGENTS, ProviderSettings, Settings
from memory_bank.judgement import judge, reader
from memory_bank.search.embedding import Embedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.text.chunking import chunk
from memory_bank.text.sentences import sentences
from tests.scripted_model import ScriptedModel, ScriptedReply

pytestmark = pytest.mark.slow

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


@pytest.fixture(autouse=True)
def _without_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and judge without the trained networks, which take minutes for these texts and send nothing."""

    def missing() -> None:
        raise ModelFileError("networks", "not wanted here")

    for module in (judge, reader):
        monkeypatch.setattr(module, "load_pair_model", missing)


@pytest.mark.parametrize(
    ("models", "most"),
    [
        (tuple(name for name in AGENTS if name != RESEARCH), 0.25),
        (("planning", "react"), 0.1),
        (("planning", "react", RESEARCH), 0.15),
    ],
    ids=["the six agents", "Planning and ReAct", "Planning, ReAct and research"],
)
def test_of_what_sending_all_would_take_a_task_sends_a_part(
    tmp_path: Path, models: tuple[str, ...], most: float
) -> None:
    agents: dict[str, Any] = {name: {"provider": "openai" if name in models else "offline"} for name in AGENTS}
    settings = Settings(llm_provider="openai", openai=ProviderSettings(api_key=SecretStr("none")), **agents)
    model = ScriptedModel(_PlainModel())
    parts = Parts.standard(settings, network=model)
    uploads = _documents(TOKENS, parts.embedder)
    documents = sum(parts.embedder.count_tokens(upload.data.decode()) for upload in uploads)
    assert documents == pytest.approx(TOKENS, rel=0.05)
    for _event in Session.create("Explain.", uploads, settings=settings, sessions=tmp_path, parts=parts).run():
        pass
    acting = [_size(request, parts.embedder) for request in model.requests if _agent(request) == "react"]
    assert len(acting) == 3 * len(STEPS)
    assert max(acting) <= LARGEST_REQUEST
    assert sum(_size(request, parts.embedder) for request in model.requests) <= most * documents * len(acting)


def _documents(tokens: int, embedder: Embedder) -> list[Upload]:
    text = prose(8 * tokens)
    size = chunk(text, tokens, embedder.count_tokens)[0].end // DOCUMENTS
    return [Upload(f"part-{n}.txt", text[n * size : (n + 1) * size].encode()) for n in range(DOCUMENTS)]


def _agent(request: dict[str, Any]) -> str:
    response_format = request.get("response_format")
    return str(response_format["json_schema"]["name"]) if response_format else "react"


def _size(request: dict[str, Any], embedder: Embedder) -> int:
    messages = (str(message["content"]) for message in request["messages"])
    tools = json.dumps(request["tools"]) if "tools" in request else ""
    return sum(embedder.count_tokens(text) for text in (*messages, tools))


class _PlainModel:
    """A scripted model with simple answers: topics of a few passages, first sentences, two tool calls, an answer."""

    def __init__(self) -> None:
        self._steps = count()

    def __call__(self, request: dict[str, Any]) -> Any:
        text = str(request["messages"][1]["content"])
        match _agent(request):
            case "classification":
                return _topics(text)
            case "structure":
                return {"topics": _structured(text)}
            case "analysis":
                return {"candidates": [], "contradictions": [], "relations": []}
            case "planning":
                return self._plan()
            case "research_plan":
                need = {"fact": "the rest", "keywords": "rest", "sentence": "The rest is said."}
                return {"needs": [need], "open_pages": [1]}
            case "research_findings":
                return {"findings": [{"text": _first_sentence(text), "pages": [1]}]}
            case "research_reflection":
                return {"missing": "the rest", "enough": False, "follow_ups": ["What is said next?"]}
        return _act(request["messages"])

    def _plan(self) -> dict[str, Any]:
        number = next(self._steps) + 1  # the first step is the goal itself, which code plans
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


def _structured(text: str) -> list[dict[str, Any]]:
    """Of each topic the first sentence as summary, and two sentences in three that say nothing to be checked."""
    topics = re.split(r"^Topic \d+: .*$", text, flags=re.MULTILINE)[1:]
    structured = []
    for number, topic in enumerate(topics, start=1):
        marks = [int(mark) for mark in re.findall(r"\[(\d+)\] ", topic)]
        first = re.search(r"\[\d+\] ([^\[]+)", topic)
        summary = " ".join(first[1].split())[:400] if first else ""
        structured.append({"topic": number, "summary": summary, "no_claim": [mark for mark in marks if mark % 3]})
    return structured


def _first_sentence(text: str) -> str:
    """The first sentence of the first page."""
    page = text.partition('<page number="1">\n')[2].partition("\n</page>")[0]
    return sentences(page)[0].of(page)


def _act(messages: list[dict[str, Any]]) -> ScriptedReply | str:
    """Retrieve the first node in the prompt, ask the memory once, then answer with what no passage bears.

    After an answer with its passages no further step would be planned.
    """
    tool_calls = sum(message["role"] == "tool" for message in messages)
    node = re.search(r"\[(n\d+)\]", str(messages[1]["content"]))
    if tool_calls == 0 and node:
        return ScriptedReply(tool_calls=[("deep_retrieval", {"node_id": node[1]})])
    if tool_calls < 2:
        return ScriptedReply(tool_calls=[("research", {"question": "What else is said?"})])
    return "<answer>It takes 98765 of them.</answer>"
