"""The worked examples of the adapter, executed on the scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from examples import openai_loop, pydantic_ai_agent
from memory_bank import Session, Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests.scripted_model import ScriptedModel, ScriptedReply

DOCUMENTS = [
    Upload("guide.txt", b"Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."),
    Upload("survey.txt", b"Beacon Mill was last worked in 1921. It is a smock mill."),
]
SOURCES = [Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921.")]
QUOTE = "Beacon Mill was last worked in 1921."


def reply(asked: dict[str, Any]) -> ScriptedReply | str:
    """Looks a conflict up and decides it by the register; answers the question from memory."""
    conversation = json.dumps(asked["messages"][1:])
    if "<conflict>" not in conversation:
        return f"<answer>{QUOTE}</answer>"
    if asked["messages"][-1]["role"] != "tool":
        return ScriptedReply(tool_calls=[("search", {"query": "Beacon Mill last worked"})])
    first_says = conversation.split("first (")[1].split("second (")[0]
    verdict = "first" if "1921" in first_says else "second"
    evidence = [{"cite": "r1", "quote": QUOTE, "supports": verdict}]
    return json.dumps({"verdict": verdict, "reason": "The register.", "confidence": 0.9, "evidence": evidence})


def with_openai(session: Session, model: ScriptedModel) -> None:
    client = OpenAI(api_key="none", http_client=httpx2.Client(transport=model))
    openai_loop.work(session, client, "scripted")


def with_pydantic_ai(session: Session, model: ScriptedModel) -> None:
    client = AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(transport=model))
    provider = OpenAIProvider(openai_client=client)
    asyncio.run(pydantic_ai_agent.work(session, OpenAIChatModel("scripted", provider=provider)))


@pytest.mark.parametrize("work", [with_openai, with_pydantic_ai])
def test_another_framework_does_the_steps_and_the_bank_settles_the_conflict(
    tmp_path: Path, work: Callable[[Session, ScriptedModel], None]
) -> None:
    session = Session.create("When was Beacon Mill last worked?", DOCUMENTS, SOURCES, sessions=tmp_path)
    model = ScriptedModel(reply)
    with ThreadPoolExecutor(1) as thread:  # the browser's tests leave an event loop running in this one
        thread.submit(work, session, model).result()
    assert session.bank.status == "finished"
    assert session.answer is not None
    assert "1921" in session.answer.affirmed
    assert "1955" not in session.answer.affirmed
    (conflict,) = session.bank.conflicts.values()
    assert conflict.status == "resolved"
    assert [evidence.source for evidence in conflict.evidence] == ["register.txt"]
    assert len(model.requests) == 3
    assert first_difference(parse_export(session.export().encode())) is None
